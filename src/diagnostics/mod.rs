//! Findings about a user's input, as data.
//!
//! Owns [`Diagnostic`] and what it is made of, and the renderers that turn a list of them into
//! text for people, JSON, GitHub annotations or SARIF. Uses nothing else of the crate. A finding
//! is a value: making one never fails and never prints.

mod model;
mod source;

pub use model::{Diagnostic, Label, Place, Severity};
pub use source::SourceMap;
