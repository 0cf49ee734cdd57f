//! The checks, one file a family. A check reads the context and pushes what it finds.

pub(super) mod accuracy;
pub(super) mod accuracy_files;
pub(super) mod config;
pub(super) mod curve;
pub(super) mod disclosure;
pub(super) mod drafters;
pub(super) mod engagement;
pub(super) mod files;
pub(super) mod log;
pub(super) mod metrics;
pub(super) mod names;
pub(super) mod own;
pub(super) mod placement;
pub(super) mod power;
pub(super) mod regions;
pub(super) mod seeds;
pub(super) mod single_turn;
pub(super) mod steady;
pub(super) mod submission;
pub(super) mod system_description;
pub(super) mod utilization;
