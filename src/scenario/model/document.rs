//! The whole document, and the sections that hold next to nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Accuracy, Audit, Cache, Compliance, Dataset, Endpoint, Load, Mix, Model, Submission};

/// A scenario: one model behind one endpoint, replayed at every concurrency of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The version of this file format.
    pub schema: SchemaVersion,
    /// Names the scenario and its result directory: letters, digits, `.`, `_` and `-`.
    #[schemars(length(min = 1, max = 100), regex(pattern = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"))]
    pub name: String,
    /// What the scenario is for, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The model under test and how it is sampled.
    pub model: Model,
    /// Where the requests go.
    pub endpoint: Endpoint,
    /// The recorded trajectories, one entry per file.
    #[schemars(length(min = 1, max = 1000))]
    pub datasets: Vec<Dataset>,
    /// How the data sets are mixed into passes.
    #[serde(default)]
    pub mix: Mix,
    /// How the trajectories are replayed.
    pub load: Load,
    /// What a server's prefix cache may and may not reuse.
    #[serde(default)]
    pub cache: Cache,
    /// Which accuracy is measured.
    #[serde(default)]
    pub accuracy: Accuracy,
    /// The rules that the results are held to.
    #[serde(default)]
    pub compliance: Compliance,
    /// What a run measures beside its points, to show that the server plays fair.
    #[serde(default, skip_serializing_if = "Audit::is_empty")]
    pub audit: Audit,
    /// What a submission states beside the results; leave it out when none is planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Submission>,
    /// What the event log holds.
    #[serde(default)]
    pub log: Log,
}

/// The version of the scenario file format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SchemaVersion {
    /// The first version.
    #[default]
    #[serde(rename = "scenario/v1")]
    V1,
}

/// What the event log holds beyond the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Write the whole prompt of every turn into the log, as the reference client does. Off, a
    /// line holds its digest and length, and the log stays small.
    pub prompts: bool,
}
