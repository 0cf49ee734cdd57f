//! Accuracy against what the reference client recorded, and its edges.

mod golden;
mod memory;
mod official;
mod own_rules;
mod resume;
mod rig;
mod run;
mod score;
mod service;
mod stand_in;
