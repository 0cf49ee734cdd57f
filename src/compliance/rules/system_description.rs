//! The system description, one copy a point.

use std::path::Path;

use super::super::context::Kind;
use super::super::document::{Document, Map, State, Value};
use super::super::finding::Sink;
use super::super::model::System;
use super::super::tables::EXEMPT_FIELDS;
use super::super::view::View;

const OVERRIDE: &str = "c_min_override";

/// Presence, schema and agreement; gives the view `C_max` and where it stands.
pub(in super::super) fn check<'a>(view: &mut View<'a>, sink: &mut Sink) {
    const RULE: &str = "system-description-valid";
    let curve = view.curve;
    let mut present: Vec<(&'a Document, &'a Map)> = Vec::new();
    for files in &curve.points {
        let document = &files.system;
        match (&document.state, document.map()) {
            (State::Absent, _) => {
                sink.add("system-description-present", "fail-2", &document.path);
            }
            (_, Some(map)) => present.push((document, map)),
            (_, None) => {
                sink.add(RULE, "fail", &document.path);
            }
        }
    }
    let Some((first, map)) = present.first().copied() else {
        if view.kind == Kind::Submission {
            sink.add("system-description-present", "fail", &curve.path);
        }
        return;
    };
    view.description = Some(&first.path);
    consistency(&curve.path, &present, sink);
    match System::read(&Value::Map(map.clone())) {
        Ok(system) => {
            view.c_max = Some(system.max_supported_concurrency);
            sink.pass(RULE, &first.path);
        }
        Err(problems) => {
            sink.misfits(RULE, &first.path, &problems);
            let raw = map.get("max_supported_concurrency").and_then(Value::strict_int);
            view.c_max = raw.filter(|c_max| *c_max > 0);
        }
    }
}

/// Whether all copies describe one system.
fn consistency(curve: &Path, present: &[(&Document, &Map)], sink: &mut Sink) {
    const RULE: &str = "system-description-consistency";
    let (first, reference) = present[0];
    for (document, map) in &present[1..] {
        let mut fields: Vec<&str> =
            reference.iter().chain(map.iter()).map(|(key, _)| key).collect();
        fields.sort_unstable();
        fields.dedup();
        fields.retain(|field| {
            let equal = match (reference.get(field), map.get(field)) {
                (Some(a), Some(b)) => a.equals(b),
                (None, None) => true,
                _ => false,
            };
            !EXEMPT_FIELDS.contains(field) && !equal
        });
        if let Some(field) = fields.first() {
            let name = first.path.parent().and_then(Path::file_name).unwrap_or_default();
            sink.add(RULE, "fail", &document.path)
                .with("first", name.to_string_lossy())
                .with("fields", fields.join(", "))
                .field(*field);
            return;
        }
    }
    sink.pass(RULE, curve);
}

/// A declared lower boundary: none, or the value, or what is wrong with it.
pub(in super::super) fn override_of(view: &View<'_>, sink: &mut Sink) -> Result<Option<i128>, ()> {
    const RULE: &str = "c-min-override";
    let points = &view.curve.points;
    let stated = |map: &Map| map.get(OVERRIDE).cloned();
    let values: Vec<_> = points
        .iter()
        .map(|files| (&files.system.path, files.system.map().and_then(stated)))
        .collect();
    if values.iter().all(|(_, value)| value.is_none()) {
        return Ok(None);
    }
    let (mut valid, mut faults) = (std::collections::BTreeSet::new(), false);
    for (path, value) in values {
        let key = match value.as_ref().map(|value| (value, value.strict_int())) {
            Some((_, Some(number))) if (1..=32).contains(&number) => {
                valid.insert(number);
                continue;
            }
            Some(_) => "invalid",
            None => "missing-declaration",
        };
        faults = true;
        let found = value.as_ref().map_or_else(String::new, Value::show);
        sink.add(RULE, key, path).with("found", found).field(OVERRIDE);
    }
    if valid.len() > 1 {
        faults = true;
        let found: Vec<String> = valid.iter().map(i128::to_string).collect();
        sink.add(RULE, "inconsistent", &view.curve.path).with("found", found.join(", "));
    }
    if faults { Err(()) } else { Ok(valid.first().copied()) }
}
