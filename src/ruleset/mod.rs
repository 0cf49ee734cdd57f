//! Benchmark rules as data.
//!
//! Owns the rulesets that a scenario can name: the models with their sampling, thresholds and
//! checkpoints, the regions of a curve, minimum durations, seed sets, cohorts and drafters, power
//! defaults, and the single-turn benchmarks of the same submission. The numbers
//! stand in one JSON file per ruleset beside this one, and a scenario may name a file of its own; the
//! code only reads and computes. Uses nothing else of the crate.

mod bands;
mod cohort;
mod file;
mod model;
mod names;
mod power;
mod regions;
mod single_turn;

pub use bands::{BANDS, BandMatch};
pub use cohort::{Cohort, ParseCohortError};
pub use file::RulesetError;
pub use model::{
    AccuracyRuns, Checkpoint, DatasetFacts, MinDuration, ModelRules, OutputLength, PointCount,
    ReferenceScores, Ruleset, SeedSet, Thresholds,
};
pub use power::{PowerDefaults, Watts};
pub use regions::{Region, Regions};
pub use single_turn::{Bound, Metric, OtherDrafter, SingleTurnModel, SingleTurnRules};
