//! Checks of meaning: what a schema cannot say. One file per subject; each check adds findings
//! and stops at nothing, so that all of them are reported together.

mod accuracy;
mod check;
mod checks;
mod codes;
mod context;
mod data;
mod datasets;
mod endpoint;
mod files;
mod model;
mod rules;
mod statements;
mod submission;
mod sweep;

pub(super) use check::validate;
pub use codes::CODES;
