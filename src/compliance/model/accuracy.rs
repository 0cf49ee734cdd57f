//! `accuracy_results.json`.

use super::super::document::{Map, Problem, Value};

/// The data set type of the entry that the client scores on the performance run itself.
const PERFORMANCE: &str = "performance";
/// Keys of an entry without `score` that are no metrics.
const NO_METRICS: [&str; 13] = [
    "dataset_name",
    "num_samples",
    "status",
    "extractor",
    "ground_truth_column",
    "n_repeats",
    "complete",
    "unit_samples",
    "total_samples",
    "num_repeats",
    "duration_s",
    "dataset_type",
    "response_counts",
];

/// Scores by data set, in the order written.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Accuracy {
    entries: Vec<(String, Map)>,
}

impl Accuracy {
    /// Reads a document's value in any of its four shapes.
    pub(in crate::compliance) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        let one = |key, found: String| vec![Problem { at: String::new(), key, found }];
        let mut scores = value;
        if let Some(inner) = value.as_map().and_then(|map| map.get("accuracy_scores")) {
            if !matches!(inner, Value::Map(_) | Value::List(_)) {
                return Err(one("scores-not-collection", inner.show()));
            }
            scores = inner;
        }
        let entries = match scores {
            Value::List(items) => {
                let mut entries: Vec<(String, Map)> = Vec::new();
                for item in items {
                    let (name, entry) =
                        native(item, &entries).map_err(|(key, found)| one(key, found))?;
                    entries.push((name, entry));
                }
                entries
            }
            Value::Map(map) => {
                let no_map = |(name, value): (&str, &Value)| {
                    let at = name.to_owned();
                    (!matches!(value, Value::Map(_))).then(|| Problem {
                        at,
                        key: "dict_type",
                        found: value.show(),
                    })
                };
                let problems: Vec<Problem> = map.iter().filter_map(no_map).collect();
                if !problems.is_empty() {
                    return Err(problems);
                }
                let entry = |(name, value): (&str, &Value)| {
                    value.as_map().map(|entry| (name.to_owned(), entry.clone()))
                };
                map.iter().filter_map(entry).collect()
            }
            other => return Err(one("dict_type", other.show())),
        };
        let inline = entries.iter().filter(|(_, entry)| is_inline(entry));
        let inline: Vec<&str> = inline.map(|(name, _)| name.as_str()).collect();
        if inline.len() > 1 {
            return Err(one("performance-duplicate", inline.join(", ")));
        }
        Ok(Self { entries })
    }

    /// Whether there is no entry at all.
    pub(in crate::compliance) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Name and entry of every data set.
    pub(in crate::compliance) fn entries(&self) -> &[(String, Map)] {
        &self.entries
    }

    /// The data set that the client scored on the performance run.
    pub(in crate::compliance) fn inline(&self) -> Option<&str> {
        let typed = self.entries.iter().find(|(_, entry)| is_inline(entry));
        let untyped =
            |(name, entry): &&(String, Map)| name == PERFORMANCE && !entry.has("dataset_type");
        let found = typed.or_else(|| self.entries.iter().find(untyped));
        found.map(|(name, _)| name.as_str())
    }

    /// The data sets with an accuracy run of their own.
    pub(in crate::compliance) fn runs(&self) -> Vec<&str> {
        let inline = self.inline();
        let names = self.entries.iter().map(|(name, _)| name.as_str());
        names.filter(|name| Some(*name) != inline).collect()
    }

    /// The numeric metrics of a data set, in the order written; an unnamed one is called `score`.
    pub(in crate::compliance) fn metrics(&self, dataset: &str) -> Vec<(String, f64)> {
        let Some((_, entry)) = self.entries.iter().find(|(name, _)| name == dataset) else {
            return Vec::new();
        };
        let number =
            |(key, value): (&str, &Value)| value.to_float().map(|value| (key.to_owned(), value));
        match entry.given("score") {
            Some(Value::Map(scores)) => scores.iter().filter_map(number).collect(),
            Some(score) => number(("score", score)).into_iter().collect(),
            None => {
                let metrics = entry.iter().filter(|(key, _)| !NO_METRICS.contains(key));
                metrics.filter_map(number).collect()
            }
        }
    }

    /// The one number of a data set: `score`, else the first metric.
    pub(in crate::compliance) fn score(&self, dataset: &str) -> Option<f64> {
        let metrics = self.metrics(dataset);
        let named = metrics.iter().find(|(name, _)| name == "score");
        named.or(metrics.first()).map(|(_, value)| *value)
    }
}

fn is_inline(entry: &Map) -> bool {
    entry.get("dataset_type").and_then(Value::as_text) == Some(PERFORMANCE)
}

/// An entry of a native list, under the names that the gates use.
fn native(item: &Value, known: &[(String, Map)]) -> Result<(String, Map), (&'static str, String)> {
    let Value::Map(entry) = item else { return Err(("entry-not-mapping", item.show())) };
    let name = entry.get("dataset_name").and_then(Value::as_text);
    let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
        let found = entry.get("dataset_name").map_or_else(|| "nothing".to_owned(), Value::show);
        return Err(("entry-unnamed", found));
    };
    if known.iter().any(|(other, _)| other == name) {
        return Err(("dataset-duplicate", name.to_owned()));
    }
    if !entry.has("score") {
        return Err(("score-missing", name.to_owned()));
    }
    let mut normal = entry.clone();
    for (own, common) in [("unit_samples", "num_samples"), ("num_repeats", "n_repeats")] {
        let Some(value) = entry.get(own) else { continue };
        if entry.get(common).is_some_and(|other| !other.equals(value)) {
            return Err(("alias-conflict", format!("{own} and {common} of {name}")));
        }
        normal.set(common, value.clone());
    }
    Ok((name.to_owned(), normal))
}
