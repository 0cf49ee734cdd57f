//! `accuracy_results.json`: the accuracy entries of a run folder.

use serde_json::{Map, Value, json};

use super::python::round3;
use super::python_json;
use super::scores::InlineScores;

/// The name of the inline entry, and the type that marks it.
const PERFORMANCE: &str = "performance";
/// The name that the gates look for.
const SWE_BENCH: &str = "swe_bench";
/// The key of the list.
const SCORES: &str = "accuracy_scores";

/// The content of `accuracy_results.json`.
///
/// Reads every shape that the official checker takes and writes the reference client's. Entries
/// and keys that are not ours are kept as they were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccuracyResults {
    /// Top-level keys beside the list.
    extra: Map<String, Value>,
    entries: Vec<Map<String, Value>>,
}

/// A file that is no `accuracy_results.json`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccuracyFileError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// Neither a list nor an object of entries.
    #[error("expected a list of entries, or an object with `accuracy_scores`; found {0}")]
    Collection(&'static str),
    /// An entry that is no object.
    #[error("entry {name} is {found}, expected an object")]
    Entry {
        /// Its name, or its position from 1.
        name: String,
        /// What it is.
        found: &'static str,
    },
    /// An entry without a name.
    #[error("entry {0} has no `dataset_name`")]
    Unnamed(usize),
    /// Two entries of one name.
    #[error("two entries are named `{0}`")]
    Duplicate(String),
}

/// What the inline entry says beside the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineFacts {
    /// Client turns in one pass.
    pub unit_samples: u64,
    /// Turns issued over all passes, the tail included.
    pub total_samples: u64,
    /// From the start of the session to its end, in nanoseconds.
    pub duration_ns: u64,
    /// Whether every planned turn was replayed to its end, failed or not.
    pub complete: bool,
}

