//! One point: its numbers once more.

use std::path::Path;
use std::sync::Arc;

use super::interrupt::Interrupt;
use super::library;
use super::place::{Place, Places};
use crate::cli::console::Console;
use crate::cli::counting::{Counting, load_reference, remarks};
use crate::cli::failure::Failure;
use crate::metrics::steady::Analysis;
use crate::metrics::{Metrics, SelfCheckReport, TokenSource};
use crate::prompt::Library;
use crate::recount::{RecountError, recompute};
use crate::report::{CurvePoint, point_report};
use crate::results::{Numbers, PointState, ResultSummary, RunFacts, StoredPoint};

/// What all points of one command share.
pub(super) struct Session<'a> {
    /// The arguments.
    pub(super) args: &'a super::Args,
    /// Where the points lie.
    pub(super) places: &'a Places,
    /// Where messages go.
    pub(super) console: &'a Console,
    /// Whether to stop.
    pub(super) interrupt: &'a Interrupt,
    /// The prompts, once a point needed them.
    pub(super) library: Option<Arc<Library>>,
}

/// The numbers of a point.
pub(super) struct Point {
    facts: RunFacts,
    metrics: Metrics,
    steady: Analysis,
    self_check: SelfCheckReport,
    /// Whether its folder is one of ours.
    ours: bool,
}

/// Why a point has no new numbers.
pub(super) enum Stopped {
    /// By the user.
    Interrupted,
    /// By what went wrong.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<RecountError> for Stopped {
    fn from(error: RecountError) -> Self {
        match error {
            RecountError::Cancelled => Self::Interrupted,
            other => Self::Failed(Failure::could_not(other.to_string())),
        }
    }
}

impl Session<'_> {
    /// Reads a point's log again and makes its numbers.
    pub(super) fn point(&mut self, place: &Place) -> Result<Point, Stopped> {
        let stored = StoredPoint::read(&place.folder)
            .map_err(|error| Failure::could_not(error.to_string()))?;
        let tokens = self.tokens(place, &stored)?;
        let read = recompute(&place.log, &tokens, self.interrupt.flag())?;
        let size = stored.super_pass_size.unwrap_or_else(|| read.turns_per_pass());
        let mut facts = stored.facts;
        facts.simulated |= self.places.simulated;
        if !read.ended() && facts.state == PointState::Complete {
            facts.state = PointState::Interrupted;
        }
        let limit = if facts.concurrency == 0 { u32::MAX } else { facts.concurrency };
        let self_check = stored.self_check.unwrap_or_else(|| read.self_check(limit));
        if facts.concurrency == 0 {
            facts.concurrency = u32::try_from(self_check.max_in_flight).unwrap_or(u32::MAX);
        }
        let steady = read.detector.finish(size);
        Ok(Point { facts, metrics: read.metrics, steady, self_check, ours: stored.ours })
    }

    /// Where token counts come from: the reference tokenizer where there is one.
    fn tokens(&mut self, place: &Place, stored: &StoredPoint) -> Result<TokenSource, Stopped> {
        let named = place.tokenizer();
        let Some(directory) = self.args.tokenizer.clone().or_else(|| named.clone()) else {
            self.console.message(
                "no tokenizer is named: token counts are the server's; give --tokenizer DIR to \
                 count officially",
            );
            return Ok(TokenSource::ServerReported);
        };
        if self.args.tokenizer.is_none() && !directory.is_dir() {
            return self.without(&directory, stored);
        }
        let reference = load_reference(&directory, stored.facts.started_at)?;
        let headline = place.folder.display().to_string();
        let counting = Counting {
            console: self.console,
            headline: &headline,
            log: &place.log,
            reference: &reference,
            stopped: &|| self.interrupt.came(),
        };
        let (run, datasets, console) =
            (self.places.run.as_deref(), &self.args.dataset, self.console);
        let known = self.library.clone();
        let mut made = None;
        let counted = counting.run(|| {
            let library = known.map_or_else(|| library::of_run(run, datasets, console), Ok)?;
            made = Some(Arc::clone(&library));
            Ok::<_, Stopped>(library)
        });
        self.library = self.library.take().or(made);
        self.console.clear_bar();
        let counted = counted?;
        for remark in remarks(&counted) {
            self.console.warning(&format!("{}: {remark}", place.folder.display()));
        }
        Ok(counted.source())
    }

    /// The tokenizer that the run names is not there.
    fn without(&self, directory: &Path, stored: &StoredPoint) -> Result<TokenSource, Stopped> {
        let missing = format!("{}: the run's tokenizer is not there", directory.display());
        let help = "give its directory with --tokenizer DIR";
        if stored.ours {
            return Err(Failure::usage(missing).help(help).into());
        }
        self.console.message(&format!("{missing}, so there are no official counts; {help}"));
        Ok(TokenSource::ServerReported)
    }
}

impl Point {
    /// The performance summary.
    pub(super) fn summary(&self) -> ResultSummary {
        ResultSummary::new(&self.metrics, &self.facts, Some(&self.steady))
    }

    /// report.txt.
    pub(super) fn text(&self) -> String {
        point_report(&self.facts, &self.metrics, &self.self_check, Some(&self.steady))
    }

    /// Its row of the curve.
    pub(super) fn row(&self) -> CurvePoint {
        CurvePoint::new(&self.facts, &self.metrics, self.self_check.skipped)
    }

    /// Whether everything adds up.
    pub(super) fn is_sound(&self) -> bool {
        self.self_check.passed()
    }

    /// Whether its numbers can take the place of those in its folder.
    pub(super) fn is_ours(&self) -> bool {
        self.ours
    }

    /// Puts the numbers into the run folder.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Failure> {
        let numbers = Numbers {
            facts: &self.facts,
            metrics: &self.metrics,
            steady: Some(&self.steady),
            report: &self.text(),
        };
        numbers.replace(folder).map_err(|error| {
            let failure = Failure::could_not(error.to_string());
            match error.help() {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    }
}
