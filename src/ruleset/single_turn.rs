//! The rules of the single-turn benchmarks that may stand in one submission with an agentic one.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::model::{MinDuration, shortest};

/// The rules of single-turn points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleTurnRules {
    /// Shortest durations, by concurrency, in ascending order.
    pub min_durations: Vec<MinDuration>,
    /// Fewest completed queries by data set.
    pub min_queries: BTreeMap<String, u64>,
    /// Approved drafters.
    pub drafters: Vec<OtherDrafter>,
    /// Accuracy thresholds; the first model that fits counts.
    pub models: Vec<SingleTurnModel>,
}

/// An approved drafter of a single-turn benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OtherDrafter {
    /// The benchmark's canonical name.
    pub benchmark: String,
    /// The git commit of its weights.
    pub revision: String,
}

/// Accuracy thresholds of a single-turn model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleTurnModel {
    /// Texts that all stand in the model directory's name, in lower case without punctuation.
    pub fragments: Vec<String>,
    /// What is measured.
    pub metrics: Vec<Metric>,
    /// Fewest samples.
    pub samples: u64,
}

/// A metric with its bounds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Its name, in lower case.
    pub name: String,
    /// The lowest value.
    pub low: Bound,
    /// The highest value, where there is one.
    #[serde(default)]
    pub high: Option<Bound>,
}

/// A bound: a share of what the reference reached.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// What the reference reached.
    pub reference: f64,
    /// The share of it.
    pub share: f64,
}

impl Bound {
    /// The value.
    pub fn value(self) -> f64 {
        self.reference * self.share
    }
}

impl SingleTurnRules {
    /// The shortest duration of a point.
    pub fn min_duration(&self, concurrency: u32) -> Duration {
        shortest(&self.min_durations, concurrency)
    }

    /// The model that a directory's name means.
    pub fn recognise(&self, directory: &str) -> Option<&SingleTurnModel> {
        let plain: String =
            directory.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        self.models.iter().find(|model| model.fragments.iter().all(|part| plain.contains(part)))
    }
}
