//! Scenario files: from text to a [`ValidScenario`].
//!
//! Owns the model of the file (one type per section), its JSON schema, loading (`extends`,
//! `${VAR}`, relative paths, `--set`) and the three layers of validation, whose findings are
//! reported together. Uses `yaml`, `ruleset`, `dataset` (to check the data sets), `diagnostics`,
//! `digest`, `units` and `simulator` (its faults). Reads files, never the environment: variables
//! come in as a function.

mod compose;
pub mod expression;
mod load;
mod mask;
pub mod model;
mod origins;
mod overrides;
mod partial;
mod paths;
mod schema;
mod secrets;
mod statements;
mod valid;
mod validate;
mod variables;

pub use load::{Depth, LoadRequest, Loaded, load};
pub use origins::{CameFrom, ValueOrigin};
pub use schema::{json_schema, json_schema_text};
pub use statements::Statements;
pub use valid::ValidScenario;
pub use validate::CODES;
