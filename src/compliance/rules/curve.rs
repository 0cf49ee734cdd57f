//! A curve's points together: how many, which regions they cover, and the Offline result.

use crate::ruleset::Region;

use super::super::finding::Sink;
use super::super::model::{ELECTED, Point};
use super::super::view::{View, listed};
use super::names::distinct;

/// The share of the throughput at `C_max` that an Offline run must reach.
const OFFLINE_SHARE: f64 = 0.98;

/// One load pattern.
pub(in super::super) fn benchmark_type(view: &View<'_>, sink: &mut Sink) {
    let mut patterns: Vec<&str> = view.voters().map(|point| point.load_pattern.as_str()).collect();
    patterns.sort_unstable();
    patterns.dedup();
    distinct("benchmark-type-consistency", &patterns, view, sink);
}

/// Enough points and not too many.
pub(in super::super) fn count(view: &View<'_>, sink: &mut Sink) {
    let path = &view.curve.path;
    let (found, bounds) = (view.count(), view.ruleset.points);
    let dedicated = view.loaded.iter().any(|(_, point)| point.is_dedicated());
    let minimum = bounds.min + usize::from(dedicated && !view.is_agentic());
    if found < minimum {
        sink.add("point-count", "fail", path).with("found", found).with("minimum", minimum);
    } else {
        sink.pass("point-count", path);
    }
    if found > bounds.max {
        sink.add("point-cap", "fail", path).with("found", found).with("maximum", bounds.max);
    }
}

/// The points that declare to be the Offline result.
fn offline<'a>(view: &View<'a>) -> Vec<&'a Point> {
    view.loaded.iter().map(|(_, point)| *point).filter(|point| point.is_offline()).collect()
}

/// None on an agentic curve, exactly one on any other.
pub(in super::super) fn offline_present(view: &View<'_>, sink: &mut Sink) {
    const RULE: &str = "offline-point-present";
    let path = &view.curve.path;
    let points = offline(view);
    let names = listed(points.iter().map(|point| point.concurrency));
    match (view.is_agentic(), points.as_slice()) {
        (true, []) => sink.pass(RULE, path),
        (true, _) => {
            sink.add(RULE, "fail-3", path).with("listed", names);
        }
        (false, []) => {
            sink.add(RULE, "fail-2", path);
        }
        (false, [point]) => {
            let elected = point.offline.as_deref() == Some(ELECTED);
            match view.c_max.filter(|c_max| elected && *c_max != point.concurrency) {
                None => sink.pass(RULE, path),
                Some(c_max) => {
                    sink.add(RULE, "fail-4", path)
                        .with("found", point.concurrency)
                        .with("c_max", c_max);
                }
            }
        }
        (false, _) => {
            sink.add(RULE, "fail", path).with("listed", names);
        }
    }
}

/// A dedicated Offline run is no worse than the point at `C_max`.
pub(in super::super) fn offline_ordering(view: &View<'_>, sink: &mut Sink) {
    const RULE: &str = "offline-ordering";
    let path = &view.curve.path;
    let dedicated = offline(view).into_iter().find(|point| point.is_dedicated());
    let (Some(point), Some(c_max), false) = (dedicated, view.c_max, view.measured.is_empty())
    else {
        return;
    };
    if point.concurrency < c_max {
        sink.add(RULE, "warn", path).with("found", point.concurrency).with("c_max", c_max);
    }
    // The last of several points at one concurrency counts.
    let tps = |concurrency: i128| {
        let at = view.measured.iter().rev().find(|(point, _)| point.concurrency == concurrency);
        at.map(|(_, summary)| summary.system_tps())
    };
    let (Some(found), Some(at_c_max)) = (tps(point.concurrency), tps(c_max)) else { return };
    let floor = OFFLINE_SHARE * at_c_max;
    if found < floor {
        sink.add(RULE, "warn-2", path).with("found", found).with("floor", floor);
    } else {
        sink.pass(RULE, path);
    }
}

/// Every region has a point.
pub(in super::super) fn coverage(view: &View<'_>, sink: &mut Sink) {
    const ULTRA_LOW: &str = "ultra-low-concurrency-coverage";
    let path = &view.curve.path;
    let concurrencies = view.concurrencies();
    let limit = view.regions.map_or(view.ruleset.ultra_low_max, |regions| regions.ultra_low_max);
    if concurrencies.iter().any(|c| (1..=i128::from(limit)).contains(c)) {
        sink.pass(ULTRA_LOW, path);
    } else {
        let lowest = concurrencies.iter().min().map_or_else(|| "none".to_owned(), i128::to_string);
        sink.add(ULTRA_LOW, "fail", path).with("lowest", lowest).with("limit", limit);
    }
    let Some(regions) = view.regions else { return };
    for (rule, region) in [
        ("low-concurrency-coverage", Region::Low),
        ("med-concurrency-coverage", Region::Med),
        ("high-concurrency-coverage", Region::High),
    ] {
        if concurrencies.iter().any(|c| view.region(*c) == Some(region)) {
            sink.pass(rule, path);
        } else {
            let (from, to) = regions.bounds(region);
            sink.add(rule, "fail", path).with("from", from).with("to", to);
        }
    }
}