impl AccuracyResults {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// No JSON, no list of named entries, or two entries of one name.
    pub fn parse(bytes: &[u8]) -> Result<Self, AccuracyFileError> {
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| AccuracyFileError::Json(error.to_string()))?;
        let (scores, extra) = match value {
            Value::Object(mut map) => match map.shift_remove(SCORES) {
                Some(scores) => (scores, map),
                None => (Value::Object(map), Map::new()),
            },
            other => (other, Map::new()),
        };
        let mut results = Self { extra, entries: Vec::new() };
        match scores {
            Value::Array(list) => {
                for (at, entry) in (1..).zip(list) {
                    let entry = object(entry, || at.to_string())?;
                    if name(&entry).is_none_or(|name| name.trim().is_empty()) {
                        return Err(AccuracyFileError::Unnamed(at));
                    }
                    results.add(entry)?;
                }
            }
            Value::Object(map) => {
                for (name, entry) in map {
                    let mut entry = object(entry, || format!("`{name}`"))?;
                    entry.insert("dataset_name".to_owned(), name.into());
                    results.add(entry)?;
                }
            }
            other => return Err(AccuracyFileError::Collection(kind(&other))),
        }
        Ok(results)
    }

    fn add(&mut self, entry: Map<String, Value>) -> Result<(), AccuracyFileError> {
        let name = name(&entry).unwrap_or_default();
        if self.entry(name).is_some() {
            return Err(AccuracyFileError::Duplicate(name.to_owned()));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// The file's bytes in the reference client's shape.
    pub fn to_json(&self) -> Vec<u8> {
        let mut map = self.extra.clone();
        let entries = self.entries.iter().cloned().map(Value::Object).collect();
        map.insert(SCORES.to_owned(), Value::Array(entries));
        python_json::to_vec(&map)
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names of the entries, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(name)
    }

    /// The inline score as a fraction; none when there is no inline entry or it has no score.
    ///
    /// The entry is the one of type `performance`, or without a type the one of that name.
    pub fn inline_score(&self) -> Option<f64> {
        let of_type =
            self.entries.iter().find(|entry| text(entry, "dataset_type") == Some(PERFORMANCE));
        let of_name =
            || self.entry(PERFORMANCE).filter(|entry| !entry.contains_key("dataset_type"));
        score(of_type.or_else(of_name)?)
    }

    /// Takes over another file's inline entry, at the end, where this one has none and its name is
    /// free.
    pub fn adopt_inline(&mut self, other: &Self) {
        let is_inline = |entry: &&Map<String, Value>| match text(entry, "dataset_type") {
            Some(kind) => kind == PERFORMANCE,
            None => name(entry) == Some(PERFORMANCE),
        };
        if self.entries.iter().any(|entry| is_inline(&entry)) {
            return;
        }
        if let Some(entry) = other.entries.iter().find(is_inline)
            && name(entry).is_some_and(|name| self.entry(name).is_none())
        {
            self.entries.push(entry.clone());
        }
    }

    /// The SWE-bench score as a fraction; none when there is no entry or it has no score.
    pub fn swe_bench_score(&self) -> Option<f64> {
        score(self.entry(SWE_BENCH)?)
    }

    /// The SWE-bench entry as it stands.
    pub fn swe_bench_entry(&self) -> Option<&Map<String, Value>> {
        self.entry(SWE_BENCH)
    }

    /// Sets the inline entry, which stands first.
    pub fn set_inline(&mut self, scores: &InlineScores, facts: InlineFacts) {
        let InlineFacts { unit_samples, total_samples, duration_ns, complete } = facts;
        let entry = json!({
            "dataset_name": PERFORMANCE,
            "extractor": null,
            "ground_truth_column": null,
            "score": scores.score,
            "unit_samples": unit_samples,
            // The passes are in the performance run itself; its replies are scored once.
            "num_repeats": 1,
            "total_samples": total_samples,
            "duration_s": seconds(duration_ns),
            "complete": complete,
            "dataset_type": PERFORMANCE,
        });
        self.set(entry, true);
    }

    /// Sets the SWE-bench entry. `more` are further keys of the entry.
    pub fn set_swe_bench(&mut self, result: &SweBenchEntry, more: Map<String, Value>) {
        let mut entry = json!({
            "dataset_name": SWE_BENCH,
            "extractor": null,
            "ground_truth_column": "instance_id",
            "score": result.score,
            "unit_samples": result.instances,
            "num_repeats": 1,
            "total_samples": result.instances,
            "duration_s": seconds(result.duration_ns),
            "complete": result.complete,
            "dataset_type": "accuracy",
        });
        if let Value::Object(entry) = &mut entry {
            entry.extend(more);
        }
        self.set(entry, false);
    }

    fn set(&mut self, entry: Value, first: bool) {
        let Value::Object(entry) = entry else { return };
        let position = self.entries.iter().position(|old| name(old) == name(&entry));
        match position {
            Some(at) => self.entries[at] = entry,
            None if first => self.entries.insert(0, entry),
            None => self.entries.push(entry),
        }
    }

    fn entry(&self, wanted: &str) -> Option<&Map<String, Value>> {
        self.entries.iter().find(|entry| name(entry) == Some(wanted))
    }
}

/// A SWE-bench result of one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweBenchEntry {
    /// Resolved over evaluated instances, a fraction; none when nothing was submitted.
    pub score: Option<f64>,
    /// Instances evaluated.
    pub instances: u64,
    /// How long the run took, in nanoseconds; 0 where that is not known.
    pub duration_ns: u64,
    /// Whether every instance was submitted for evaluation.
    pub complete: bool,
}

fn object(
    entry: Value,
    name: impl FnOnce() -> String,
) -> Result<Map<String, Value>, AccuracyFileError> {
    match entry {
        Value::Object(entry) => Ok(entry),
        other => Err(AccuracyFileError::Entry { name: name(), found: kind(&other) }),
    }
}

fn text<'a>(entry: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

fn name(entry: &Map<String, Value>) -> Option<&str> {
    text(entry, "dataset_name")
}

