//! The model's name, and the shared directories.

use std::path::PathBuf;

use super::super::context::{Context, Kind};
use super::super::finding::Sink;
use super::super::view::View;

/// Most characters of a canonical name.
const NAME: usize = 64;

/// Whether every declared name is one of the benchmark's.
pub(in super::super) fn models(view: &View<'_>, sink: &mut Sink) {
    const RULE: &str = "model-name-valid";
    let own = view.ruleset.models.iter().filter(|model| model.submittable);
    let own = own.map(|model| model.canonical.as_str());
    let others = view.ruleset.other_models.iter().map(String::as_str);
    let allowed: Vec<&str> = others.chain(own).collect();
    let mut seen: Vec<&str> = Vec::new();
    for (files, point) in &view.loaded {
        let Some(name) = point.model_name.as_deref().filter(|name| !name.is_empty()) else {
            continue;
        };
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let path = &files.point.path;
        if allowed.contains(&name) {
            sink.pass(RULE, path);
            continue;
        }
        let canonical = canonical(name);
        let key = if allowed.contains(&canonical.as_str()) { "noncanonical" } else { "fail" };
        sink.add(RULE, key, path)
            .with("name", format!("{name:?}"))
            .with("canonical", canonical)
            .with("allowed", allowed.join(", "))
            .field("model_name");
    }
}

/// The last part of a name with everything but letters, digits, `_` and `-` as single `_`.
fn canonical(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default().trim();
    let mut slug = String::new();
    for c in last.chars() {
        let c = if c.is_alphanumeric() || c == '-' { c } else { '_' };
        if c != '_' || !slug.ends_with('_') {
            slug.push(c);
        }
    }
    slug.trim_matches('_').chars().take(NAME).collect()
}

/// The directory's name, and that there is one model only.
pub(in super::super) fn consistency(view: &View<'_>, sink: &mut Sink) {
    let path = view.curve.path.as_path();
    let declared = view.loaded.iter().filter_map(|(_, point)| point.model_name.as_deref());
    let mut names: Vec<&str> = declared.filter(|name| !name.is_empty()).collect();
    if view.kind == Kind::Submission {
        const RULE: &str = "model-name-consistency";
        let directory = &view.curve.name;
        let key = match names.first() {
            None => "warn",
            Some(name) if name == directory => "pass",
            Some(_) => "fail",
        };
        let name = names.first().copied().unwrap_or_default();
        sink.add(RULE, key, path).with("name", name).with("directory", directory);
    }
    names.sort_unstable();
    names.dedup();
    distinct("config-consistency-model", &names, view, sink);
    let mut datasets: Vec<&str> =
        view.measured.iter().map(|(point, _)| point.dataset.as_str()).collect();
    datasets.sort_unstable();
    datasets.dedup();
    distinct("config-consistency-dataset", &datasets, view, sink);
}

/// One value along the curve.
pub(super) fn distinct(rule: &str, values: &[&str], view: &View<'_>, sink: &mut Sink) {
    match values {
        [] => {}
        [_] => sink.pass(rule, &view.curve.path),
        several => {
            sink.add(rule, "fail", &view.curve.path).with("names", several.join(", "));
        }
    }
}

/// `shared_src` and `shared_docs` of every point, each distinct value once.
pub(in super::super) fn shared(view: &View<'_>, context: &Context<'_>, sink: &mut Sink) {
    const RULE: &str = "shared-path-resolution";
    if view.kind != Kind::Submission {
        return;
    }
    let mut groups: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for (at, (_, point)) in view.loaded.iter().enumerate() {
        for (field, value) in
            [("shared_src", &point.shared_src), ("shared_docs", &point.shared_docs)]
        {
            let Some(value) = value.as_deref() else { continue };
            match groups.iter_mut().find(|(f, v, _)| *f == field && *v == value) {
                Some((_, _, points)) => points.push(at),
                None => groups.push((field, value, vec![at])),
            }
        }
    }
    for (field, value, points) in groups {
        let path = &view.loaded[points[0]].0.point.path;
        if resolves(value, context) {
            sink.pass(RULE, path);
            continue;
        }
        let names: Vec<&str> = points.iter().map(|at| view.loaded[*at].0.name.as_str()).collect();
        sink.add(RULE, "fail", path)
            .with("field", field)
            .with("value", format!("{value:?}"))
            .with("points", names.join(", "))
            .field(field);
    }
}

/// Whether a value leads to a directory below the root.
fn resolves(value: &str, context: &Context<'_>) -> bool {
    let value = value.trim();
    if value.is_empty() || value.starts_with(['/', '~']) {
        return false;
    }
    let value = value.replace('\\', "/");
    let parts: Vec<&str> =
        value.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let below: PathBuf = parts.iter().collect();
    !parts.is_empty()
        && !parts.contains(&"..")
        && context.folder.is_dir(&context.root().join(below))
}
