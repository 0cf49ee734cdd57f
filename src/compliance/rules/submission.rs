//! The tree as a whole, and the registries.

use super::super::context::Context;
use super::super::document::Value;
use super::super::finding::Sink;

/// Whether the registries could be read.
pub(in super::super) fn registries(context: &Context<'_>, sink: &mut Sink) {
    if let Err(reason) = &context.registries.seed_sets {
        sink.add_nowhere("seed-set-registry", "unavailable").with("reason", reason);
    }
    if let Err(reason) = &context.registries.drafters {
        sink.add_nowhere("drafter-list-registry", "unavailable").with("reason", reason);
    }
}

/// Whether the path exists.
pub(in super::super) fn path(context: &Context<'_>, sink: &mut Sink) -> bool {
    let exists = context.folder.exists(context.root());
    if exists {
        sink.pass("path-exists", context.root());
    } else {
        sink.add("path-exists", "fail", context.root());
    }
    exists
}

/// results/ and docs/. Says whether results/ is there.
pub(in super::super) fn directories(context: &Context<'_>, sink: &mut Sink) -> bool {
    let old: Vec<&str> = ["pareto", "documentation"]
        .into_iter()
        .filter(|name| context.folder.is_dir(&context.root().join(name)))
        .collect();
    let hint = match old.as_slice() {
        [] => String::new(),
        names => format!(" (there is {}/ of version 0.7)", names.join("/ and ")),
    };
    for name in ["results", "docs"] {
        let path = context.root().join(name);
        if context.folder.is_dir(&path) {
            sink.pass("required-dir", &path);
        } else {
            sink.add("required-dir", "fail", &path)
                .with("name", name)
                .with("hint", &hint)
                .field("");
        }
    }
    context.folder.is_dir(&context.root().join("results"))
}

/// src/ with its implementations.
pub(in super::super) fn sources(context: &Context<'_>, sink: &mut Sink) {
    let src = context.root().join("src");
    if !context.folder.is_dir(&src) {
        sink.add("src-dir", "fail", &src);
        return;
    }
    let implementations = context.folder.directories(&src);
    if implementations.is_empty() {
        sink.add("src-dir", "fail-2", &src);
        return;
    }
    sink.pass("src-dir", &src);
    for implementation in implementations {
        let files = context.folder.entries(&implementation.path);
        let readme = files.iter().find(|file| {
            file.name.to_string_lossy().to_lowercase() == "readme.md"
                && context.folder.is_file(&file.path)
        });
        if let Some(readme) = readme {
            sink.pass("src-readme", &readme.path);
            continue;
        }
        let name = implementation.name.to_string_lossy();
        sink.add("src-readme", "fail", &implementation.path.join("README.md")).with("name", name);
    }
}

/// Whether there is a system.
pub(in super::super) fn systems(context: &Context<'_>, sink: &mut Sink) -> bool {
    if context.systems.is_empty() {
        sink.add("system-results-dir", "fail", &context.root().join("results"));
    }
    !context.systems.is_empty()
}

/// Accuracy results anywhere below results/.
pub(in super::super) fn accuracy_present(context: &Context<'_>, sink: &mut Sink) {
    let results = context.root().join("results");
    let entries = context.folder.walk(&results);
    let has = entries.iter().any(|entry| entry.name == "accuracy_results.json")
        || entries.iter().any(|entry| {
            let scores = |value: &Value| match value {
                Value::Map(_) | Value::List(_) => value.is_truthy(),
                _ => false,
            };
            entry.name == "results.json"
                && context
                    .folder
                    .json(entry.path.clone())
                    .map()
                    .and_then(|map| map.get("accuracy_scores"))
                    .is_some_and(scores)
        });
    if has {
        sink.pass("accuracy-present", &results);
    } else {
        sink.add("accuracy-present", "fail", &results);
    }
}
