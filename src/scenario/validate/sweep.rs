//! `load`: the sweep, and timeouts that leave time for anything.

use super::super::model::{Concurrency, Load};
use super::context::{Context, and_list};

/// Checks the load without a ruleset.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(load) = &context.scenario.load else { return };
    match &load.concurrency {
        Concurrency::List(list) => duplicates(context, list),
        Concurrency::Range(range) if range.from > range.to => {
            context
                .error(
                    &["load", "concurrency", "from"],
                    "sweep-range",
                    format!("the sweep starts at {} and ends at {}", range.from, range.to),
                )
                .also(&["load", "concurrency", "to"], "lower than the start")
                .help("swap the two");
        }
        Concurrency::Range(range) => short_range(context, load, range.points),
    }
    if load.turn_timeout.is_zero() {
        context
            .error(
                &["load", "turn_timeout"],
                "timeout-zero",
                "`load.turn_timeout` is zero, so that every turn fails".to_owned(),
            )
            .help("the reference configurations have 4h");
    }
}

/// Every point occurs once.
fn duplicates(context: &mut Context<'_>, list: &[u32]) {
    for (i, point) in list.iter().enumerate() {
        if let Some(first) = list[..i].iter().position(|other| other == point) {
            context
                .error(
                    &["load", "concurrency", &i.to_string()],
                    "sweep-duplicate",
                    format!("the concurrency {point} occurs twice in the sweep"),
                )
                .label("second")
                .also(&["load", "concurrency", &first.to_string()], "first")
                .help("remove one: each concurrency has one run folder");
        }
    }
}

/// A range whose ends are too near for its points.
fn short_range(context: &mut Context<'_>, load: &Load, wanted: u32) {
    let points = load.concurrency.points();
    if (points.len() as u64) < u64::from(wanted) {
        context
            .warning(
                &["load", "concurrency"],
                "sweep-short",
                format!("the range gives {} points instead of {wanted}", points.len()),
            )
            .note(format!("rounded to whole conversations, they are {}", and_list(&points)))
            .help("ask for fewer points or a wider range");
    }
}
