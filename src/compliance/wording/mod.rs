//! The words of every rule, apart from the logic: what it says, what it asks for, how to mend it.
//!
//! Severities stand here too, beside the words, as data. Ids and keys are the official checker's.

mod curve;
mod curve_accuracy;
mod log;
mod own;
mod point;
mod point_metrics;
mod shared;
mod submission;
mod system;

use super::rule::{Message, Rule, Scope};
use crate::diagnostics::Severity;

pub(super) use shared::SHARED;

/// Every rule.
pub(super) const TABLES: [&[Rule]; 8] = [
    submission::RULES,
    system::RULES,
    curve::RULES,
    curve_accuracy::RULES,
    point::RULES,
    point_metrics::RULES,
    own::RULES,
    log::RULES,
];
