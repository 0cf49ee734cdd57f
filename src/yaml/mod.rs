//! YAML with positions.
//!
//! Owns the way from a file to a located tree, in which every key and value knows the file and
//! the bytes that it came from, and from a JSON schema's verdict on that tree to findings at those
//! places:
//!
//! ```text
//! path -> read (bounded, UTF-8) -> parse (hazards become findings) -> Node
//!                                              Node + JSON schema  -> findings
//! ```
//!
//! Uses `diagnostics` and `units`. The only user of the YAML parser and of the schema validator.

mod convert;
mod error;
mod explain;
mod known;
mod loose;
mod merge;
mod node;
mod parse;
mod pointer;
mod read;
mod schema;
mod suggest;
mod violation;

pub use error::{CODES as SYNTAX_CODES, empty};
pub use merge::merge;
pub use node::{Entry, Kind, Node, Origin};
pub use parse::{Parsed, parse};
pub use pointer::Pointer;
pub use read::{MAX_BYTES, read};
pub use schema::{Schema, SchemaError, SchemaFinding};
pub use suggest::nearest;
pub use violation::CODES as SCHEMA_CODES;
