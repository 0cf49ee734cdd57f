//! What the event log of a run folder proves, and the data sets that it was made from.

use std::io::BufReader;
use std::path::Path;

use serde::Deserialize as _;
use serde::de::value::{Error as WordError, StrDeserializer};

use super::super::context::{Context, Curve, Kind, PointFiles};
use super::super::document::{Document, Map, Value};
use super::super::finding::Sink;
use super::super::log::{Expected, Fault, Mix, Workload, read};
use super::super::model::Point;
use super::config::{agentic, below, ours};
use crate::events::SampleId;
use crate::ruleset::Ruleset;
use crate::scenario::model::Order;

/// A log is read in pieces of this size.
const BUFFER: usize = 1 << 20;

/// Every check of the event logs and of the data sets; a submission has neither.
pub(in super::super) fn check(context: &Context<'_>, workload: Option<&Workload>, sink: &mut Sink) {
    if context.kind == Kind::Submission {
        return;
    }
    manifest(context, workload, sink);
    for curve in context.curves() {
        for files in agentic_points(curve) {
            point(context, files.0, files.1, workload, sink);
        }
    }
}

fn agentic_points(curve: &Curve) -> impl Iterator<Item = (&PointFiles, &Point)> {
    let disclosed =
        curve.points.iter().filter_map(|files| Some((files, files.disclosure.as_ref().ok()?)));
    disclosed.filter(|(_, point)| point.is_agentic())
}

fn point(
    context: &Context<'_>,
    files: &PointFiles,
    point: &Point,
    workload: Option<&Workload>,
    sink: &mut Sink,
) {
    let self_check = context.folder.json(files.path.join("self_check.json"));
    violations(&self_check, sink);
    if let Some(config) = files.config.map() {
        datasets(config, &files.config.path, context.ruleset, workload, sink);
    }
    let path = files.path.join("events.jsonl");
    let log = match context.folder.stream(&path) {
        Ok(Some(log)) => log,
        Ok(None) => {
            sink.add("x-log-missing", "warn", &path);
            return;
        }
        Err(reason) => {
            sink.add("x-log-unusable", "fail", &path).with("reason", reason);
            return;
        }
    };
    let samples = context.folder.json(files.path.join("sample_idx_map.json"));
    let expected = Expected {
        slots: u64::try_from(point.concurrency).ok(),
        pass: &context.ruleset.dataset,
        arguments: arguments(point, context.ruleset),
        delays: delays(files),
        kept: generated_kept(files),
        resent: number(&self_check, "resent"),
        summary: files.summary.map(),
        complete: is_complete(files),
        digest: text(&self_check, "replay_digest"),
        mix: files.config.map().and_then(|config| mix(config, &samples)),
        workload,
    };
    for fault in read(BufReader::with_capacity(BUFFER, log), &expected) {
        push(&fault, &path, sink);
    }
}

fn push(fault: &Fault, path: &Path, sink: &mut Sink) {
    let finding = sink.add(fault.rule, fault.key, path);
    for (name, value) in &fault.values {
        finding.with(name, value);
    }
    finding.line = fault.line;
}

/// What the client's own check of the replay found.
fn violations(self_check: &Document, sink: &mut Sink) {
    sink.unusable("x-self-check", self_check);
    let Some(violations) = self_check.map().and_then(|map| map.get("violations")?.as_list()) else {
        return;
    };
    for (i, violation) in violations.iter().enumerate() {
        let word = |key: &str| {
            let word = violation.as_map().and_then(|map| map.get(key)?.as_text());
            word.unwrap_or("unreadable").to_owned()
        };
        sink.add("x-self-check", "fail", &self_check.path)
            .with("check", word("check"))
            .with("found", word("message"))
            .field(format!("violations.{i}"));
    }
}

fn number(document: &Document, key: &str) -> u64 {
    let value = document.map().and_then(|map| map.get(key)?.strict_int());
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or_default()
}

fn text<'a>(document: &'a Document, key: &str) -> Option<&'a str> {
    document.map()?.get(key)?.as_text().filter(|text| !text.is_empty())
}

/// The template's arguments that the benchmark has for the point's model; `null` where it has none.
fn arguments<'a>(point: &Point, ruleset: &'a Ruleset) -> Option<&'a serde_json::Value> {
    const NONE: &serde_json::Value = &serde_json::Value::Null;
    let model = ruleset.recognise(point.model_name.as_deref()?)?;
    Some(model.sampling.get("chat_template_kwargs").unwrap_or(NONE))
}

