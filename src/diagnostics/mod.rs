//! Findings about a user's input, as data.
//!
//! Owns [`Diagnostic`] and what it is made of, the texts that findings point into
//! ([`SourceMap`]), and the renderers that turn a list of findings into text for people, JSON,
//! GitHub annotations or SARIF. Uses nothing else of the crate. A finding is a value: making one
//! never fails and never prints.

mod model;
mod position;
mod render;
mod source;

pub use model::{Diagnostic, Label, Place, Severity};
pub use position::{Position, Region};
pub use render::{Counts, render_github, render_human, render_json, render_sarif};
pub use source::SourceMap;
