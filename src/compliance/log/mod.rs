//! What an event log proves about how a point was replayed.
//!
//! Owns one pass over an events.jsonl, ours or the reference client's, and the watchers that follow
//! it, one file a subject:
//!
//! ```text
//! events.jsonl -> read -> sessions (who is where) -> salt, order, window, cache, … -> faults
//! ```
//!
//! The log is streamed: what is kept is a few words for each turn and each trajectory, never a
//! text. Faults name the line. Whoever has the workload (the scenario's prompts in plan order) can
//! hold delays and bodies against it, too. Uses `events`, `metrics`, `prompt`, `plan`, `replay`.

mod cache;
mod counts;
mod delays;
mod digest;
mod evidence;
mod order;
mod passes;
mod read;
mod salt;
mod sessions;
mod window;
mod workload;

pub(super) use digest::Mix;
pub(super) use evidence::Fault;
pub(super) use read::{Expected, read};
pub use workload::Workload;
