//! `datasets`: the recorded trajectories.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One data set file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// The name by which `mix.take` and the reports call it.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Flat JSON Lines, plain or compressed (`.gz`, `.zst`), relative to this file.
    pub path: PathBuf,
    /// SHA-256 of the file as stored, 64 hexadecimal digits; a file with another digest is
    /// refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[0-9a-fA-F]{64}$"))]
    pub sha256: Option<String>,
}
