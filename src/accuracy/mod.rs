//! Accuracy of a run: the benchmark's gates, measured and judged.
//!
//! Owns the inline scorer (recorded turns against the replies of the performance run). Recorded
//! trajectories and events in; scores, the files that a submission needs, and verdicts as data
//! out. Uses `dataset` (ground truth), `events` and `wire` (replies).

mod actions;
mod arguments;
mod calls;
mod ground_truth;
mod inline;
mod intent;
mod output_length;
mod python;
mod python_json;
mod quotes;
mod results_file;
mod scores;
pub mod swe_bench;
mod verdict;
mod work;

pub use actions::Action;
pub use ground_truth::{Domain, GroundTruth, TruthRead, TruthSource};
pub use inline::InlineScorer;
pub use output_length::OutputLength;
pub use results_file::{AccuracyFileError, AccuracyResults, InlineFacts, SweBenchEntry};
pub use scores::{Comparison, DomainScore, ExcludedTurn, InlineScores, TurnCounts, TurnScore};
pub use verdict::{
    AccuracyVerdict, Band, GateOutcome, Judged, PointAccuracy, PointVerdict, Required,
    SweBenchVerdict,
};
