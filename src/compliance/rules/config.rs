//! What config.yaml says against the point, the benchmark and the model's settings.

use super::super::context::PointFiles;
use super::super::document::{Map, Value};
use super::super::finding::Sink;
use super::super::model::Point;
use crate::ruleset::Ruleset;

const RULE: &str = "x-config-mismatch";
/// Names of sampling parameters in config.yaml that differ from a ruleset's.
const RENAMED: (&str, &str) = ("max_new_tokens", "max_tokens");
/// What `model_params` says beside sampling parameters; none of it is sent.
const PLUMBING: [&str; 6] = [
    "name",
    "streaming",
    "tokenizer_name",
    "min_new_tokens",
    "skip_special_tokens",
    "osl_distribution",
];

/// The mapping under a key.
pub(in super::super) fn below<'a>(map: &'a Map, key: &str) -> Option<&'a Map> {
    map.get(key).and_then(Value::as_map)
}

/// The agentic blocks of the data sets, with their positions.
pub(in super::super) fn agentic(config: &Map) -> impl Iterator<Item = (usize, &Map)> {
    let datasets = config.get("datasets").and_then(Value::as_list).unwrap_or_default();
    datasets.iter().enumerate().filter_map(|(i, dataset)| {
        let block = below(dataset.as_map()?, "agentic_inference")?;
        Some((i, block))
    })
}

/// The settings of ours that the reference client has no key for.
pub(in super::super) fn ours(config: &Map) -> Option<&Map> {
    below(below(config, "scenario")?, "settings")
}

/// Compares config.yaml with the point, the benchmark and the model.
pub(in super::super) fn check(
    files: &PointFiles,
    point: &Point,
    ruleset: &Ruleset,
    sink: &mut Sink,
) {
    let Some(config) = files.config.map() else { return };
    let mut report = |field: String, found: Option<&Value>, expected: String| {
        let found = found.map_or_else(|| "absent".to_owned(), Value::show);
        sink.add(RULE, "fail", &files.config.path)
            .with("field", &field)
            .with("found", found)
            .with("expected", expected)
            .field(field);
    };
    load(config, point, &mut report);
    datasets(config, ruleset, &mut report);
    parameters(config, point, ruleset, &mut report);
}

type Report<'a> = dyn FnMut(String, Option<&Value>, String) + 'a;

fn load(config: &Map, point: &Point, report: &mut Report<'_>) {
    let pattern = below(config, "settings").and_then(|map| below(map, "load_pattern"));
    let target = pattern.and_then(|map| map.given("target_concurrency"));
    if let Some(value) = target.filter(|value| value.to_int() != Some(point.concurrency)) {
        let field = "settings.load_pattern.target_concurrency".to_owned();
        report(field, Some(value), point.concurrency.to_string());
    }
    let tail = ours(config).and_then(|settings| settings.given("load.tail"));
    if let Some(value) = tail.filter(|value| value.as_text() != Some("drain")) {
        report("scenario.settings.load.tail".to_owned(), Some(value), "drain".to_owned());
    }
}

fn datasets(config: &Map, ruleset: &Ruleset, report: &mut Report<'_>) {
    let mut issued_total = 0_i128;
    for (i, block) in agentic(config) {
        let field = |name: &str| format!("datasets.{i}.agentic_inference.{name}");
        for (name, wanted) in [
            ("enable_salt", true),
            ("inject_tool_delay", true),
            ("stop_issuing_on_first_user_complete", false),
        ] {
            if let Some(value) = block.given(name)
                && !matches!(value, Value::Bool(stated) if *stated == wanted)
            {
                report(field(name), Some(value), wanted.to_string());
            }
        }
        if let Some(value) = block.given("routing_headers")
            && value.as_list().is_none_or(<[Value]>::is_empty)
        {
            let wanted = "a header that carries the conversation's id".to_owned();
            report(field("routing_headers"), Some(value), wanted);
        }
        let issued = block.given("num_trajectories_to_issue");
        issued_total = issued_total.saturating_add(issued.and_then(Value::strict_int).unwrap_or(0));
    }
    // A mix of several files is issued as one data set.
    let pass = i128::from(ruleset.dataset.trajectories.max(1));
    for (i, block) in agentic(config) {
        let name = "num_trajectories_to_issue";
        if let Some(value) = block.given(name)
            && !(value.strict_int().is_some_and(|issued| issued > 0) && issued_total % pass == 0)
        {
            let field = format!("datasets.{i}.agentic_inference.{name}");
            report(field, Some(value), format!("a whole multiple of {pass}"));
        }
    }
}

/// Exactly the model's sampling parameters, streamed.
fn parameters(config: &Map, point: &Point, ruleset: &Ruleset, report: &mut Report<'_>) {
    let Some(parameters) = below(config, "model_params") else { return };
    let streaming = parameters.given("streaming");
    let on = |value: &Value| value.as_text() == Some("on") || matches!(value, Value::Bool(true));
    if let Some(value) = streaming.filter(|value| !on(value)) {
        report("model_params.streaming".to_owned(), Some(value), "on".to_owned());
    }
    let model = point.model_name.as_deref().and_then(|name| ruleset.recognise(name));
    let Some(model) = model else { return };
    let renamed =
        |name: &str| if name == RENAMED.1 { RENAMED.0.to_owned() } else { name.to_owned() };
    for (name, expected) in &model.sampling {
        let name = renamed(name);
        let stated = parameters.given(&name);
        if !stated.is_some_and(|stated| stated.equals(&from_json(expected))) {
            report(format!("model_params.{name}"), stated, expected.to_string());
        }
    }
    for (name, value) in parameters.iter() {
        let is_wanted = model.sampling.keys().any(|wanted| renamed(wanted) == name);
        if !is_wanted && !PLUMBING.contains(&name) && !matches!(value, Value::Null) {
            report(format!("model_params.{name}"), Some(value), "to leave it out".to_owned());
        }
    }
}

/// A ruleset's value as a document's.
fn from_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => match number.as_i128() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                map.set(key, from_json(value));
            }
            Value::Map(map)
        }
    }
}
