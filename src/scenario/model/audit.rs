//! `audit`: what a run measures beside its points, to show that the server plays fair.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run measures beside its points, to show that the server plays fair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Audit {
    /// Whether the server keeps whole replies: a few different trajectories are replayed, then one
    /// of them as often, under a new salt each time. A server that generates every reply is not
    /// faster for it. Absent means no such measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_caching: Option<OutputCaching>,
}

/// Whether the server keeps whole replies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputCaching {
    /// Trajectories of each of the two phases.
    #[schemars(range(min = 2, max = 100_000))]
    pub trajectories: u32,
    /// Conversations active at once, in both phases.
    #[schemars(range(min = 1, max = 100_000))]
    pub concurrency: u32,
    /// By how many percent the repeated trajectory may be faster than in the reference phase.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub threshold_percent: f64,
}

impl Default for OutputCaching {
    fn default() -> Self {
        Self { trajectories: 16, concurrency: 4, threshold_percent: 10.0 }
    }
}

impl Audit {
    /// Whether nothing is measured.
    pub fn is_empty(&self) -> bool {
        self.output_caching.is_none()
    }
}
