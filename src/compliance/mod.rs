//! The compliance checker: judges a submission, a result directory or a run folder.
//!
//! Owns every rule of the official checker under its id, with its severity and exact condition,
//! and rules of our own (`x-…`) for what that one lets pass:
//!
//! ```text
//! path -> context (the tree, read once) -> rules/* (checks, in the official order) -> findings
//!                 document, model                 wording (texts, severities)
//! ```
//!
//! A check reads the context and pushes findings; it fails on nothing and prints nothing. Files
//! are read bounded and never through a link out of the tree; event logs are streamed (`log`).
//! The author's own rules (`compliance.checks` of a scenario) are evaluated over the same files.
//! Uses `ruleset`, `scenario`, `yaml` and `diagnostics`, and for logs what made them: `events`, `metrics`,
//! `prompt`, `plan` and `replay`.

mod audit;
mod checks;
mod context;
mod document;
mod finding;
mod locate;
mod log;
mod model;
mod official;
mod power;
mod provision;
mod registry;
mod rule;
mod rules;
mod tables;
mod view;
mod wording;

pub use audit::{Given, Report, audit, audit_with};
pub use checks::judge_checks;
pub use context::Kind;
pub use finding::Finding;
pub use log::Workload;
pub use official::official_json;
pub use provision::{FieldFault, Power, PowerSums, description_faults};
pub use registry::Registries;
pub use rule::{Message, Rule, Scope};
pub use tables::EXEMPT_FIELDS;
