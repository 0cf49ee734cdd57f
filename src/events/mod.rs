//! The contract between a replay and everything after it.
//!
//! Owns the record types of `events.jsonl`, their writer and their reader. Field names and event
//! types are the reference client's, so that its readers work on our logs; what is ours stands
//! under keys that they ignore. Uses `wire` (replies, failures) and `clock` (stamps).

mod format;
mod model;
mod observer;
mod prompt_data;
mod reader;
mod writer;

pub use format::FORMAT_VERSION;
pub use model::{Event, EventKind, PromptFacts, SampleId, SampleMap, SampleSet, TurnKey};
pub use observer::Observer;
pub use reader::{LoggedPrompt, ReadError, ReadErrorKind, Reader};
pub use writer::Writer;

#[cfg(test)]
mod tests;
