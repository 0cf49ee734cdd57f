//! The reference client: configurations that it accepts, and its report directories.
//!
//! Owns the mapping from a scenario to that client's configuration of one point (and what of a
//! scenario it cannot do, or does otherwise), the one data set file that it replays, and the check
//! of what it leaves. Values in, text and findings out; only `data` and `report` touch files. Uses
//! `scenario`, `plan`, `prompt` (the conversations' ids), `ruleset` (seed sets) and `dataset` (rows
//! as stored).

mod config;
mod data;
mod fit;
mod report;

pub use config::{ClientPoint, ENDPOINT_KEY, SWE_BENCH_TOKEN};
pub use data::{ClientData, DataError};
pub use fit::{Difference, differences, obstacles};
pub use report::{Expected, Report, ReportError};
