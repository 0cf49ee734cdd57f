//! The read-only library of prompts.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::body::{Body, salt_markers_of};
use super::digests::{Digests, SessionDigests};
use super::template::{PromptOptions, RequestTemplate};
use crate::client::Rope;
use crate::clock::Nanos;
use crate::digest::salt_hex;
use crate::wire::json;

/// One client request of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The `turn` of the client row in the data set.
    pub turn: u32,
    /// The recorded think or tool time before this request, in nanoseconds.
    pub delay: Nanos,
    /// Messages of the request, the system message among them.
    pub messages: u32,
    /// Where the request's history ends in the arena.
    pub(super) end: usize,
    /// Which tail closes the body.
    pub(super) tail: u32,
    /// The recorded reply, a message in the arena; none when the data set ends here.
    pub(super) reply: Option<Range<usize>>,
}

/// One conversation of the data sets.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The source id.
    pub id: Arc<str>,
    /// The index of its data set in the scenario.
    pub dataset: u32,
    /// Its client turns; never empty.
    pub turns: Vec<Turn>,
    /// The index of its first client turn over all data sets, in file order.
    pub first_sample: u32,
    pub(super) system: Option<Range<usize>>,
    pub(super) start: usize,
}

impl Conversation {
    /// The sum of the recorded delays, in nanoseconds.
    pub fn total_delay(&self) -> Nanos {
        self.turns.iter().map(|turn| turn.delay).fold(0, Nanos::saturating_add)
    }
}

/// All prompts of a scenario, ready to be sent.
#[derive(Debug)]
pub struct Library {
    pub(super) arena: Bytes,
    pub(super) conversations: Vec<Conversation>,
    pub(super) tails: Vec<Bytes>,
    pub(super) template: RequestTemplate,
    pub(super) options: PromptOptions,
    pub(super) digests: Digests,
}

impl Library {
    /// The conversations, data set after data set, in file order.
    pub fn conversations(&self) -> &[Conversation] {
        &self.conversations
    }

    /// How many conversations each of `datasets` data sets has.
    pub fn conversations_per_dataset(&self, datasets: usize) -> Vec<u32> {
        let mut counts = vec![0; datasets];
        for conversation in &self.conversations {
            if let Some(count) = counts.get_mut(conversation.dataset as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// How prompts are prepared.
    pub fn options(&self) -> &PromptOptions {
        &self.options
    }

    /// The bytes that the prompts take in memory.
    pub fn resident_bytes(&self) -> usize {
        let turns: usize = self.conversations.iter().map(|c| c.turns.len()).sum();
        self.arena.len()
            + self.tails.iter().map(Bytes::len).sum::<usize>()
            + turns * size_of::<Turn>()
            + self.conversations.len() * size_of::<Conversation>()
    }

    /// The body of a request that asks `prompt` alone, outside every conversation; for warm-up.
    pub fn plain_body(&self, prompt: &str) -> Rope {
        let mut body = self.template.head().to_vec();
        body.extend_from_slice(b"{\"role\":\"user\",\"content\":");
        json::push_string(&mut body, prompt);
        body.push(b'}');
        body.extend_from_slice(&self.template.tail(None, None));
        let mut rope = Rope::default();
        rope.push(body.into());
        rope
    }

    /// The logical id of a conversation in one pass (1-based): the source id, with `__repeat_<n>` in
    /// pass n >= 2.
    ///
    /// # Panics
    /// When `conversation` is not an index of [`Library::conversations`].
    pub fn session_id(&self, conversation: u32, pass: u32) -> Arc<str> {
        let source = &self.conversations[conversation as usize];
        match pass {
            1 => Arc::clone(&source.id),
            _ => format!("{}__repeat_{pass}", source.id).into(),
        }
    }

    /// Prepares a conversation for one pass (1-based): its logical id and its salted beginning.
    ///
    /// # Panics
    /// When `conversation` is not an index of [`Library::conversations`].
    pub fn session(self: &Arc<Self>, conversation: u32, pass: u32) -> Session {
        let source = &self.conversations[conversation as usize];
        let id = self.session_id(conversation, pass);
        let mut open = self.template.head().to_vec();
        let mut close = Vec::new();
        if source.system.is_some() {
            open.extend_from_slice(b"{\"role\":\"system\",\"content\":\"");
            if self.options.salt {
                let marker = format!("[salt: {}]\\n\\n", salt_hex(&pass.to_string()));
                open.extend_from_slice(marker.as_bytes());
                let marker = format!("\\n\\n[salt: {}]", salt_hex(&source.id));
                close.extend_from_slice(marker.as_bytes());
            }
            close.extend_from_slice(b"\"},");
        }
        let library = Arc::clone(self);
        Session { library, conversation, pass, id, open: open.into(), close: close.into() }
    }

    /// Makes the body digests of these sessions now, on several threads, as far as they are kept;
    /// nothing has to be hashed while they are replayed then.
    pub fn prepare_digests(self: &Arc<Self>, sessions: impl Iterator<Item = (u32, u32)>) {
        self.digests.prepare(self, sessions);
    }
}

/// One conversation in one pass.
#[derive(Clone, Debug)]
pub struct Session {
    library: Arc<Library>,
    conversation: u32,
    pass: u32,
    id: Arc<str>,
    open: Bytes,
    close: Bytes,
}

impl Session {
    /// The logical id: see [`Library::session_id`].
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The conversation as the data set holds it.
    pub fn conversation(&self) -> &Conversation {
        &self.library.conversations[self.conversation as usize]
    }

    /// The client turns, in order.
    pub fn turns(&self) -> &[Turn] {
        &self.conversation().turns
    }

    /// The SHA-256 of every turn's body, in the order of [`Session::turns`].
    pub fn digests(&self) -> SessionDigests {
        self.library.digests.of(self, (self.conversation, self.pass))
    }

    /// The length in bytes of the body of the turn at `index` of [`Session::turns`].
    ///
    /// # Panics
    /// When there is no such turn.
    pub fn body_len(&self, index: usize) -> u64 {
        let conversation = self.conversation();
        let turn = &conversation.turns[index];
        let system = conversation.system.as_ref().map_or(0, Range::len);
        let tail = self.library.tails[turn.tail as usize].len();
        let history = turn.end - conversation.start;
        (self.open.len() + system + self.close.len() + history + tail) as u64
    }

    /// How many salt markers every body of the session holds: see [`super::salt_markers`].
    pub fn salt_markers(&self) -> u8 {
        salt_markers_of(&self.open, &self.close)
    }

    /// The request body of the turn at `index` of [`Session::turns`].
    ///
    /// # Panics
    /// When there is no such turn.
    pub fn body(&self, index: usize) -> Body {
        let conversation = self.conversation();
        let turn = &conversation.turns[index];
        let system = conversation.system.clone().unwrap_or(0..0);
        Body {
            open: self.open.clone(),
            system: self.library.arena.slice(system),
            close: self.close.clone(),
            history: self.library.arena.slice(conversation.start..turn.end),
            tail: self.library.tails[turn.tail as usize].clone(),
        }
    }
}
