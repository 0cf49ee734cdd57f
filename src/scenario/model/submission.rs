//! `submission`: what a submission states beside the results.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a submission states beside the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// The submitting organisation; names the submission's directory.
    #[schemars(length(min = 1))]
    pub organisation: String,
    /// The division.
    pub division: Division,
    /// The cohort that the submission aims at: `YYYY-MM-C0` or `YYYY-MM-C1`.
    #[schemars(regex(pattern = r"^[0-9]{4}-(0[1-9]|1[0-2])-C[01]$"))]
    pub target_cohort: String,
    /// The seed set.
    #[schemars(length(min = 1))]
    pub seed_set: String,
    /// YAML or JSON file with the system description, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<PathBuf>,
    /// YAML or JSON file with the system's power description, relative to this file: components
    /// with their sources; what they add up to is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PathBuf>,
    /// Directory that becomes `src/<name>`, with a README, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<PathBuf>,
    /// Directory that becomes `docs`, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<PathBuf>,
    /// Directory that becomes `server_configs` of every point, relative to this file; what is in a
    /// subdirectory `r<N>` goes to that point alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_configs: Option<PathBuf>,
    /// The checkpoint that the endpoint serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Checkpoint>,
    /// What the data set is called in a submission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<DatasetDisclosure>,
    /// The drafter of speculative decoding, as point.yaml states it: `weight_checksum`, or
    /// `target_checksum` with `configuration`, and the rest of the disclosure. Leave it out when
    /// none is used.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub speculative_decoding: Map<String, Value>,
    /// The nodes that every point engages; the whole system unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_used: Vec<NodesUsed>,
    /// What is different at some points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 256))]
    pub points: Vec<PointStatement>,
    /// What was done before the replay, beyond the requests of `load.warmup`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup: Option<WarmupStatement>,
}

/// A submission's division.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Division {
    /// Measured with the reference client under the full rules.
    Standardized,
    /// A service that others operate.
    Serviced,
    /// Research, development or internal.
    #[serde(rename = "RDI")]
    Rdi,
}

impl Division {
    /// The word of the files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standardized => "Standardized",
            Self::Serviced => "Serviced",
            Self::Rdi => "RDI",
        }
    }
}

/// The checkpoint that the endpoint serves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The format of the weights with the lowest precision, such as `FP8`.
    #[schemars(length(min = 1))]
    pub precision: String,
    /// Where the checkpoint can be had.
    #[schemars(length(min = 1))]
    pub link: String,
    /// Where the program or description of a transformation of the published checkpoint is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transformation: Option<String>,
    /// Anything else that a reader must know of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// What the data set is called in a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatasetDisclosure {
    /// The reference client's name of it.
    #[serde(default = "registered_name")]
    #[schemars(length(min = 1))]
    pub id: String,
    /// Its name in words.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Where it can be had.
    #[schemars(length(min = 1))]
    pub link: String,
}

/// The name under which the reference client knows the official data set.
fn registered_name() -> String {
    "agentic_inference_conversations".to_owned()
}

/// Nodes of one kind that a point engages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesUsed {
    /// The kind, as the system description numbers it.
    pub system_node_ensemble_id: u32,
    /// How many.
    #[schemars(range(min = 1))]
    pub nodes: u32,
}

/// What is different at some points. The parallelism and `batch` replace what the system
/// description says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointStatement {
    /// The points.
    #[schemars(length(min = 1, max = 256))]
    pub at: Vec<u32>,
    /// The nodes that they engage, in place of `submission.nodes_used`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes_used: Vec<NodesUsed>,
    /// Tensor parallelism.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tensor_parallel: Option<u32>,
    /// Pipeline parallelism.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline_parallel: Option<u32>,
    /// Expert parallelism.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expert_parallel: Option<u32>,
    /// Replicas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_parallel: Option<u32>,
    /// Whether prefill and decode run on different nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disaggregated: Option<bool>,
    /// The largest batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// The configuration in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 4))]
    pub config_summary: Option<String>,
    /// What a reader must know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_summary_notes: Option<String>,
    /// Why fewer replicas run than the accelerators would carry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dp_shortfall: Option<DpShortfall>,
    /// Whether the drafter is used; it is unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speculative_decoding: Option<bool>,
}

/// Why fewer replicas run than the accelerators would carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DpShortfall {
    /// The replicas that run.
    pub dp_actual: u32,
    /// The replicas that the accelerators would carry.
    pub dp_formula: u32,
    /// Why not all.
    #[schemars(length(min = 1))]
    pub reason: String,
}

/// What was done before the replay, beyond the requests of `load.warmup`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WarmupStatement {
    /// Steps of the server's start, such as `graph capture`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100))]
    pub initialization_steps: Vec<String>,
    /// Where the logs of the warm-up can be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_logs: Option<String>,
}
