//! What would run: the points of the sweep and the order of trajectories.
//!
//! Owns pure functions from a checked scenario and the facts of its data sets to a plan. Uses
//! `scenario`, `ruleset` and `rng`; performs no I/O.

mod model;
pub mod order;
mod sequence;

pub use model::{CurveRange, Plan, PointPlan};
pub use sequence::{Assignment, sequence};
