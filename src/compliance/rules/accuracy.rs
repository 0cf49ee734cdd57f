//! The accuracy of a curve: one run a region, and the agentic gates.

use std::collections::BTreeMap;

use crate::ruleset::{BANDS, Region, Thresholds};

use super::super::finding::Sink;
use super::super::model::Point;
use super::super::view::{View, listed};

/// The entry that SWE-bench results stand under.
const SWE_BENCH: &str = "swe_bench";
const SWE_BENCH_RULE: &str = "agentic-accuracy-swebench";
const INLINE_RULE: &str = "agentic-accuracy-inline";

/// Points with an accuracy run, lowest first and elected ones last, and which region each stands
/// for.
struct Matched {
    candidates: Vec<(i128, bool)>,
    owners: [Option<usize>; 4],
}

impl Matched {
    fn new(view: &View<'_>) -> Self {
        let with = |is: fn(&Point) -> bool| {
            let points = view.loaded.iter().filter(move |(_, point)| is(point));
            points.map(|(_, point)| point.concurrency).collect::<Vec<_>>()
        };
        let dedicated = with(Point::is_dedicated);
        let elected = with(|point| point.is_offline() && !point.is_dedicated());
        let mut concurrencies = view.concurrencies();
        concurrencies.retain(|c| view.has_accuracy_run(*c) && !dedicated.contains(c));
        concurrencies.sort_unstable();
        concurrencies.dedup();
        let mut candidates: Vec<(i128, bool)> =
            concurrencies.into_iter().map(|c| (c, elected.contains(&c))).collect();
        candidates.sort_by_key(|(_, elected)| *elected);
        let mut matched = Self { candidates, owners: [None; 4] };
        for at in 0..matched.candidates.len() {
            matched.place(view, at, &mut [false; 4]);
        }
        matched
    }

    /// Gives a point a region, moving others where that helps; at most four levels deep, because
    /// each level takes a region of its own.
    fn place(&mut self, view: &View<'_>, at: usize, seen: &mut [bool; 4]) -> bool {
        for (b, band) in BANDS.into_iter().enumerate() {
            if seen[b] || !view.covers(self.candidates[at].0, band) {
                continue;
            }
            seen[b] = true;
            let owner = self.owners[b];
            if owner.is_none_or(|other| self.place(view, other, seen)) {
                self.owners[b] = Some(at);
                return true;
            }
        }
        false
    }

    /// The region that a candidate counts for: its own, else the first that it covers.
    fn band(&self, view: &View<'_>, at: usize) -> Option<Region> {
        let own = self.owners.iter().position(|owner| *owner == Some(at)).map(|b| BANDS[b]);
        own.or_else(|| BANDS.into_iter().find(|band| view.covers(self.candidates[at].0, *band)))
    }
}

/// One accuracy run in each region, none too many, and one at the Offline point.
pub(in super::super) fn coverage(view: &View<'_>, sink: &mut Sink) {
    const RULE: &str = "accuracy-coverage";
    let path = &view.curve.path;
    if view.regions.is_none() || view.curve.points.is_empty() {
        return;
    }
    let matched = Matched::new(view);
    let missing: Vec<&str> = BANDS
        .into_iter()
        .zip(matched.owners)
        .filter(|(_, owner)| owner.is_none())
        .map(|(band, _)| band.name())
        .collect();
    if !missing.is_empty() {
        sink.add(RULE, "missing-bands", path).with("bands", missing.join(", "));
    }
    let extra: Vec<i128> = matched
        .candidates
        .iter()
        .enumerate()
        .filter(|(at, (_, elected))| !elected && !matched.owners.contains(&Some(*at)))
        .map(|(_, (concurrency, _))| *concurrency)
        .collect();
    if !extra.is_empty() {
        let expected = if view.is_agentic() { 4 } else { 5 };
        sink.add(RULE, "extra-results", path)
            .with("listed", listed(extra.iter().copied()))
            .with("expected", expected);
    }
    if missing.is_empty() && extra.is_empty() {
        sink.pass(RULE, path);
    }
    for (_, point) in view.loaded.iter().filter(|(_, point)| point.is_offline()) {
        if view.has_accuracy_run(point.concurrency) {
            sink.pass(RULE, path);
        } else {
            sink.add(RULE, "fail", path).with("concurrency", point.concurrency);
        }
    }
}

/// The thresholds of an agentic curve's model, by the directory's name.
pub(super) fn thresholds(view: &View<'_>) -> Option<Thresholds> {
    view.ruleset.recognise(&view.curve.name)?.thresholds
}

