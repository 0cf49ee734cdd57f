//! Counting tokens of a finished replay, with a progress line; shared by `run` and `report`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use super::console::{Console, LiveView};
use super::failure::Failure;
use crate::host;
use crate::prompt::Library;
use crate::recount::{CountRequest, Counted, LogIndex, Prompts, RecountError, count};
use crate::tokens::Reference;
use crate::tokens::template::TemplateOptions;

/// How often the terminal is redrawn, and whether to stop is looked up.
const REDRAW: Duration = Duration::from_millis(100);
/// A plain line is printed every so many redraws.
const PLAIN: u32 = 30;

/// Loads a model's tokenizer and chat template; `now` is what templates take for the present.
pub(super) fn load_reference(directory: &Path, now: SystemTime) -> Result<Reference, Failure> {
    Reference::load(directory, TemplateOptions::at(now)).map_err(|error| {
        let place = format!("{}: the reference tokenizer cannot be used", directory.display());
        Failure::usage(place).because(&error)
    })
}

impl From<RecountError> for Failure {
    fn from(error: RecountError) -> Self {
        Self::could_not(error.to_string())
    }
}

/// What to count.
pub(super) struct Counting<'a> {
    /// Where progress goes.
    pub(super) console: &'a Console,
    /// What it is called there.
    pub(super) headline: &'a str,
    /// The event log.
    pub(super) log: &'a Path,
    /// The tokenizer and template.
    pub(super) reference: &'a Reference,
    /// Looked up often: whether to stop.
    pub(super) stopped: &'a (dyn Fn() -> bool + Sync),
}

impl Counting<'_> {
    /// Counts every completed turn; prompts come out of the log where it holds them, else out of
    /// what `library` makes.
    ///
    /// # Errors
    /// When counting failed or was stopped, or `library` has none.
    pub(super) fn run<E: From<RecountError>>(
        &self,
        library: impl FnOnce() -> Result<Arc<Library>, E>,
    ) -> Result<Counted, E> {
        let cancel = AtomicBool::new((self.stopped)());
        let index = self.watched(&cancel, None, || LogIndex::read(self.log, &cancel))?;
        let prompts = if Prompts::are_logged(&index)? {
            Prompts::logged()
        } else {
            Prompts::library(library()?)
        };
        let done = AtomicUsize::new(0);
        let request = CountRequest {
            index: &index,
            prompts: &prompts,
            reference: self.reference,
            threads: host::parallelism().get(),
            cancel: &cancel,
            progress: &|counted| {
                done.fetch_max(counted, Ordering::Relaxed);
            },
        };
        let view = View { done: &done, steps: request.steps() };
        Ok(self.watched(&cancel, Some(view), || count(&request))?)
    }

    /// Does `work` while another thread shows how far it is and passes on the wish to stop.
    fn watched<T>(
        &self,
        cancel: &AtomicBool,
        view: Option<View<'_>>,
        work: impl FnOnce() -> T,
    ) -> T {
        let (ended, end) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut ticks = 0;
                while end.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                    if (self.stopped)() {
                        cancel.store(true, Ordering::Relaxed);
                    }
                    ticks += 1;
                    if let Some(view) = &view {
                        self.show(view, ticks);
                    }
                }
            });
            let result = work();
            drop(ended);
            result
        })
    }

    fn show(&self, view: &View<'_>, ticks: u32) {
        // A turn is a prompt and a reply.
        let turns = |steps: usize| (steps / 2) as u64;
        let (done, of) = (turns(view.done.load(Ordering::Relaxed)), turns(view.steps));
        match self.console.live_view() {
            LiveView::Bar => self.console.draw_bar(self.headline, done, of, "counting tokens"),
            LiveView::Lines if ticks.is_multiple_of(PLAIN) => self
                .console
                .message(&format!("{}: counting tokens, {done}/{of} turns", self.headline)),
            _ => {}
        }
    }
}

struct View<'a> {
    done: &'a AtomicUsize,
    steps: usize,
}

/// What a reader must know of counts that the chat template did not give as it should.
pub(super) fn remarks(counted: &Counted) -> Vec<String> {
    let because = counted.complaint.as_deref().unwrap_or("no reason given");
    let mut remarks = Vec::new();
    if counted.refused_prompts > 0 {
        remarks.push(format!(
            "the chat template refused {} prompts, so that there are no input lengths: {because}",
            counted.refused_prompts
        ));
    }
    if counted.plain_replies > 0 {
        remarks.push(format!(
            "the chat template refused {} replies, which are counted as plain text: {because}",
            counted.plain_replies
        ));
    }
    remarks
}
