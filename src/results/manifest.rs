//! The journal of a run.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::error::ResultsError;
use super::time::rfc3339;
use super::{atomic, run_dir::MANIFEST_FILE};

/// The version of the manifest's format.
const FORMAT: u32 = 1;

/// What manifest.json holds. It is rewritten whole at every change of state, so that it tells at
/// any moment, after a crash too, which points are done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this format.
    pub format: u32,
    /// What made the run.
    pub tool: ToolEntry,
    /// Another client that measured the points; none where this program did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_by: Option<String>,
    /// Which scenario.
    pub scenario: ScenarioEntry,
    /// Which data sets, in the scenario's order.
    pub datasets: Vec<DatasetEntry>,
    /// Whether the endpoint was the simulated one; then nothing here measures a real system.
    pub simulated: bool,
    /// Facts of the client machine, as they were gathered.
    pub host: serde_json::Value,
    /// The state of the run as a whole.
    pub state: PointState,
    /// When the run began (RFC 3339).
    pub started_at: String,
    /// When it ended; none while it runs.
    pub finished_at: Option<String>,
    /// Every planned point, in the order of the sweep.
    pub points: Vec<PointEntry>,
}

/// What made the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolEntry {
    /// `scenario`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit that it was built from, where known.
    pub commit: Option<String>,
}

/// Which scenario was run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioEntry {
    /// `name` of the file.
    pub name: String,
    /// SHA-256 of the resolved document.
    pub digest: String,
}

/// One data set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetEntry {
    /// `name` in the scenario.
    pub name: String,
    /// The file.
    pub path: String,
    /// SHA-256 of the file as stored.
    pub sha256: String,
    /// Uncompressed length in bytes.
    pub bytes: u64,
    /// Trajectories in the file.
    pub trajectories: u64,
    /// Client turns in the file.
    pub client_turns: u64,
}

/// How far a point, or a run, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PointState {
    /// Not begun.
    Planned,
    /// Begun; if no process works on it, it was killed.
    Running,
    /// Replayed to its end. Turns may have failed: see the counts.
    Complete,
    /// Stopped by the user; its run folder says so.
    Interrupted,
    /// Ended by an error, or it broke its own checks.
    Failed,
}

impl PointState {
    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }

    /// Whether a resumed run must run the point (again).
    pub fn is_unfinished(self) -> bool {
        self != Self::Complete
    }
}

/// One point of the sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PointEntry {
    /// Conversations active at once.
    pub concurrency: u32,
    /// The region of the ruleset that the point lies in, where there is one.
    pub region: Option<String>,
    /// How far it is.
    pub state: PointState,
    /// Its run folder, relative to the manifest; none before it is complete or interrupted.
    pub folder: Option<String>,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// Turns issued, completed and failed, tail included.
    pub turns: Option<crate::metrics::Counters>,
    /// Planned turns that were not issued.
    pub skipped: Option<u64>,
    /// Violations that the self-check found.
    pub violations: Option<u64>,
    /// Why it failed, where it did.
    pub error: Option<String>,
    /// Why accuracy that the scenario asks for was not measured, where that is so. The performance
    /// of the point is none the worse for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_missing: Option<String>,
}

impl PointEntry {
    /// A point that has not begun.
    pub fn planned(concurrency: u32, region: Option<String>) -> Self {
        Self {
            concurrency,
            region,
            state: PointState::Planned,
            folder: None,
            started_at: None,
            finished_at: None,
            turns: None,
            skipped: None,
            violations: None,
            error: None,
            accuracy_missing: None,
        }
    }
}

impl Manifest {
    /// The manifest of a run that is about to begin.
    pub fn new(
        tool: ToolEntry,
        scenario: ScenarioEntry,
        datasets: Vec<DatasetEntry>,
        points: Vec<PointEntry>,
        started_at: SystemTime,
    ) -> Self {
        Self {
            format: FORMAT,
            tool,
            measured_by: None,
            scenario,
            datasets,
            simulated: false,
            host: serde_json::Value::Null,
            state: PointState::Running,
            started_at: rfc3339(started_at),
            finished_at: None,
            points,
        }
    }

    /// Reads the manifest of a result directory.
    pub fn read(directory: &Path) -> Result<Self, ResultsError> {
        let path = directory.join(MANIFEST_FILE);
        let text = std::fs::read(&path).map_err(ResultsError::read(&path))?;
        let broken = |reason| ResultsError::Manifest { path: path.clone(), reason };
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        if manifest.format == FORMAT {
            Ok(manifest)
        } else {
            Err(broken(format!("format {}, expected {FORMAT}", manifest.format)))
        }
    }

    /// Rewrites manifest.json in `directory`.
    pub(super) fn write(&self, directory: &Path) -> Result<(), ResultsError> {
        atomic::write(&directory.join(MANIFEST_FILE), &pretty(self))
    }

    /// The points that a resumed run has to run, in order.
    pub fn unfinished(&self) -> impl Iterator<Item = &PointEntry> {
        self.points.iter().filter(|point| point.state.is_unfinished())
    }

    pub(super) fn point_mut(
        &mut self,
        directory: &Path,
        concurrency: u32,
    ) -> Result<&mut PointEntry, ResultsError> {
        let missing = || ResultsError::NoSuchPoint { path: PathBuf::from(directory), concurrency };
        self.points.iter_mut().find(|point| point.concurrency == concurrency).ok_or_else(missing)
    }
}

/// JSON with two blanks of indent and a final newline, as every small file here is written.
pub(super) fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut bytes =
        serde_json::to_vec_pretty(value).expect("our own types have only text keys and no errors");
    bytes.push(b'\n');
    bytes
}
