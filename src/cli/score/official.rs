//! `--tokenizer`: official token counts in place of those that the run tells.

use std::sync::Arc;

use super::Args;
use super::folder::Found;
use crate::cli::context::Context;
use crate::cli::counting::{Counting, load_reference, remarks};
use crate::cli::failure::Failure;
use crate::cli::report::library;
use crate::cli::scoring::RunPath;
use crate::clock::wall_now;
use crate::metrics::TokenSource;
use crate::prompt::Library;
use crate::tokens::Reference;

/// What counts the tokens of run folders.
pub(super) struct Official<'a> {
    args: &'a Args,
    found: &'a Found,
    context: &'a Context,
    reference: Reference,
    /// The prompts, once a run needed them.
    library: Option<Arc<Library>>,
}

impl<'a> Official<'a> {
    /// Loads the tokenizer; none when none is named.
    pub(super) fn new(
        args: &'a Args,
        found: &'a Found,
        context: &'a Context,
    ) -> Result<Option<Self>, Failure> {
        let Some(directory) = &args.tokenizer else { return Ok(None) };
        let reference = load_reference(directory, wall_now())?;
        Ok(Some(Self { args, found, context, reference, library: None }))
    }

    /// Counts the tokens of a run folder.
    pub(super) fn count(&mut self, run: &RunPath) -> Result<TokenSource, Failure> {
        let (headline, console) = (run.path.display().to_string(), &self.context.console);
        let counting = Counting {
            console,
            headline: &headline,
            log: &run.path.join("events.jsonl"),
            reference: &self.reference,
            stopped: &|| false,
        };
        let (home, datasets) = (self.found.home.as_deref(), &self.args.dataset);
        let known = self.library.take();
        let mut used = None;
        let counted = counting.run(|| {
            let library = known.map_or_else(|| library::of_run(home, datasets, console), Ok)?;
            used = Some(Arc::clone(&library));
            Ok::<_, Failure>(library)
        });
        self.library = used;
        console.clear_bar();
        let counted = counted?;
        for remark in remarks(&counted) {
            console.warning(&format!("{headline}: {remark}"));
        }
        Ok(counted.source())
    }
}
