//! `model`: the model under test.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Sampling;

/// The model under test and how it is sampled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Sent as `model` in every request.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The benchmark's canonical model name, such as `qwen3_6-35b-a3b`: selects the ruleset's
    /// sampling and thresholds and names the submission's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Directory with the reference tokenizer (`tokenizer.json` or `tiktoken.model`) and its chat
    /// template, relative to this file. Empty means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<PathBuf>,
    /// Sampling parameters; exactly these are sent.
    #[serde(default)]
    pub sampling: Sampling,
}
