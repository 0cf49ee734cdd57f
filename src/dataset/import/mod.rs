//! Importers: recorded conversations of other tools become a data set.
//!
//! Owns the formats (one file each, which says what it loses), their detection, and the rules that
//! every conversation goes through on its way into rows. Stored bytes in, JSON Lines, a
//! [`Summary`] and diagnostics out; memory holds one conversation (of Claude Code: one session).

mod claude_code;
mod convert;
mod draft;
mod format;
mod openai;
mod parts;
mod rows;
mod sharegpt;
mod swe_agent;
mod values;

pub use convert::{Converter, Options, Summary};
pub use format::Format;
