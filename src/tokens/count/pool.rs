//! Counting many conversations on a pool of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::{Map, Value as Json};

use super::prompt::PromptCounter;
use super::reply::{ReplyCounter, ReplyCounts};
use crate::tokens::error::{CountError, TemplateError};
use crate::tokens::reference::Reference;
use crate::tokens::template::stack;
use crate::wire::Reply;

/// One conversation of one pass, with what is to be counted.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// All messages, as the requests carry them.
    pub messages: Vec<Json>,
    /// The tools, if any were sent.
    pub tools: Option<Json>,
    /// `chat_template_kwargs`.
    pub kwargs: Map<String, Json>,
    /// For every request to count: how many messages it carried. Ascending is fastest.
    pub prompts: Vec<usize>,
    /// The replies to count.
    pub replies: Vec<Reply>,
}

/// Where the conversations come from. Called from several threads, once for each index.
pub trait Source: Sync {
    /// How many groups there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sessions of a group: they share what was learnt about their texts, so that all passes
    /// over a conversation belong into one group. They are dropped as soon as they are counted.
    ///
    /// # Errors
    /// A message for the user; counting stops with it.
    fn group(&self, index: usize) -> Result<Vec<Session>, String>;
}

/// The counts of a [`Session`], in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionCounts {
    /// Input lengths; an error where the template refused the request.
    pub prompts: Vec<Result<u64, CountError>>,
    /// The counts of the replies.
    pub replies: Vec<ReplyCounts>,
}

/// How far counting is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Requests and replies counted so far.
    pub counted: usize,
    /// Groups finished so far.
    pub groups: usize,
    /// Groups in all.
    pub of: usize,
}

/// The threads, and how to watch and stop them.
pub struct Pool<'a> {
    /// How many threads count; at least one does.
    pub threads: usize,
    /// Stops counting at the next request or reply when it becomes true.
    pub cancel: &'a AtomicBool,
    /// Called after every request and reply, from any of the threads; must be quick.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// What was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// For each group its sessions' counts; none where counting was stopped before.
    pub groups: Vec<Option<Vec<SessionCounts>>>,
    /// Whether counting was stopped.
    pub cancelled: bool,
}

/// Counts all requests and replies of `source`.
///
/// # Errors
/// What makes all further counting senseless: a tokenizer or source that fails, a template that
/// does not end, or threads that cannot be started. A template that refuses single conversations
/// is told in their counts.
pub fn count_all(
    reference: &Reference,
    source: &dyn Source,
    pool: &Pool<'_>,
) -> Result<Counts, CountError> {
    let groups = source.len();
    let work = Work {
        reference,
        source,
        pool,
        replies: ReplyCounter::new(reference)?,
        next: AtomicUsize::new(0),
        counted: AtomicUsize::new(0),
        finished: AtomicUsize::new(0),
        failed: AtomicBool::new(false),
    };
    let results: Mutex<Vec<Option<Vec<SessionCounts>>>> = Mutex::new(vec![None; groups]);
    let failure: Mutex<Option<CountError>> = Mutex::new(None);
    thread::scope(|scope| {
        for number in 0..pool.threads.clamp(1, groups.max(1)) {
            let body = || {
                stack::mark_deep();
                while let Some(index) = work.take(groups) {
                    match work.group(index) {
                        Ok(counts) => lock(&results)[index] = Some(counts),
                        Err(CountError::Cancelled) => break,
                        Err(error) => {
                            work.failed.store(true, Ordering::Relaxed);
                            lock(&failure).get_or_insert(error);
                            break;
                        }
                    }
                }
            };
            let builder =
                thread::Builder::new().name(format!("count-{number}")).stack_size(stack::SIZE);
            if let Err(error) = builder.spawn_scoped(scope, body) {
                work.failed.store(true, Ordering::Relaxed);
                let error = CountError::Source(format!("cannot start a thread: {error}"));
                lock(&failure).get_or_insert(error);
                break;
            }
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error);
    }
    let groups = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(Counts { cancelled: groups.iter().any(Option::is_none), groups })
}

/// One request; the outer error ends all counting.
fn prompt(
    prompts: &mut PromptCounter<'_>,
    messages: usize,
) -> Result<Result<u64, CountError>, CountError> {
    match prompts.count(messages) {
        Err(
            error @ (CountError::Template(TemplateError::Exhausted(_)) | CountError::Tokenize(_)),
        ) => Err(error),
        other => Ok(other),
    }
}

/// The data behind a lock; a thread that panicked leaves it whole, since only finished values are
/// stored.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct Work<'w> {
    reference: &'w Reference,
    source: &'w dyn Source,
    pool: &'w Pool<'w>,
    replies: ReplyCounter<'w>,
    next: AtomicUsize,
    counted: AtomicUsize,
    finished: AtomicUsize,
    failed: AtomicBool,
}

impl Work<'_> {
    /// The next group to count.
    fn take(&self, groups: usize) -> Option<usize> {
        if self.is_stopped() {
            return None;
        }
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < groups)
    }

    fn is_stopped(&self) -> bool {
        self.pool.cancel.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    fn group(&self, index: usize) -> Result<Vec<SessionCounts>, CountError> {
        let sessions = self.source.group(index).map_err(CountError::Source)?;
        let mut prompts = PromptCounter::new(self.reference);
        let mut counts = Vec::with_capacity(sessions.len());
        for session in sessions {
            prompts.begin(&session.messages, session.tools.as_ref(), &session.kwargs);
            let mut counted = SessionCounts::default();
            for messages in session.prompts {
                counted.prompts.push(prompt(&mut prompts, messages)?);
                self.step()?;
            }
            for reply in &session.replies {
                counted.replies.push(self.replies.count(reply)?);
                self.step()?;
            }
            counts.push(counted);
        }
        self.finished.fetch_add(1, Ordering::Relaxed);
        self.report();
        Ok(counts)
    }

    fn step(&self) -> Result<(), CountError> {
        self.counted.fetch_add(1, Ordering::Relaxed);
        self.report();
        if self.is_stopped() { Err(CountError::Cancelled) } else { Ok(()) }
    }

    fn report(&self) {
        (self.pool.progress)(Progress {
            counted: self.counted.load(Ordering::Relaxed),
            groups: self.finished.load(Ordering::Relaxed),
            of: self.source.len(),
        });
    }
}
