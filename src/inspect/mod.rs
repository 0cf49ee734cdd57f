//! What a data set demands: how it is spread, what of it a prefix cache may share, what it takes.
//!
//! Owns the [`Survey`] of a data set and its forms for people, programs and browsers. Trajectories go
//! in one at a time; numbers, text, JSON and one self-contained HTML page come out. Token counts are
//! exact with a reference tokenizer and its chat template ([`Meter::exact`]); without one they are
//! estimated, and every form says so. Uses `dataset` (trajectories, statistics), `tokens` (counts),
//! `accuracy` (what can be scored) and `wire`.

mod document;
mod histogram;
mod html;
mod kv;
mod messages;
mod meter;
mod prefix;
mod survey;
mod text;

pub use histogram::{Bin, histogram};
pub use kv::{KvCache, KvFootprint};
pub use meter::{Meter, MeterError};
pub use prefix::{Reuse, Sharing};
pub use survey::{File, Group, Survey};
