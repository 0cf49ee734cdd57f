//! Accuracy of a run: the benchmark's gates, measured and judged.
//!
//! Owns the inline scorer (recorded turns against the replies of the performance run). Recorded
//! trajectories and events in; scores, the files that a submission needs, and verdicts as data
//! out. Uses `dataset` (ground truth), `events` and `wire` (replies).

mod actions;
mod arguments;
mod intent;
mod python;
mod quotes;
mod work;

pub use actions::Action;
