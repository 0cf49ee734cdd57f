//! Accuracy of a run: the benchmark's gates, measured and judged.
//!
//! Owns the inline scorer (recorded answers against the replies of the performance run), the mean
//! output length, SWE-bench through its service, `accuracy_results.json`, and the verdict over a
//! curve. Recorded trajectories and events in; scores, files' bytes and verdicts as data out.
//! Everything is pure but `swe_bench`, whose client and job are async. Uses `dataset` (ground
//! truth), `events` and `wire` (replies), `metrics`, `ruleset` (every threshold), `client` and
//! `scenario` (the SWE-bench section).
//!
//! Live and offline take the same steps:
//!
//! ```text
//! once      GroundTruth::read(data sets with mix.take)            -> Arc<GroundTruth>
//!           JobPlan::new(scenario)?.service.ready().await         before any point runs
//! a point   InlineScorer::new(truth), push(&event) per event; facts(), then finish()
//!           scores.to_json()                                      -> scores.json
//!           AccuracyResults: set_inline(&scores, facts)           -> accuracy/accuracy_results.json
//!           OutputLength::of_metrics(&metrics)
//! at `at`   Job { service, request: plan.request(concurrency), state file, … }.run(stop, tell)
//!           Finished::record(&request, &mut results), write the file, then Job::forget()
//! a curve   AccuracyVerdict::new((ruleset, model), sweep, points, required)
//!                                                           -> curve.json, terminal
//! ```
//!
//! `facts().complete` tells only of the events; a caller that knows the plan takes it together
//! with the state of the point.

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
