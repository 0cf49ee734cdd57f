//! `accuracy`: which accuracy is measured.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{HumanDuration, Secret};

/// Which accuracy is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Accuracy {
    /// Score every point's own replies against the recorded ones.
    pub inline: bool,
    /// Hold the mean output length against the ruleset's range.
    pub output_length: bool,
    /// Run SWE-bench through a service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swe_bench: Option<SweBench>,
}

/// The SWE-bench service and what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweBench {
    /// The service's base URL.
    #[schemars(length(min = 1))]
    pub service: String,
    /// The service's token; appears in no output. Empty means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    /// How many instances of SWE-bench Verified, from its start.
    #[serde(default = "all_instances")]
    #[schemars(range(min = 1, max = 500))]
    pub instances: u32,
    /// The service's template; needed for some models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The points at which it runs: one in each region.
    #[serde(default)]
    #[schemars(length(max = 256))]
    pub at: Vec<u32>,
    /// A file with the instances' ids in the data set's order: one per line, or a JSON list. The
    /// first `instances` of them are run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_ids: Option<PathBuf>,
    /// The endpoint's URL as the service reaches it; the first of `endpoint.urls` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Agents at work at once; the point's concurrency unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub workers: Option<u32>,
    /// Evaluations at work at once.
    #[serde(default = "eval_workers")]
    #[schemars(range(min = 1))]
    pub eval_workers: u32,
    /// Time between two questions about a running job; 10ms at least.
    #[serde(default = "poll")]
    pub poll: HumanDuration,
    /// How long the service may go without a usable answer.
    #[serde(default = "patience")]
    pub patience: HumanDuration,
}

/// A few evaluations at once; each runs a container of its own on the service's host.
fn eval_workers() -> u32 {
    8
}

/// The reference client's.
fn poll() -> HumanDuration {
    HumanDuration::from_secs(5)
}

/// Long enough for the service to be started again.
fn patience() -> HumanDuration {
    HumanDuration::from_secs(600)
}

/// The benchmark's number of instances.
fn all_instances() -> u32 {
    200
}
