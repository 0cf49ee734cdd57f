//! Accuracy against what the reference client recorded, and its edges.

mod golden;
mod own_rules;
mod score;
mod service;
mod stand_in;
