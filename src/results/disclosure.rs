//! What point.yaml discloses beyond what a replay knows of itself.

use serde::Serialize;
use serde_json::{Map, Value};

/// What a submission states of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Disclosure {
    /// The division.
    pub division: String,
    /// The highest concurrency that the system supports.
    pub max_supported_concurrency: Option<u32>,
    /// The format of the weights with the lowest precision.
    pub model_precision: String,
    /// Where the checkpoint can be had.
    pub link_to_model: String,
    /// What was done to the published checkpoint.
    pub link_to_model_transformation: Option<String>,
    /// Anything else about the model.
    pub model_notes: Option<String>,
    /// The reference client's name of the data set.
    pub dataset: String,
    /// Its name in words.
    pub dataset_name: String,
    /// Where it can be had.
    pub dataset_link: String,
    /// The implementation's directory in the submission, `src/<name>`.
    pub shared_src: String,
    /// The documentation's directory in the submission.
    pub shared_docs: String,
    /// The seed set.
    pub seed_set: String,
    /// Its seeds.
    pub seeds: Seeds,
    /// The cohort that the submission aims at.
    pub target_cohort: String,
    /// Whether an accuracy run belongs to the point, besides the inline score.
    pub accuracy_run: bool,
    /// The drafter; empty for none.
    pub speculative_decoding: Map<String, Value>,
    /// The nodes that the point engages, in the file's shape; none for the whole system.
    pub nodes_used: Option<Value>,
    /// Why fewer replicas run than could, in the file's shape.
    pub dp_shortfall: Option<Value>,
}

/// The seeds of a seed set, as point.yaml names them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Seeds {
    /// Seed of the scheduler.
    pub scheduler_rng_seed: u64,
    /// Seed of the order of the samples.
    pub sample_index_rng_seed: u64,
    /// Seed for the model.
    pub model_seed: u64,
}

/// The warm-up of a point as it was performed; all zeros when none was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WarmupDeclaration {
    /// How long it took, in seconds.
    pub duration_s: f64,
    /// Requests sent.
    pub requests_issued: u64,
    /// Requests answered completely.
    pub requests_completed: u64,
    /// Where the requests' texts came from.
    pub data_source: String,
    /// Requests in flight at once.
    pub concurrency: u64,
    /// What the server did when it started.
    pub initialization_steps: Vec<String>,
    /// Whether there is a log of the requests.
    pub logs_retained: bool,
    /// Where it can be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_logs: Option<String>,
}

impl WarmupDeclaration {
    /// That there was none.
    pub fn none() -> Self {
        Self {
            duration_s: 0.0,
            requests_issued: 0,
            requests_completed: 0,
            data_source: "none; no warm-up was performed".to_owned(),
            concurrency: 0,
            initialization_steps: Vec::new(),
            logs_retained: false,
            link_logs: None,
        }
    }
}

impl Default for WarmupDeclaration {
    fn default() -> Self {
        Self::none()
    }
}
