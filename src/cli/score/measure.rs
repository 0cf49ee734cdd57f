//! The accuracy of one run folder.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::folder::RunPath;
use crate::accuracy::{
    AccuracyResults, GroundTruth, InlineFacts, InlineScorer, InlineScores, OutputLength,
    PointAccuracy,
};
use crate::cli::failure::Failure;
use crate::events::{ReadErrorKind, Reader};
use crate::metrics::Collector;

/// How much of a log is read at once.
const LOG_BUFFER: usize = 256 * 1024;

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

impl Measured {
    /// Reads the events of a run folder once, in constant memory beside a few bytes per turn.
    pub(super) fn of(run: &RunPath, truth: &Arc<GroundTruth>) -> Result<Self, Failure> {
        let log = run.path.join("events.jsonl");
        let broken = |error: &dyn std::error::Error| {
            Failure::could_not(format!("{}: cannot be read", log.display())).because(error)
        };
        let file = File::open(&log).map_err(|error| broken(&error))?;
        let (mut scorer, mut collector) = (InlineScorer::new(Arc::clone(truth)), Collector::new());
        let mut warnings = Vec::new();
        for event in Reader::new(BufReader::with_capacity(LOG_BUFFER, file)) {
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
        let output_length = OutputLength::of_summary(&summary)
            .or_else(|| OutputLength::of_metrics(&collector.finish()));
        let mut facts = scorer.facts();
        let is_complete = summary.get("complete").and_then(Value::as_bool).unwrap_or(true);
        facts.complete &= is_complete;
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
        Ok(Self { run, scores, facts, output_length, results, results_path, simulated, warnings })
    }

    /// The numbers that the gates judge.
    pub(super) fn point(&self) -> PointAccuracy {
        PointAccuracy {
            concurrency: self.run.concurrency,
            inline: self.scores.score,
            output_length: self.output_length.as_ref().map(|length| length.mean),
            swe_bench: self.results.swe_bench_score(),
        }
    }
}

/// `result_summary.json` of a folder, in its place or at the top; null when there is none.
fn summary(folder: &Path) -> Result<Value, Failure> {
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
fn accuracy_file(folder: &Path) -> Result<(PathBuf, AccuracyResults), Failure> {
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
