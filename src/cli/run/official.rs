//! Official token counts of a finished point.
//!
//! The point is complete on disk before, with the server's counts; the official ones take their
//! place when all turns are counted. Nothing is measured meanwhile.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::point::Session;
use crate::cli::counting::{Counting, remarks};
use crate::metrics::SelfCheckReport;
use crate::recount::{Counted, RecountError, recompute};
use crate::replay::StopLevel;
use crate::report::{CurvePoint, point_report};
use crate::results::{Numbers, RunFacts};

impl Session<'_> {
    /// Counts a point's tokens and replaces its numbers; none when no tokenizer is set or the user
    /// stopped it, and the point then keeps what the server reported.
    ///
    /// # Errors
    /// Why the tokens could not be counted, as a text; the point keeps its numbers.
    pub(super) fn count_tokens(
        &self,
        folder: &Path,
        facts: &RunFacts,
        self_check: &SelfCheckReport,
    ) -> Result<Option<CurvePoint>, String> {
        let Some(reference) = self.reference else { return Ok(None) };
        let log = folder.join("events.jsonl");
        let point = format!("point r{}", facts.concurrency);
        let counting = Counting {
            console: self.console,
            headline: &point,
            log: &log,
            reference,
            stopped: &|| self.stop.level() > StopLevel::Run,
        };
        let library = || Ok::<_, RecountError>(Arc::clone(&self.prepared.library));
        let counted = match counting.run(library) {
            Ok(counted) => counted,
            Err(RecountError::Cancelled) => {
                let run = folder.ancestors().nth(2).unwrap_or(folder).display();
                self.console.message(&format!(
                    "{point}: tokens were not counted, so its numbers are the server's; \
                     `scenario report {run} --write` counts them"
                ));
                return Ok(None);
            }
            Err(error) => return Err(error.to_string()),
        };
        self.replace(folder, facts, self_check, &counted).map(Some)
    }

    fn replace(
        &self,
        folder: &Path,
        facts: &RunFacts,
        self_check: &SelfCheckReport,
        counted: &Counted,
    ) -> Result<CurvePoint, String> {
        for remark in remarks(counted) {
            self.console.warning(&format!("point r{}: {remark}", facts.concurrency));
        }
        let log = folder.join("events.jsonl");
        let read = recompute(&log, &counted.source(), &AtomicBool::new(false))
            .map_err(|error| error.to_string())?;
        let steady = read.detector.finish(self.prepared.turns_per_pass());
        let report = point_report(facts, &read.metrics, self_check, Some(&steady));
        let numbers =
            Numbers { facts, metrics: &read.metrics, steady: Some(&steady), report: &report };
        numbers.replace(folder).map_err(|error| error.to_string())?;
        Ok(CurvePoint::new(facts, &read.metrics, self_check.skipped))
    }
}
