//! Official counts for every completed turn of a log.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::error::RecountError;
use super::index::LogIndex;
use super::prompts::Prompts;
use super::source::LogSource;
use crate::metrics::{OfficialTokens, TokenSource, TurnTokens};
use crate::tokens::count::{Method, Pool, Progress, count_all};
use crate::tokens::{CountError, Reference};

/// What to count, and how.
pub struct CountRequest<'a> {
    /// The turns.
    pub index: &'a LogIndex,
    /// Their prompts.
    pub prompts: &'a Prompts,
    /// The tokenizer and template.
    pub reference: &'a Reference,
    /// How many threads count.
    pub threads: usize,
    /// Stops counting when it becomes true.
    pub cancel: &'a AtomicBool,
    /// Told after every prompt and reply how many of all ([`CountRequest::steps`]) are counted;
    /// must be quick.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

impl CountRequest<'_> {
    /// Prompts and replies to count.
    pub fn steps(&self) -> usize {
        2 * self.index.turns()
    }
}

/// The counts of a log.
#[derive(Clone, Debug)]
pub struct Counted {
    /// The counts of every completed turn.
    pub tokens: Arc<OfficialTokens>,
    /// Prompts that the chat template refused; the input lengths are then unknown.
    pub refused_prompts: u64,
    /// Replies that the template refused; they are counted by plain encoding.
    pub plain_replies: u64,
    /// The template's first complaint.
    pub complaint: Option<String>,
}

impl Counted {
    /// The counts as the source of all token numbers.
    pub fn source(&self) -> TokenSource {
        TokenSource::Official(Arc::clone(&self.tokens))
    }
}

/// Counts all completed turns.
///
/// # Errors
/// When a prompt or reply cannot be had, the tokenizer fails, or the user stopped it.
pub fn count(request: &CountRequest<'_>) -> Result<Counted, RecountError> {
    let CountRequest { index, prompts, reference, threads, cancel, progress } = *request;
    let source = LogSource { index, prompts };
    let report = |done: Progress| progress(done.counted);
    let pool = Pool { threads, cancel, progress: &report };
    let counts = count_all(reference, &source, &pool).map_err(|error| match error {
        CountError::Cancelled => RecountError::Cancelled,
        other => RecountError::Count(other),
    })?;
    if counts.cancelled {
        return Err(RecountError::Cancelled);
    }
    let mut counted =
        Counted { tokens: Arc::default(), refused_prompts: 0, plain_replies: 0, complaint: None };
    let mut tokens = OfficialTokens::with_capacity(index.turns());
    for (conversation, counts) in index.conversations.iter().zip(counts.groups) {
        let (mut inputs, mut replies) = (Vec::new(), Vec::new());
        for session in counts.into_iter().flatten() {
            inputs.extend(session.prompts);
            replies.extend(session.replies);
        }
        let turns = conversation.sessions.iter().flat_map(|session| &session.turns);
        for ((turn, input), reply) in turns.zip(inputs).zip(replies) {
            let input = input.map_err(|error| counted.refused_prompt(error.to_string())).ok();
            if let Method::Plain(error) = &reply.method {
                counted.plain_replies += 1;
                counted.complaint.get_or_insert_with(|| error.to_string());
            }
            let (output, after_first) = (reply.output, reply.after_first);
            tokens.insert(turn.sample, TurnTokens { input, output, after_first });
        }
    }
    counted.tokens = Arc::new(tokens);
    Ok(counted)
}

impl Counted {
    fn refused_prompt(&mut self, complaint: String) {
        self.refused_prompts += 1;
        self.complaint.get_or_insert(complaint);
    }
}
