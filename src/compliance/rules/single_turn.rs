//! The accuracy gates of single-turn models.

use super::super::document::{Map, Value};
use super::super::finding::Sink;
use super::super::model::Accuracy;
use super::super::view::View;
use super::accuracy::thresholds;
use crate::ruleset::{Bound, SingleTurnModel};

const GATE: &str = "accuracy-gate";

/// Gates every point's results, unless the agentic gates do.
pub(in super::super) fn check(view: &View<'_>, sink: &mut Sink) {
    if view.accuracy.is_empty() || (view.is_agentic() && thresholds(view).is_some()) {
        return;
    }
    let Some(model) = view.ruleset.single_turn.recognise(&view.curve.name) else {
        sink.add(GATE, "no-thresholds", &view.curve.path).with("model", &view.curve.name);
        return;
    };
    for results in view.accuracy.values() {
        samples(view, model, results, sink);
        gate(view, model, results, sink);
    }
}

/// Where the findings stand: beside the first results, as officially.
fn place(view: &View<'_>) -> std::path::PathBuf {
    view.accuracy_point.unwrap_or(&view.curve.path).join("results.json")
}

fn samples(view: &View<'_>, model: &SingleTurnModel, results: &Accuracy, sink: &mut Sink) {
    const RULE: &str = "accuracy-sample-count";
    let issued = |entry: &Map| {
        let samples = entry.given("num_samples")?.to_int()?;
        let repeats = match entry.get("n_repeats") {
            Some(value) if value.is_truthy() => value.to_int().unwrap_or(1),
            _ => 1,
        };
        Some(samples.saturating_mul(repeats.max(1)))
    };
    let counts: Vec<i128> = results.entries().iter().filter_map(|(_, e)| issued(e)).collect();
    if counts.is_empty() {
        return;
    }
    let found = counts.iter().fold(0_i128, |sum, n| sum.saturating_add(*n));
    if found < i128::from(model.samples) {
        sink.add(RULE, "fail", &place(view)).with("found", found).with("minimum", model.samples);
    } else {
        sink.pass(RULE, &place(view));
    }
}

fn gate(view: &View<'_>, model: &SingleTurnModel, results: &Accuracy, sink: &mut Sink) {
    let path = place(view);
    let mut means = aggregate(results);
    if let ([(name, score)], [metric]) = (means.as_slice(), model.metrics.as_slice())
        && name == "score"
    {
        sink.add(GATE, "warn-2", &path).with("metric", &metric.name);
        means = vec![(metric.name.clone(), *score)];
    }
    for metric in &model.metrics {
        let (lower, upper) = (metric.low.value(), metric.high.map(Bound::value));
        let found = means.iter().find(|(name, _)| name.to_lowercase() == metric.name);
        let Some((name, score)) = found else { continue };
        let fraction = (0.0..=1.0).contains(score) && lower > 1.0;
        let score = if fraction { score * 100.0 } else { *score };
        let (key, bound) = match upper {
            _ if score < lower => ("fail", lower),
            Some(upper) if score > upper => ("fail-2", upper),
            _ => ("pass", lower),
        };
        sink.add(GATE, key, &path).with("metric", name).with("found", score).with("bound", bound);
    }
}

/// A value with its weight.
type Weighted = (f64, Option<f64>);

/// Every metric's mean over the entries, weighted by samples where all have them.
fn aggregate(results: &Accuracy) -> Vec<(String, f64)> {
    let mut metrics: Vec<(String, Vec<Weighted>)> = Vec::new();
    for (dataset, entry) in results.entries() {
        let weight = entry.given("num_samples").and_then(Value::to_float);
        for (metric, value) in results.metrics(dataset) {
            match metrics.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, values)) => values.push((value, weight)),
                None => metrics.push((metric, vec![(value, weight)])),
            }
        }
    }
    metrics.into_iter().map(|(metric, values)| (metric, mean(&values))).collect()
}

fn mean(values: &[Weighted]) -> f64 {
    let weights: Option<Vec<f64>> = values.iter().map(|(_, weight)| *weight).collect();
    if let Some(weights) = weights {
        let total: f64 = weights.iter().sum();
        if total > 0.0 {
            return values.iter().zip(&weights).map(|((v, _), w)| v * w).sum::<f64>() / total;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of entries")]
    let count = values.len() as f64;
    values.iter().map(|(value, _)| value).sum::<f64>() / count
}