/// The agentic gates.
pub(in super::super) fn agentic(view: &View<'_>, sink: &mut Sink) {
    if !view.is_agentic() {
        return;
    }
    let Some(thresholds) = thresholds(view) else {
        sink.add("agentic-accuracy", "warn", &view.curve.path).with("model", &view.curve.name);
        return;
    };
    inline(view, thresholds, sink);
    swe_bench(view, thresholds, sink);
    output_length(view, thresholds, sink);
}

/// A score in percent; a finding where it is no fraction.
fn percent(
    view: &View<'_>,
    rule: &str,
    concurrency: i128,
    score: f64,
    sink: &mut Sink,
) -> Option<f64> {
    if (0.0..=1.0).contains(&score) {
        return Some(score * 100.0);
    }
    sink.add(rule, "score-not-fraction", &view.curve.path)
        .with("concurrency", concurrency)
        .with("found", score);
    None
}

fn inline(view: &View<'_>, thresholds: Thresholds, sink: &mut Sink) {
    let path = &view.curve.path;
    let mut concurrencies: Vec<i128> =
        view.loaded.iter().map(|(_, point)| point.concurrency).collect();
    concurrencies.sort_unstable();
    concurrencies.dedup();
    let mut missing = Vec::new();
    for concurrency in concurrencies {
        let results = view.accuracy.get(&concurrency);
        let score = results.and_then(|results| results.score(results.inline()?));
        let Some(score) = score else {
            missing.push(concurrency);
            continue;
        };
        let Some(found) = percent(view, INLINE_RULE, concurrency, score, sink) else { continue };
        if found < thresholds.inline_percent {
            sink.add(INLINE_RULE, "fail", path)
                .with("concurrency", concurrency)
                .with("found", found)
                .with("floor", thresholds.inline_percent);
        } else {
            sink.pass(INLINE_RULE, path);
        }
    }
    if !missing.is_empty() {
        sink.add(INLINE_RULE, "missing", path).with("listed", listed(missing));
    }
}

fn swe_bench(view: &View<'_>, thresholds: Thresholds, sink: &mut Sink) {
    let path = &view.curve.path;
    if view.regions.is_none() {
        return;
    }
    let matched = Matched::new(view);
    let mut bands: BTreeMap<Region, Vec<(i128, f64)>> = BTreeMap::new();
    for (at, (concurrency, _)) in matched.candidates.iter().enumerate() {
        let score = view.accuracy.get(concurrency).and_then(|results| results.score(SWE_BENCH));
        let score = score.and_then(|s| percent(view, SWE_BENCH_RULE, *concurrency, s, sink));
        if let (Some(score), Some(band)) = (score, matched.band(view, at)) {
            bands.entry(band).or_default().push((*concurrency, score));
        }
    }
    if bands.is_empty() {
        sink.add(SWE_BENCH_RULE, "warn", path);
        return;
    }
    for (band, results) in bands.iter().filter(|(_, results)| results.len() > 1) {
        sink.add(SWE_BENCH_RULE, "warn-2", path)
            .with("listed", listed(results.iter().map(|(concurrency, _)| *concurrency)))
            .with("region", band.name());
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count(values.len());
    let scores: Vec<f64> = bands
        .values()
        .map(|results| mean(&results.iter().map(|(_, score)| *score).collect::<Vec<_>>()))
        .collect();
    let found = mean(&scores);
    let key = if found < thresholds.swe_bench_percent {
        "fail"
    } else if scores.len() < BANDS.len() {
        "warn-3"
    } else {
        "pass"
    };
    sink.add(SWE_BENCH_RULE, key, path)
        .with("regions", scores.len())
        .with("found", found)
        .with("floor", thresholds.swe_bench_percent);
}

fn output_length(view: &View<'_>, thresholds: Thresholds, sink: &mut Sink) {
    const RULE: &str = "agentic-osl-range";
    let path = &view.curve.path;
    let (low, high) = (thresholds.output_length.min, thresholds.output_length.max);
    let mut missing = Vec::new();
    for (point, summary) in &view.measured {
        let Some(found) = summary.full_run_output_length() else {
            missing.push(point.concurrency);
            continue;
        };
        if (low..=high).contains(&found) {
            sink.pass(RULE, path);
        } else {
            sink.add(RULE, "fail", path)
                .with("found", found)
                .with("concurrency", point.concurrency)
                .with("low", low)
                .with("high", high);
        }
    }
    if !missing.is_empty() {
        missing.sort_unstable();
        sink.add(RULE, "warn", path).with("listed", listed(missing));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful of results")]
fn count(n: usize) -> f64 {
    n as f64
}
