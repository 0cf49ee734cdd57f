//! The directory that a run leaves.
//!
//! Owns the layout, the manifest (the journal of a run), run folders in the official tool's shape,
//! the calibration of a client machine, and the rule that files appear complete or not at all:
//! single files are written beside their place and renamed, run folders are built under a hidden
//! name and renamed when complete. Uses
//! `events` (the log's writer) and `metrics` (the numbers). Facts of scenario, host and data sets
//! come in as values.

mod atomic;
mod calibration;
mod config;
mod disclosure;
mod error;
mod manifest;
mod point;
mod run_dir;
mod run_folder;
mod snapshot;
mod stored;
mod summary;
mod time;

pub use atomic::write as replace_file;
pub use atomic::write_file;
pub use calibration::{Calibration, Step};
pub use config::{ConfigDataset, ConfigSweBench, RunConfig, ScenarioBlock};
pub use disclosure::{Disclosure, Seeds, WarmupDeclaration};
pub use error::ResultsError;
pub use manifest::{DatasetEntry, Manifest, PointEntry, PointState, ScenarioEntry, ToolEntry};
pub use point::PointDescription;
pub use run_dir::{Adopted, NewRun, RunDir};
pub use run_folder::{EventLog, ExtraFile, Numbers, Outcome, RunFolder};
pub use stored::StoredPoint;
pub use summary::{ResultSummary, RunFacts};
pub use time::rfc3339;
