//! The numbers of a replay once more, from its event log alone.
//!
//! Owns two passes over an events.jsonl, ours or the reference client's. The first one
//! ([`LogIndex`]) notes where each turn's lines stand, so that prompts and replies can be counted
//! conversation after conversation with the reference tokenizer ([`count`]), in parallel and
//! without holding the log in memory. The second one ([`recompute`]) feeds the same collectors that
//! a live replay feeds, with the official counts in place of the server's.
//!
//! Prompts come out of the log where it holds them, else out of a [`crate::prompt::Library`] made
//! from the data sets, whose bodies must then be the ones that were sent. Uses `events`, `tokens`,
//! `metrics`, `prompt` and `digest`; writes nothing.

mod count;
mod error;
mod index;
mod prompts;
mod recompute;
mod source;

pub use count::{CountRequest, Counted, count};
pub use error::RecountError;
pub use index::{LogIndex, source_and_pass};
pub use prompts::Prompts;
pub use recompute::{Recomputed, recompute};

#[cfg(test)]
mod tests;
