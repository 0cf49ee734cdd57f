//! The accuracy of one run folder: scored from its events, and written into it; shared by `run`
//! and `score`.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::failure::Failure;
use crate::accuracy::{
    AccuracyResults, GroundTruth, InlineFacts, InlineScorer, InlineScores, OutputLength,
    PointAccuracy,
};
use crate::events::{ReadErrorKind, Reader};
use crate::metrics::{Collector, TokenSource};
use crate::results;

/// How much of a log is read at once.
const LOG_BUFFER: usize = 256 * 1024;

/// One run folder.
#[derive(Clone, Debug)]
pub(super) struct RunPath {
    /// The folder.
    pub(super) path: PathBuf,
    /// Conversations active at once; 0 where nothing tells.
    pub(super) concurrency: u32,
}

/// How a run folder is scored.
pub(super) struct Scoring<'a> {
    /// What is expected.
    pub(super) truth: &'a Arc<GroundTruth>,
    /// Official token counts, in place of those that the folder tells.
    pub(super) tokens: Option<TokenSource>,
    /// Looked up at every event: whether to stop.
    pub(super) stopped: &'a dyn Fn() -> bool,
}

/// What was measured at one point.
pub(super) struct Measured {
    /// The folder and its concurrency.
    pub(super) run: RunPath,
    /// The inline scores.
    pub(super) scores: InlineScores,
    /// What their entry says beside the score.
    pub(super) facts: InlineFacts,
    /// The mean output length, where something tells.
    pub(super) output_length: Option<OutputLength>,
    /// The accuracy file as it is, or as it would be when there is none.
    pub(super) results: AccuracyResults,
    /// Where that file is, or belongs.
    pub(super) results_path: PathBuf,
    /// The endpoint was simulated: the numbers measure no real system.
    pub(super) simulated: bool,
    /// What the reader of the numbers must know.
    pub(super) warnings: Vec<String>,
}

impl Scoring<'_> {
    /// Reads the events of a run folder once, in constant memory beside a few bytes per turn. None
    /// when it was stopped.
    pub(super) fn measure(&self, run: &RunPath) -> Result<Option<Measured>, Failure> {
        let log = run.path.join("events.jsonl");
        let broken = |error: &dyn std::error::Error| {
            Failure::could_not(format!("{}: cannot be read", log.display())).because(error)
        };
        let file = File::open(&log).map_err(|error| broken(&error))?;
        let mut scorer = InlineScorer::new(Arc::clone(self.truth));
        let mut collector = self.tokens.clone().map_or_else(Collector::new, Collector::with_tokens);
        let mut warnings = Vec::new();
        for event in Reader::new(BufReader::with_capacity(LOG_BUFFER, file)) {
            if (self.stopped)() {
                return Ok(None);
            }
            match event {
                Ok(event) => {
                    scorer.push(&event);
                    collector.push(&event);
                }
                Err(error) if matches!(error.kind, ReadErrorKind::Truncated) => {
                    warnings.push(format!("{}: {error}; scored up to there", log.display()));
                }
                Err(error) => return Err(broken(&error)),
            }
        }
        let summary = summary(&run.path)?;
        let told = self.tokens.is_none().then(|| OutputLength::of_summary(&summary)).flatten();
        let output_length = told.or_else(|| OutputLength::of_metrics(&collector.finish()));
        let mut facts = scorer.facts();
        facts.complete &= summary.get("complete").and_then(Value::as_bool).unwrap_or(true);
        let (results_path, results) = accuracy_file(&run.path)?;
        let scores = scorer.finish();
        if scores.turns.issued == 0 && facts.total_samples > 0 {
            warnings.push(format!(
                "{}: no issued turn is in the data sets; were they those that were played?",
                log.display()
            ));
        }
        let run = run.clone();
        let simulated = summary.get("simulated").and_then(Value::as_bool).unwrap_or(false);
        let measured = Measured {
            run,
            scores,
            facts,
            output_length,
            results,
            results_path,
            simulated,
            warnings,
        };
        Ok(Some(measured))
    }
}

impl Measured {
    /// The numbers that the gates judge.
    pub(super) fn point(&self) -> PointAccuracy {
        PointAccuracy {
            concurrency: self.run.concurrency,
            inline: self.scores.score,
            output_length: self.output_length.as_ref().map(|length| length.mean),
            swe_bench: self.results.swe_bench_score(),
        }
    }

    /// Sets the inline entry, and adds scores.json to the files that are to be written.
    ///
    /// # Errors
    /// Something else stands there, and `force` does not let it be replaced.
    pub(super) fn set_inline(
        &mut self,
        force: bool,
        files: &mut Vec<(PathBuf, Vec<u8>)>,
    ) -> Result<(), Failure> {
        let old = self.results.inline_score();
        if old.is_some() && old != self.scores.score && !force {
            return Err(exists(&self.results_path, "another inline score"));
        }
        let (path, scores) = (self.run.path.join("scores.json"), self.scores.to_json());
        match read(&path)? {
            Some(old) if old.trim_ascii_end() == scores => {}
            Some(_) if !force => return Err(exists(&path, "other scores")),
            _ => files.push((path, scores)),
        }
        self.results.set_inline(&self.scores, self.facts);
        Ok(())
    }
}

/// Something else stands where a result belongs.
pub(super) fn exists(path: &Path, what: &str) -> Failure {
    Failure::usage(format!("{}: holds {what}; nothing was written", path.display()))
        .help("replace it with --force")
}

/// Writes files, each as a whole.
pub(super) fn write(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    files.iter().try_for_each(|(path, bytes)| {
        results::write_file(path, bytes).map_err(|error| Failure::could_not(error.to_string()))
    })
}

/// `result_summary.json` of a folder, in its place or at the top; null when there is none.
pub(super) fn summary(folder: &Path) -> Result<Value, Failure> {
    for place in ["performance/result_summary.json", "result_summary.json"] {
        let path = folder.join(place);
        if let Some(bytes) = read(&path)? {
            return serde_json::from_slice(&bytes).map_err(|error| {
                Failure::could_not(format!("{}: is not JSON", path.display())).because(&error)
            });
        }
    }
    Ok(Value::Null)
}

/// The accuracy file of a folder, in its place or at the top; empty when there is none.
pub(super) fn accuracy_file(folder: &Path) -> Result<(PathBuf, AccuracyResults), Failure> {
    let own = folder.join("accuracy/accuracy_results.json");
    for path in [own.clone(), folder.join("accuracy_results.json")] {
        if let Some(bytes) = read(&path)? {
            let results = AccuracyResults::parse(&bytes).map_err(|error| {
                Failure::could_not(format!("{}: cannot be used", path.display())).because(&error)
            })?;
            return Ok((path, results));
        }
    }
    Ok((own, AccuracyResults::default()))
}

/// A file's bytes; none when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(Failure::could_not(format!("{}: cannot be read", path.display())).because(&error))
        }
    }
}
