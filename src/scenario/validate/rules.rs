//! What the ruleset says about load, cache, mix and sweep.

use std::cmp::Ordering;

use crate::ruleset::{Region, Regions, Ruleset};

use super::super::model::{Cache, Load, Mix, Tail, ToolDelays};
use super::context::{Context, and_list};

/// Checks the scenario against its ruleset.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(ruleset) = context.ruleset else { return };
    if let Some(cache) = &context.scenario.cache {
        salt(context, *cache);
    }
    if let Some(mix) = &context.scenario.mix {
        passes(context, mix);
    }
    if let Some(load) = &context.scenario.load {
        delays(context, load);
        tail(context, load);
        points(context, load, ruleset);
        regions(context, &load.concurrency.points(), ruleset);
    }
    if context.scenario.endpoint.as_ref().is_some_and(|endpoint| endpoint.simulated.is_some()) {
        // No error in a submission, either: rehearsing one needs no hardware, and what comes of it
        // is labelled and refused by the audit.
        context
            .warning(
                &["endpoint", "simulated"],
                "ruleset-simulated",
                "a simulated endpoint gives no benchmark results".to_owned(),
            )
            .help("name a server with `urls`, or leave out `compliance.ruleset`");
    }
}

/// Salt is on.
fn salt(context: &mut Context<'_>, cache: Cache) {
    if !cache.salt {
        context
            .breach(
                &["cache", "salt"],
                "ruleset-salt",
                "the rules require salted prompts".to_owned(),
            )
            .help("write `salt: true`");
    }
}

/// Passes are whole.
fn passes(context: &mut Context<'_>, mix: &Mix) {
    if mix.trajectories.is_some() {
        context
            .breach(
                &["mix", "trajectories"],
                "ruleset-passes",
                "the rules require whole passes over the data set".to_owned(),
            )
            .help("use `passes` in place of `trajectories`");
    }
    if !mix.weights.is_empty() {
        context
            .breach(
                &["mix", "weights"],
                "ruleset-weights",
                "the rules require every trajectory equally often".to_owned(),
            )
            .help("remove `weights`");
    }
    for name in mix.take.keys() {
        let covered = context.scenario.datasets.iter().flatten().any(|set| set.name == *name);
        if covered && mix.take[name] == 0 {
            context
                .breach(
                    &["mix", "take", name],
                    "ruleset-passes",
                    format!("the rules require the whole data set; `{name}` is left out"),
                )
                .help("remove it from `take`");
        }
    }
}

/// Recorded delays are waited out.
fn delays(context: &mut Context<'_>, load: &Load) {
    if load.tool_delays != ToolDelays::Recorded {
        context
            .breach(
                &["load", "tool_delays"],
                "ruleset-delays",
                "the rules require think and tool times as recorded".to_owned(),
            )
            .help("write `tool_delays: recorded`");
    }
}

/// The tail is replayed.
fn tail(context: &mut Context<'_>, load: &Load) {
    if load.tail != Tail::Drain {
        context
            .breach(
                &["load", "tail"],
                "ruleset-tail",
                "the rules require all turns, after the performance window too".to_owned(),
            )
            .help("write `tail: drain`");
    }
}

/// There are enough points, and not too many.
fn points(context: &mut Context<'_>, load: &Load, ruleset: &Ruleset) {
    let (count, allowed) = (load.concurrency.points().len(), ruleset.points);
    if count < allowed.min || count > allowed.max {
        context
            .breach(
                &["load", "concurrency"],
                "ruleset-points",
                format!("a curve has {} to {} points, the sweep {count}", allowed.min, allowed.max),
            )
            .help(if count < allowed.min { "add points" } else { "remove points" });
    }
}

/// The regions of the curve: up to what the system description says, or else to the end of the
/// sweep.
pub(super) fn regions_of(
    context: &Context<'_>,
    points: &[u32],
    ruleset: &Ruleset,
) -> Option<Regions> {
    let stated = |key| context.scenario.statements.system_number(key);
    let lowest = stated("c_min_override").or_else(|| points.iter().min().copied())?;
    let highest = stated("max_supported_concurrency").or_else(|| points.iter().max().copied())?;
    ruleset.regions(lowest, highest)
}

/// Every region has a point, and every point a region.
fn regions(context: &mut Context<'_>, points: &[u32], ruleset: &Ruleset) {
    let Some(&highest) = points.iter().max() else { return };
    let at = ["load", "concurrency"];
    let Some(regions) = regions_of(context, points, ruleset) else {
        let floor = ruleset.ultra_low_max;
        let message = format!("the curve does not reach above a concurrency of {floor}");
        context.breach(&at, "ruleset-regions", message).help("add higher concurrencies");
        return;
    };
    let c_max = regions.c_max;
    if highest > c_max {
        let message = format!(
            "the sweep reaches {highest}, but the system description says that {c_max} is the most"
        );
        context
            .breach(&at, "ruleset-regions", message)
            .also(&["submission", "system"], "`max_supported_concurrency` is stated here")
            .help("lower the sweep, or correct the system description");
    }
    for region in [Region::UltraLow, Region::Low, Region::Med, Region::High] {
        if points.iter().any(|point| regions.covers(*point, region)) {
            continue;
        }
        let (low, high) = regions.bounds(region);
        let help = match low.cmp(&high) {
            Ordering::Greater => {
                "the curve is too short for this region: start lower or end higher".to_owned()
            }
            Ordering::Equal => format!("add the concurrency {low}"),
            Ordering::Less => format!("add a concurrency from {low} to {high}"),
        };
        context
            .breach(&at, "ruleset-regions", format!("no point lies in the region {region}"))
            .note(format!("the sweep is {}", and_list(points)))
            .help(help);
    }
}
