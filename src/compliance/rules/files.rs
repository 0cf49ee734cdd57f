//! The files of every point: whether they are there and can be read.

use super::super::context::{Kind, PointFiles};
use super::super::document::{State, Value};
use super::super::finding::Sink;
use super::super::view::View;
use super::{disclosure, steady};

/// Whether the curve has points.
pub(in super::super) fn points(view: &View<'_>, sink: &mut Sink) -> bool {
    let any = !view.curve.points.is_empty();
    if any {
        sink.pass("point-dirs", &view.curve.path);
    } else {
        sink.add("point-dirs", "fail-2", &view.curve.path);
    }
    any
}

/// config.yaml and point.yaml of every point, with the rules that need nothing else.
pub(in super::super) fn disclosures(view: &View<'_>, sink: &mut Sink) {
    for files in &view.curve.points {
        config(files, sink);
        let document = &files.point;
        match (&document.state, &files.disclosure) {
            (State::Absent, _) => {
                sink.add("measurement-points-present", "fail-2", &document.path);
            }
            (State::Unusable(..), _) => sink.unusable("point-config-valid", document),
            (State::Parsed(Value::Map(_)), Err(problems)) => {
                sink.misfits("point-config-valid", &document.path, problems);
            }
            (State::Parsed(Value::Map(_)), Ok(point)) => {
                let path = &document.path;
                disclosure::offline(point, path, sink);
                steady::vocabulary(point, path, sink);
                disclosure::check(point, path, view.kind, sink);
                let number = files.number.filter(|number| *number != point.concurrency);
                if number.is_some() {
                    sink.add("point-dirname-concurrency", "warn", path)
                        .with("found", point.concurrency)
                        .with("directory", &files.name)
                        .field("concurrency");
                }
            }
            (State::Parsed(_), _) => {
                sink.add("point-config-valid", "not-a-mapping", &document.path);
            }
        }
    }
    if view.loaded.is_empty() && view.kind != Kind::Run {
        sink.add("measurement-points-present", "fail", &view.curve.path);
    }
}

fn config(files: &PointFiles, sink: &mut Sink) {
    const RULE: &str = "config-file-present";
    let document = &files.config;
    let reason = match &document.state {
        _ if !document.is_file => {
            sink.add(RULE, "fail", &document.path);
            return;
        }
        State::Absent | State::Parsed(Value::Map(_)) => return,
        State::Unusable(_, reason) => reason.clone(),
        State::Parsed(value) => format!("it is {}", value.show()),
    };
    sink.add(RULE, "invalid", &document.path).with("reason", reason).line = document.line;
}

/// `result_summary.json` of a point; says whether it can be used.
pub(in super::super) fn summary(files: &PointFiles, sink: &mut Sink) -> bool {
    let document = &files.summary;
    match (&document.state, &files.measured) {
        (State::Absent, _) => {
            let key = if files.disclosure.is_ok() { "fail" } else { "fail-2" };
            sink.add("result-summary-present", key, &document.path);
            false
        }
        (State::Unusable(..), _) => {
            sink.unusable("result-file-valid", document);
            false
        }
        (State::Parsed(_), Err(problems)) => {
            sink.misfits("result-file-valid", &document.path, problems);
            false
        }
        (State::Parsed(_), Ok(_)) => true,
    }
}

/// A point without a usable point.yaml: what can still be checked, and that the rest was not.
pub(in super::super) fn unparsed(view: &View<'_>, sink: &mut Sink) {
    for files in &view.unparsed {
        summary(files, sink);
        sink.add("point-rules-skipped", "warn", &files.point.path);
    }
}