/// Whether recorded delays are said to be waited out; where they are not, config.yaml's own rule
/// tells.
fn delays(files: &PointFiles) -> bool {
    let off = |(_, block): (usize, &Map)| {
        matches!(block.get("inject_tool_delay"), Some(Value::Bool(false)))
    };
    !files.config.map().is_some_and(|config| agentic(config).any(off))
}

/// Whether the history was sent exactly as recorded, as the reference client does.
fn generated_kept(files: &PointFiles) -> bool {
    let settings = files.config.map().and_then(ours);
    let stated = settings.and_then(|settings| settings.get("cache.generated_tokens")?.as_text());
    stated != Some("clear")
}

fn is_complete(files: &PointFiles) -> bool {
    let Some(summary) = files.summary.map() else { return false };
    let stated = summary.given("state").and_then(Value::as_text);
    stated.is_none_or(|state| state == "complete")
}

/// How the trajectories were put in order; none where the run was cut off after some trajectories or
/// weighted them, or is not one of ours.
fn mix(config: &Map, samples: &Document) -> Option<Mix> {
    let mix = below(ours(config)?, "mix")?;
    if mix.given("trajectories").is_some() || mix.given("weights").is_some() {
        return None;
    }
    let order = mix.get("order")?.as_text()?;
    let order = Order::deserialize(StrDeserializer::<WordError>::new(order)).ok()?;
    let passes = mix.get("passes")?.strict_int().filter(|passes| *passes > 0)?;
    let set = |(_, block): (usize, &Map)| {
        let issued = block.get("num_trajectories_to_issue")?.strict_int()?;
        u32::try_from(issued / passes).ok().filter(|_| issued % passes == 0)
    };
    let sample = |(id, index): (&str, &Value)| {
        let id = u128::from_str_radix(id, 16).ok()?;
        Some((SampleId(id), u64::try_from(index.strict_int()?).ok()?))
    };
    Some(Mix {
        sets: agentic(config).map(set).collect::<Option<_>>()?,
        order,
        seed: u64::try_from(mix.get("seed")?.strict_int()?).ok()?,
        samples: below(samples.map()?, "performance")?.iter().filter_map(sample).collect(),
    })
}

/// The data sets that a result directory's manifest names.
fn manifest(context: &Context<'_>, workload: Option<&Workload>, sink: &mut Sink) {
    if context.kind != Kind::Curve {
        return;
    }
    let manifest = context.folder.json(context.root().join("manifest.json"));
    if let Some(sets) = manifest.map().and_then(|map| map.get("datasets")?.as_list()) {
        compare(sets, "datasets", &manifest.path, context.ruleset, workload, sink);
    }
}

/// The data sets that a point's config.yaml names.
fn datasets(
    config: &Map,
    path: &Path,
    ruleset: &Ruleset,
    workload: Option<&Workload>,
    sink: &mut Sink,
) {
    if let Some(sets) = ours(config).and_then(|settings| settings.get("datasets")?.as_list()) {
        compare(sets, "scenario.settings.datasets", path, ruleset, workload, sink);
    }
}

/// One data set, the benchmark's, and the one that is at hand.
fn compare(
    sets: &[Value],
    field: &str,
    path: &Path,
    ruleset: &Ruleset,
    workload: Option<&Workload>,
    sink: &mut Sink,
) {
    const RULE: &str = "x-dataset";
    let digest =
        |set: &Value| set.as_map().and_then(|map| map.get("sha256")?.as_text()).map(str::to_owned);
    let name = |set: &Value| {
        let name = set.as_map().and_then(|map| map.get("name")?.as_text());
        name.unwrap_or("without a name").to_owned()
    };
    if let [set] = sets {
        if let Some(found) = digest(set).filter(|found| *found != ruleset.dataset.sha256) {
            sink.add(RULE, "fail", path)
                .with("name", name(set))
                .with("found", found)
                .with("expected", &ruleset.dataset.sha256)
                .field(format!("{field}.0.sha256"));
        }
    } else {
        let names: Vec<String> = sets.iter().map(name).collect();
        sink.add(RULE, "count", path)
            .with("found", sets.len())
            .with("names", names.join(", "))
            .with("expected", &ruleset.dataset.sha256)
            .field(field);
    }
    let Some(workload) = workload else { return };
    for (i, (set, given)) in sets.iter().zip(&workload.datasets).enumerate() {
        if let Some(found) = digest(set).filter(|found| found != given) {
            sink.add(RULE, "given", path)
                .with("name", name(set))
                .with("found", found)
                .with("expected", given)
                .field(format!("{field}.{i}.sha256"));
        }
    }
}
