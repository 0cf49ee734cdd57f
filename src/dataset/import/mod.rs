//! Importers: recorded conversations of other tools become a data set.
//!
//! Owns the formats (one file each, which says what it loses), their detection, and the rules that
//! every conversation goes through on its way into rows. Stored bytes in, JSON Lines, a
//! [`Summary`] and diagnostics out; memory holds one conversation. What stands
//! scattered in a file waits on the disk for the file's end.

mod block_trace;
mod claude_code;
mod convert;
mod draft;
mod event_log;
mod format;
mod job;
mod made_up;
mod openai;
mod parts;
mod redact;
mod rows;
mod sharegpt;
mod shelf;
mod spool;
mod swe_agent;
mod values;

pub use convert::{Converter, Options, Summary};
pub use format::Format;
pub use redact::{Kind as RedactedKind, Redacted};
