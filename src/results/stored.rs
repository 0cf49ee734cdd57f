//! What a finished run folder says of its point, to make its numbers again.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::ResultsError;
use super::manifest::PointState;
use super::run_folder::{POINT_YAML, SUMMARY};
use super::summary::RunFacts;
use crate::metrics::SelfCheckReport;

/// A point as its folder describes it: one of ours, or the reference client's report directory.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPoint {
    /// What its numbers belong to. What the folder does not tell is empty or 0.
    pub facts: RunFacts,
    /// Turns that the summary counts as issued, where it tells.
    pub issued: Option<u64>,
    /// Turns of a super-pass, where the summary tells.
    pub super_pass_size: Option<u64>,
    /// The self-check; none in the reference client's directories.
    pub self_check: Option<SelfCheckReport>,
    /// Whether the folder is one of ours, whose numbers can be replaced.
    pub ours: bool,
}

/// The parts of a `result_summary.json` that are no numbers of the replay.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Summary {
    version: String,
    git_sha: Option<String>,
    test_started_at: u64,
    state: Option<PointState>,
    simulated: bool,
    n_samples_issued: Option<u64>,
    client_limited: bool,
    run_config: RunConfig,
    steady_state: Option<Steady>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RunConfig {
    load_pattern: LoadPattern,
    warmup: Warmup,
    scheduler_random_seed: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LoadPattern {
    target_concurrency: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Warmup {
    n_requests: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Steady {
    superpass_size: Option<u64>,
    min_duration_s: Option<f64>,
}

/// The parts of a point.yaml that the summary does not repeat.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Point {
    region: Option<String>,
    model_name: Option<String>,
}

impl StoredPoint {
    /// Reads what the folder of an event log says. Files that are not there say nothing.
    ///
    /// # Errors
    /// When a file is there but cannot be read, or is not what its name says.
    pub fn read(folder: &Path) -> Result<Self, ResultsError> {
        let ours: Option<Summary> = json(&folder.join(SUMMARY))?;
        // Another client's directory may hold a point.yaml of ours, but never a self-check.
        let has = |name: &str| folder.join(name).is_file();
        let is_ours = ours.is_some() && has(POINT_YAML) && has("self_check.json");
        let summary = match ours {
            Some(summary) => Some(summary),
            None => json(&folder.join("result_summary.json"))?,
        };
        let is_known = summary.is_some();
        let summary = summary.unwrap_or_default();
        let point: Point = read(&folder.join(POINT_YAML), |text| {
            serde_yaml::from_str(text).map_err(|error| error.to_string())
        })?
        .unwrap_or_default();
        let steady = summary.steady_state.unwrap_or_default();
        let min_duration = steady.min_duration_s.filter(|&seconds| seconds > 0.0);
        let facts = RunFacts {
            version: summary.version,
            commit: summary.git_sha,
            started_at: UNIX_EPOCH + Duration::from_nanos(summary.test_started_at),
            // A log alone is taken for whole until its end is found missing.
            state: summary.state.filter(|_| is_known).unwrap_or(PointState::Complete),
            simulated: summary.simulated,
            client_limited: summary.client_limited,
            concurrency: summary.run_config.load_pattern.target_concurrency.unwrap_or(0),
            region: point.region,
            min_duration: min_duration.and_then(|s| Duration::try_from_secs_f64(s).ok()),
            benchmark: point.model_name,
            seed: summary.run_config.scheduler_random_seed.unwrap_or(0),
            warmup_requests: summary.run_config.warmup.n_requests.unwrap_or(0),
        };
        Ok(Self {
            facts,
            issued: summary.n_samples_issued,
            super_pass_size: steady.superpass_size.filter(|&size| size > 0),
            self_check: json(&folder.join("self_check.json"))?,
            ours: is_ours,
        })
    }
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ResultsError> {
    read(path, |text| serde_json::from_str(text).map_err(|error| error.to_string()))
}

/// Reads and parses a file; none when it is not there.
fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, ResultsError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(ResultsError::read(path))?,
    };
    let broken = |reason| ResultsError::Unusable { path: path.to_owned(), reason };
    parse(&text).map(Some).map_err(broken)
}
