//! The author's own rules (`compliance.checks` of a scenario), over the results of each point.

use std::path::Path;

use serde_json::{Map as Json, Value as JsonValue, json};

use super::audit::Report;
use super::context::{Context, Kind, PointFiles};
use super::document::{Map, State, Value};
use super::finding::Sink;
use super::registry::Registries;
use crate::metrics::PERCENTILES;
use crate::ruleset::Ruleset;
use crate::scenario::expression::{Outcome, evaluate};
use crate::scenario::model::{Check, CheckSeverity};

const RULE: &str = "x-check";
/// The scenario of a result directory, with its defaults.
const RESOLVED: &str = "scenario.resolved.yaml";
/// Most checks of a scenario, as its schema has it.
const MAX_CHECKS: usize = 1000;
/// A block of the summary, the family of names that it becomes, and whether it holds times.
const BLOCKS: [(&str, &str, bool); 5] = [
    ("ttft", "ttft", true),
    ("tpot", "tpot", true),
    ("latency", "latency", true),
    ("input_sequence_lengths", "isl", false),
    ("output_sequence_lengths", "osl", false),
];

/// Evaluates a run's own rules, and nothing else.
pub fn judge_checks(path: &Path, checks: &[Check]) -> Report {
    let ruleset = &Ruleset::all()[0];
    let registries = Registries::load(ruleset, None, None);
    let context = Context::read(path, ruleset, &registries);
    let mut sink = Sink::default();
    if !checks.is_empty() {
        each(&context, checks, &mut sink);
    }
    let (path, kind, simulated) = (path.to_owned(), context.kind, context.is_simulated());
    Report { path, kind, simulated, findings: sink.finish() }
}

/// Evaluates the rules that are given, else the ones of the result directory's own scenario.
pub(super) fn check(context: &Context<'_>, given: Option<&[Check]>, sink: &mut Sink) {
    match given {
        Some(checks) => each(context, checks, sink),
        None if context.kind == Kind::Curve => each(context, &stored(context, sink), sink),
        None => {}
    }
}

fn each(context: &Context<'_>, checks: &[Check], sink: &mut Sink) {
    for files in context.curves().flat_map(|curve| &curve.points) {
        if !files.summary.exists() {
            continue;
        }
        let values = values(files);
        for check in checks {
            one(check, &values, files, sink);
        }
    }
}

fn one(check: &Check, values: &JsonValue, files: &PointFiles, sink: &mut Sink) {
    let what = match evaluate(check, values) {
        Ok(Outcome::Holds | Outcome::Elsewhere) => return,
        Ok(Outcome::Broken(found)) => {
            let found: Vec<String> =
                found.iter().map(|(name, value)| format!("{name} is {}", shown(value))).collect();
            found.join(", ")
        }
        Ok(Outcome::Unknown(names)) => {
            format!("it cannot be judged without a value of {}", names.join(", "))
        }
        Ok(Outcome::Failed(reason)) => format!("it cannot be evaluated: {reason}"),
        Err(error) => error.to_string(),
    };
    let key = match check.severity {
        CheckSeverity::Error => "error",
        CheckSeverity::Warning => "warning",
        CheckSeverity::Note => "note",
    };
    let when = check.when.as_ref().map_or_else(String::new, |when| format!(" when {when}"));
    sink.add(RULE, key, &files.summary.path)
        .with("id", &check.id)
        .with("found", what)
        .with("required", format!("{}{when}", check.require));
}

/// A value for a message, without digits that say nothing.
fn shown(value: &JsonValue) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => {
            let text = format!("{number:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => value.to_string(),
    }
}

/// The rules of the result directory's own scenario.
fn stored(context: &Context<'_>, sink: &mut Sink) -> Vec<Check> {
    let document = context.folder.yaml(context.root().join(RESOLVED));
    if let State::Unusable(_, reason) = &document.state {
        sink.add(RULE, "unusable", &document.path).with("reason", reason).line = document.line;
    }
    let section = document.map().and_then(|map| map.get("compliance")?.as_map());
    let list = section.and_then(|section| section.get("checks")?.as_list()).unwrap_or_default();
    let check = |value: &Value| {
        let map = value.as_map()?;
        let text = |key: &str| map.get(key).and_then(Value::as_text).map(str::to_owned);
        Some(Check {
            id: text("id")?,
            when: text("when"),
            require: text("require")?,
            severity: match text("severity").as_deref() {
                Some("warning") => CheckSeverity::Warning,
                Some("note") => CheckSeverity::Note,
                _ => CheckSeverity::Error,
            },
        })
    };
    list.iter().take(MAX_CHECKS).filter_map(check).collect()
}

