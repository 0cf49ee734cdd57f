//! Our own checks, for what the official checker lets pass.

use super::super::context::{Context, Curve, Kind, MAX_POINTS, PointFiles};
use super::super::document::{Document, Map, OddityKind, State, Value};
use super::super::finding::Sink;
use super::super::model::Point;
use super::config;
use crate::metrics::PaceReport;

/// Every check of our own.
pub(in super::super) fn check(context: &Context<'_>, sink: &mut Sink) {
    names(context, sink);
    for system in &context.systems {
        oddities(&system.power, sink);
    }
    for curve in context.curves() {
        if curve.unread > 0 {
            sink.add("x-limit", "fail", &curve.path)
                .with("found", curve.points.len() + curve.unread)
                .with("read", MAX_POINTS);
        }
        drafters(curve, sink);
        for files in &curve.points {
            files.documents().iter().for_each(|document| oddities(document, sink));
            incomplete(files, sink);
            accuracy_names(files, sink);
            if let Ok(point) = &files.disclosure {
                twice_stated(files, point, sink);
                if point.is_agentic() {
                    config::check(files, point, context.ruleset, sink);
                }
            }
        }
    }
}

/// Links that lead out, and names that are not UTF-8.
fn names(context: &Context<'_>, sink: &mut Sink) {
    for entry in context.folder.walk(context.root()) {
        if entry.name.to_str().is_none() {
            sink.add("x-name-not-utf8", "warn", &entry.path);
        }
        let link = entry.path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if link && context.folder.escapes(&entry.path) {
            sink.add("x-path-escape", "fail", &entry.path);
        }
    }
}

/// Whether the server keeps whole replies, where a run measured it.
pub(in super::super) fn output_caching(context: &Context<'_>, sink: &mut Sink) {
    const RULE: &str = "x-output-caching";
    const MOST: f64 = 10.0;
    if context.kind != Kind::Curve {
        return;
    }
    let document = context.folder.json(context.root().join("output_caching.json"));
    let (path, line) = (&document.path, document.line);
    let map = match &document.state {
        State::Absent => return,
        State::Parsed(Value::Map(map)) => map,
        State::Unusable(_, reason) => {
            sink.add(RULE, "unusable", path).with("reason", reason).line = line;
            return;
        }
        State::Parsed(other) => {
            sink.add(RULE, "unusable", path).with("reason", other.show());
            return;
        }
    };
    let pace = |phase: &str| {
        let phase = map.get(phase)?.as_map()?;
        let whole = |key: &str| u64::try_from(phase.get(key)?.strict_int()?).ok();
        Some(PaceReport {
            turns: whole("turns")?,
            failed: whole("failed")?,
            output: whole("output")?,
            unit: phase.get("unit")?.as_text()?.to_owned(),
            seconds: phase.get("seconds")?.number()?,
        })
    };
    let conversation = map.get("conversation").and_then(Value::as_text).unwrap_or("a trajectory");
    let threshold = map.get("threshold_percent").and_then(Value::number).unwrap_or(MOST).min(MOST);
    let (Some(reference), Some(repeated)) = (pace("reference"), pace("repeated")) else {
        let reason = "it lacks the numbers of a phase";
        sink.add(RULE, "unusable", path).with("reason", reason);
        return;
    };
    let Some(faster) = repeated.faster_than(&reference) else {
        sink.add(RULE, "warn", path).with("conversation", conversation);
        return;
    };
    if faster > threshold {
        let of =
            |pace: &PaceReport| format!("{} {} in {:.3} s", pace.output, pace.unit, pace.seconds);
        sink.add(RULE, "fail", path)
            .with("conversation", conversation)
            .with("found", format!("{faster:.1}"))
            .with("rates", format!("{} for {}", of(&repeated), of(&reference)))
            .with("threshold", threshold)
            .field("faster_percent");
    }
}

fn oddities(document: &Document, sink: &mut Sink) {
    for oddity in &document.oddities {
        let rule = match oddity.kind {
            OddityKind::DuplicateKey => "x-duplicate-key",
            OddityKind::NotFinite => "x-not-finite",
        };
        sink.add(rule, "fail", &document.path).with("found", &oddity.name).line = oddity.line;
    }
}

fn incomplete(files: &PointFiles, sink: &mut Sink) {
    let Some(summary) = files.summary.map() else { return };
    let cut_short = [
        ("complete", matches!(summary.given("complete"), Some(Value::Bool(false)))),
        ("state", summary.given("state").is_some_and(|state| state.as_text() != Some("complete"))),
    ];
    for (field, _) in cut_short.into_iter().filter(|(_, cut_short)| *cut_short) {
        sink.add("x-run-incomplete", "fail", &files.summary.path)
            .with("field", field)
            .with("found", summary.get(field).map_or_else(String::new, Value::show))
            .field(field);
    }
}

fn accuracy_names(files: &PointFiles, sink: &mut Sink) {
    let is_agentic = files.disclosure.as_ref().is_ok_and(Point::is_agentic);
    let Some((document, Ok(results))) = files.scores() else { return };
    for name in results.runs().into_iter().filter(|name| is_agentic && *name != "swe_bench") {
        sink.add("x-swe-bench-name", "fail", &document.path).with("found", format!("{name:?}"));
    }
}

/// Values that stand in point.yaml and in `system_desc.json`.
fn twice_stated(files: &PointFiles, point: &Point, sink: &mut Sink) {
    let Some(system) = files.system.map() else { return };
    let path = &files.point.path;
    let division = system.get("division").and_then(Value::as_text).unwrap_or_default();
    if let Some(stated) = point.division.as_deref().filter(|stated| !stated.is_empty())
        && !division.is_empty()
        && stated.trim().to_lowercase() != division.trim().to_lowercase()
    {
        sink.add("x-division-mismatch", "fail", path)
            .with("found", format!("{stated:?}"))
            .with("expected", format!("{division:?}"))
            .field("division");
    }
    let c_max = system.get("max_supported_concurrency").and_then(Value::to_int);
    if let (Some(stated), Some(c_max)) = (point.max_supported_concurrency, c_max)
        && stated != c_max
    {
        sink.add("x-max-concurrency-mismatch", "fail", path)
            .with("found", stated)
            .with("expected", c_max)
            .field("max_supported_concurrency");
    }
}

/// One drafter along a curve.
fn drafters(curve: &Curve, sink: &mut Sink) {
    let used = curve.points.iter().filter_map(|files| {
        let point = files.disclosure.as_ref().ok()?;
        let drafter = point.speculative_decoding.as_ref().filter(|map| !map.is_empty())?;
        Some((files, drafter))
    });
    let mut first: Option<(&PointFiles, &Map)> = None;
    for (files, drafter) in used {
        let Some((at, reference)) = first else {
            first = Some((files, drafter));
            continue;
        };
        let same = |field: &str| match (reference.get(field), drafter.get(field)) {
            (Some(a), Some(b)) => a.equals(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        if !["model_id", "weight_checksum", "target_checksum"].into_iter().all(same) {
            sink.add("x-drafter-differs", "fail", &files.point.path)
                .with("first", &at.name)
                .field("speculative_decoding");
        }
    }
}
