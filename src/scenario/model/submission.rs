//! `submission`: what a submission states beside the results.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a submission states beside the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// JSON file with the system's power description, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PathBuf>,
    /// Directory that becomes `src/<name>`, with a README, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<PathBuf>,
    /// Directory that becomes `docs`, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<PathBuf>,
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