/// A point's values by the names of the vocabulary; what is not known is not there.
fn values(files: &PointFiles) -> JsonValue {
    let mut values = Json::new();
    let mut set = |name: &str, value: Option<JsonValue>| {
        if let Some(value) = value {
            values.insert(name.to_owned(), value);
        }
    };
    set(
        "concurrency",
        files.concurrency().and_then(|c| i64::try_from(c).ok()).map(JsonValue::from),
    );
    if let Ok(point) = &files.disclosure {
        set("region", point.region.clone().map(JsonValue::from));
        let steady = point.steady_state.as_ref();
        let word =
            |name: &str, word: Option<&String>| Some((name.to_owned(), word?.clone().into()));
        let words = [
            word("status", steady.and_then(|steady| steady.status.as_ref())),
            word("verdict", steady.and_then(|steady| steady.verdict.as_ref())),
        ];
        set("steady_state", Some(JsonValue::Object(words.into_iter().flatten().collect())));
    }
    set("accuracy", Some(accuracy(files)));
    if let Some(summary) = files.summary.map() {
        from_summary(summary, &mut set);
    }
    JsonValue::Object(values)
}

fn from_summary(summary: &Map, set: &mut dyn FnMut(&str, Option<JsonValue>)) {
    let number = |map: &Map, key: &str| map.get(key).and_then(json_number);
    let seconds = summary.get("duration_ns").and_then(Value::number).map(|ns| ns / 1e9);
    set("duration_s", seconds.and_then(finite));
    for name in ["system_tps", "tps_per_user", "e2e_avg_interactivity", "qps"] {
        set(name, number(summary, name));
    }
    set(
        "simulated",
        match summary.get("simulated") {
            Some(Value::Bool(simulated)) => Some((*simulated).into()),
            _ => None,
        },
    );
    let counts = summary.get("token_counts").and_then(Value::as_text);
    set("token_counts", counts.map(JsonValue::from));
    let turns = [
        ("issued", "n_samples_issued"),
        ("completed", "n_samples_completed"),
        ("failed", "n_samples_failed"),
    ];
    let turns =
        turns.iter().filter_map(|(name, key)| Some(((*name).to_owned(), number(summary, key)?)));
    set("turns", Some(JsonValue::Object(turns.collect())));
    for (key, name, is_time) in BLOCKS {
        set(name, summary.get(key).and_then(Value::as_map).map(|map| block(map, is_time)));
    }
    let full = summary.get("output_sequence_lengths_full_run").and_then(Value::as_map);
    let full = full.and_then(|full| full.get("output_sequence_lengths")?.as_map());
    set("osl_full_run", full.map(|map| block(map, false)));
    let reasons = summary.get("finish_reason_counts").and_then(Value::as_map);
    set("finish_reasons", reasons.map(numbers));
    let cache = summary.get("prefix_cache").and_then(Value::as_map);
    set(
        "prefix_cache",
        cache.map(|map| {
            let mut cache = numbers(map);
            let of = |key: &str| map.get(key).and_then(Value::number);
            let share = of("cached_tokens").zip(of("prompt_tokens").filter(|tokens| *tokens > 0.0));
            if let Some((cached, prompt)) = share {
                cache["hit_percent"] = json!(100.0 * cached / prompt);
            }
            cache
        }),
    );
}

/// A block of statistics: times in milliseconds, or tokens.
fn block(map: &Map, is_time: bool) -> JsonValue {
    let (unit, scale) = if is_time { ("_ms", 1e6) } else { ("", 1.0) };
    let mut values = Json::new();
    let mut set = |name: String, value: Option<&Value>| {
        let value = value.and_then(|value| {
            if is_time { finite(value.number()? / scale) } else { json_number(value) }
        });
        if let Some(value) = value {
            values.insert(name, value);
        }
    };
    for key in ["min", "max", "avg"] {
        set(format!("{key}{unit}"), map.get(key));
    }
    if !is_time {
        set("total".to_owned(), map.get("total"));
    }
    let percentiles = map.get("percentiles").and_then(Value::as_map);
    for (key, _) in PERCENTILES {
        let name = key.strip_suffix(".0").unwrap_or(key);
        let value = percentiles.and_then(|stated| stated.get(key).or_else(|| stated.get(name)));
        set(format!("p{}{unit}", name.replace('.', "_")), value);
    }
    JsonValue::Object(values)
}

fn accuracy(files: &PointFiles) -> JsonValue {
    let mut values = Json::new();
    if let Some((_, Ok(results))) = files.scores() {
        let inline = results.inline().and_then(|name| results.score(name));
        for (name, score) in [("inline", inline), ("swe_bench", results.score("swe_bench"))] {
            if let Some(percent) = score.and_then(|score| finite(100.0 * score)) {
                values.insert(format!("{name}_percent"), percent);
            }
        }
    }
    JsonValue::Object(values)
}

/// The numbers of a mapping.
fn numbers(map: &Map) -> JsonValue {
    let number = |(key, value): (&str, &Value)| Some((key.to_owned(), json_number(value)?));
    JsonValue::Object(map.iter().filter_map(number).collect())
}

fn json_number(value: &Value) -> Option<JsonValue> {
    match value {
        Value::Int(whole) => i64::try_from(*whole).ok().map(JsonValue::from),
        other => finite(other.number()?),
    }
}

fn finite(value: f64) -> Option<JsonValue> {
    value.is_finite().then(|| json!(value))
}
