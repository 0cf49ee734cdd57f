//! Synthetic data sets: seeded, the same bytes on every machine, streamed trajectory by trajectory.
//!
//! Owns the profiles (how many trajectories, turns and bytes), the texts (prose, code, diffs,
//! logs, listings, JSON) and the rows. A [`Request`] and a writer in, JSON Lines and a
//! [`Summary`] out; all arithmetic is on integers, so nothing depends on a platform's floats.
//! Memory holds one trajectory. Uses `rng` and `wire` (JSON strings).

mod code;
mod coding;
mod draw;
mod edits;
mod languages;
mod logs;
mod project;
mod prose;
mod rows;
mod set;
mod shape;
mod shell;
mod voice;
mod words;
mod workflow;

pub use set::{Summary, generate};
pub use shape::{Profile, Request, Scale, ScaleError};
