//! One point of two runs: the performance run, and an accuracy run at the same concurrency.

use super::error::SubmissionError;
use super::run::{Run, RunKind};
use crate::accuracy::AccuracyResults;

/// A point of the tree.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Where its files come from.
    pub(super) run: Run,
    /// What brings the accuracy results, where another run does.
    accuracy: Option<Run>,
}

impl Point {
    /// A point of one run.
    pub(super) fn new(run: Run) -> Self {
        Self { run, accuracy: None }
    }

    /// Adds a run at the same concurrency: there is one performance and one accuracy run.
    pub(super) fn add(&mut self, other: Run) -> Result<(), SubmissionError> {
        let twice = |first: &Run, what: &str| {
            Err(SubmissionError::Twice {
                first: first.folder.clone(),
                second: other.folder.clone(),
                what: format!("{what} at concurrency {}", first.concurrency),
            })
        };
        match (self.run.kind, other.kind, &self.accuracy) {
            (RunKind::Performance, RunKind::Accuracy, None) => self.accuracy = Some(other),
            (RunKind::Accuracy, RunKind::Performance, None) => {
                self.accuracy = Some(std::mem::replace(&mut self.run, other));
            }
            (_, RunKind::Performance, _) => return twice(&self.run, "the performance run"),
            (_, RunKind::Accuracy, known) => {
                return twice(known.as_ref().unwrap_or(&self.run), "the accuracy run");
            }
        }
        Ok(())
    }

    /// The runs.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        [&self.run].into_iter().chain(&self.accuracy)
    }

    /// `accuracy_results.json` of the point: the accuracy run's, with the performance run's inline
    /// entry where that has none.
    pub(super) fn accuracy_results(&self) -> Option<AccuracyResults> {
        let own = self.run.accuracy.as_ref().map(|(_, results)| results);
        let other = self.accuracy.as_ref().and_then(|run| run.accuracy.as_ref());
        match (own, other.map(|(_, results)| results)) {
            (own, None) => own.cloned(),
            (None, Some(other)) => Some(other.clone()),
            (Some(own), Some(other)) => {
                let mut merged = other.clone();
                merged.adopt_inline(own);
                Some(merged)
            }
        }
    }
}
