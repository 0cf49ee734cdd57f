//! Where the turns of a log stand.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::RecountError;
use crate::events::{Event, EventKind, ReadError, ReadErrorKind, Reader, SampleId};

/// A log is read in pieces of this size.
const BUFFER: usize = 1 << 20;
/// Whether to go on is looked up every so many events.
const LOOK: usize = 256;

/// The completed turns of a log, conversation by conversation.
#[derive(Debug)]
pub struct LogIndex {
    pub(super) path: PathBuf,
    pub(super) conversations: Vec<Conversation>,
    turns: usize,
}

/// All passes over one source conversation, in the order in which they first appear.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) id: Arc<str>,
    pub(super) sessions: Vec<Session>,
}

/// One pass over a conversation.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: Arc<str>,
    /// From 1.
    pub(super) pass: u32,
    /// Its completed turns, in the order of their issue.
    pub(super) turns: Vec<Turn>,
}

/// One completed turn.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) sample: SampleId,
    pub(super) number: u32,
    pub(super) digest: Option<[u8; 32]>,
    /// Bytes of the issued line.
    pub(super) issued: Range<u64>,
    /// Bytes of the complete line.
    pub(super) complete: Range<u64>,
}

impl LogIndex {
    /// Reads a log from its start to its end.
    ///
    /// # Errors
    /// When it cannot be read, or `cancel` became true.
    pub fn read(path: &Path, cancel: &AtomicBool) -> Result<Self, RecountError> {
        let mut builder = Builder::default();
        each_event(path, cancel, |event, span| builder.push(event, span))?;
        Ok(builder.finish(path))
    }

    /// The log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Completed turns.
    pub fn turns(&self) -> usize {
        self.turns
    }
}

/// Gives every event of a log, with the bytes of its line. A last line that was cut off, as a
/// killed run leaves one, ends the log.
pub(super) fn each_event(
    path: &Path,
    cancel: &AtomicBool,
    mut see: impl FnMut(&Event, Range<u64>),
) -> Result<(), RecountError> {
    let file = File::open(path).map_err(RecountError::read(path))?;
    let mut reader = Reader::new(BufReader::with_capacity(BUFFER, file));
    let mut seen = 0_usize;
    while let Some(event) = next(&mut reader, path)? {
        if seen.is_multiple_of(LOOK) && cancel.load(Ordering::Relaxed) {
            return Err(RecountError::Cancelled);
        }
        seen += 1;
        see(&event, reader.span());
    }
    Ok(())
}

fn next<R: BufRead>(reader: &mut Reader<R>, path: &Path) -> Result<Option<Event>, RecountError> {
    match reader.next().transpose() {
        Err(ReadError { kind: ReadErrorKind::Truncated, .. }) => Ok(None),
        other => other.map_err(RecountError::line(path)),
    }
}

#[derive(Default)]
struct Builder {
    conversations: Vec<Conversation>,
    places: HashMap<Arc<str>, usize>,
    /// Issued turns that have not ended, with the place of their session.
    open: HashMap<SampleId, Open>,
}

struct Open {
    turn: Turn,
    conversation: usize,
    session: usize,
}

impl Builder {
    fn push(&mut self, event: &Event, span: Range<u64>) {
        match &event.kind {
            EventKind::Issued(key, prompt) => {
                let (conversation, session) = self.place(&key.session);
                let digest = prompt.as_ref().and_then(|prompt| prompt.digest);
                let (sample, number) = (key.sample, key.turn);
                let turn = Turn { sample, number, digest, issued: span, complete: 0..0 };
                self.open.insert(sample, Open { turn, conversation, session });
            }
            EventKind::Complete(key, reply) => {
                let Some(mut open) = self.open.remove(&key.sample) else { return };
                if reply.is_some() {
                    open.turn.complete = span;
                    let conversation = &mut self.conversations[open.conversation];
                    conversation.sessions[open.session].turns.push(open.turn);
                }
            }
            _ => {}
        }
    }

    /// The place of a session, made when it is new.
    fn place(&mut self, id: &Arc<str>) -> (usize, usize) {
        let (source, pass) = source_and_pass(id);
        let place = if let Some(place) = self.places.get(source) {
            *place
        } else {
            let source: Arc<str> = source.into();
            self.places.insert(Arc::clone(&source), self.conversations.len());
            self.conversations.push(Conversation { id: source, sessions: Vec::new() });
            self.conversations.len() - 1
        };
        let sessions = &mut self.conversations[place].sessions;
        let session = sessions.iter().position(|session| session.id == *id).unwrap_or_else(|| {
            sessions.push(Session { id: Arc::clone(id), pass, turns: Vec::new() });
            sessions.len() - 1
        });
        (place, session)
    }

    fn finish(mut self, path: &Path) -> LogIndex {
        self.conversations.retain_mut(|conversation| {
            conversation.sessions.retain_mut(|session| {
                // They ended in this order, and one conversation has one turn at a time; a log may
                // say otherwise.
                session.turns.sort_by_key(|turn| turn.issued.start);
                !session.turns.is_empty()
            });
            !conversation.sessions.is_empty()
        });
        let sessions = self.conversations.iter().flat_map(|source| &source.sessions);
        LogIndex {
            path: path.to_owned(),
            turns: sessions.map(|session| session.turns.len()).sum(),
            conversations: self.conversations,
        }
    }
}

/// The source id and the pass of a session id: `x__repeat_2` is the second pass over `x`.
pub fn source_and_pass(id: &str) -> (&str, u32) {
    let repeat = id.rsplit_once("__repeat_");
    let pass = repeat.and_then(|(source, pass)| {
        let plain = !pass.starts_with(['0', '+']);
        pass.parse().ok().filter(|&pass: &u32| plain && pass >= 2).map(|pass| (source, pass))
    });
    pass.unwrap_or((id, 1))
}