/// A score: a number, a numeric text, or an object of metrics, of which `score` or the first one.
fn score(entry: &Map<String, Value>) -> Option<f64> {
    let scalar = |value: &Value| match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match entry.get("score")? {
        Value::Object(metrics) => {
            metrics.get("score").or_else(|| metrics.values().next()).and_then(scalar)
        }
        value => scalar(value),
    }
    .filter(|score| score.is_finite())
}

#[expect(clippy::cast_precision_loss, reason = "three decimals of a run's seconds are asked for")]
fn seconds(nanos: u64) -> f64 {
    round3(nanos as f64 / 1e9)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<AccuracyResults, AccuracyFileError> {
        AccuracyResults::parse(text.as_bytes())
    }

    #[test]
    fn every_accepted_shape_reads_alike() {
        let inline = r#"{"dataset_name":"performance","dataset_type":"performance","score":0.5}"#;
        let swe =
            r#"{"dataset_name":"swe_bench","dataset_type":"accuracy","score":{"resolved":0.7}}"#;
        let (bare_inline, bare_swe) = (r#"{"score":"0.5"}"#, r#"{"score":{"x":1,"score":0.7}}"#);
        for text in [
            format!(r#"{{"average_accuracy":1,"accuracy_scores":[{inline},{swe}]}}"#),
            format!("[{inline},{swe}]"),
            format!(
                r#"{{"accuracy_scores":{{"performance":{bare_inline},"swe_bench":{bare_swe}}}}}"#
            ),
            format!(r#"{{"performance":{bare_inline},"swe_bench":{bare_swe}}}"#),
        ] {
            let results = parse(&text).unwrap();
            let scores = (results.inline_score(), results.swe_bench_score());
            assert_eq!(scores, (Some(0.5), Some(0.7)), "{text}");
            assert_eq!(results.names().collect::<Vec<_>>(), ["performance", "swe_bench"]);
            assert_eq!(AccuracyResults::parse(&results.to_json()).unwrap(), results);
        }
    }

    #[test]
    fn a_named_entry_of_another_type_is_not_the_inline_one() {
        let other = r#"[{"dataset_name":"performance","dataset_type":"accuracy","score":0.5}]"#;
        assert_eq!(parse(other).unwrap().inline_score(), None);
        let renamed = r#"[{"dataset_name":"x","dataset_type":"performance","score":null}]"#;
        assert_eq!(parse(renamed).unwrap().inline_score(), None);
    }

    #[test]
    fn errors_name_the_entry() {
        let errors: Vec<String> = [
            "",
            "3",
            "[3]",
            "[{}]",
            r#"{"a":[]}"#,
            r#"[{"dataset_name":"a"},{"dataset_name":"a"}]"#,
        ]
        .map(|text| parse(text).unwrap_err().to_string())
        .into();
        insta::assert_snapshot!(errors.join("\n"), @r"
        not JSON: EOF while parsing a value at line 1 column 0
        expected a list of entries, or an object with `accuracy_scores`; found a number
        entry 1 is a number, expected an object
        entry 1 has no `dataset_name`
        entry `a` is a list, expected an object
        two entries are named `a`
        ");
    }

    #[test]
    fn entries_are_replaced_in_place_and_foreign_keys_stay() {
        let mut results = parse(r#"{"osl_tokenization_s":0.5,"accuracy_scores":[{"dataset_name":"swe_bench","score":0.1}]}"#).unwrap();
        let entry = SweBenchEntry {
            score: Some(0.71),
            instances: 200,
            duration_ns: 1_500_000_000,
            complete: true,
        };
        results.set_swe_bench(&entry, Map::new());
        let text = String::from_utf8(results.to_json()).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "osl_tokenization_s": 0.5,
          "accuracy_scores": [
            {
              "dataset_name": "swe_bench",
              "extractor": null,
              "ground_truth_column": "instance_id",
              "score": 0.71,
              "unit_samples": 200,
              "num_repeats": 1,
              "total_samples": 200,
              "duration_s": 1.5,
              "complete": true,
              "dataset_type": "accuracy"
            }
          ]
        }
        "#);
    }
}
