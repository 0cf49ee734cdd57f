//! Where in a file a field stands, for findings about it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::document::{Folder, spans};
use super::finding::Finding;
use crate::diagnostics::{Diagnostic, Place, Position, SourceMap};
use crate::yaml::{self, Kind, Node, Pointer};

/// Longest line that is shown; of files with longer ones only the number is told.
const MAX_LINE: usize = 400;
/// Most bytes of texts that are kept to be shown.
const MAX_SHOWN: usize = 64 << 20;

/// The findings for the renderers, each at its line where there is one, and the texts to show.
pub(super) fn located<'a>(
    root: &Path,
    findings: impl Iterator<Item = &'a Finding> + Clone,
) -> (Vec<Diagnostic>, SourceMap) {
    let folder = Folder::new(root);
    let mut fields: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    for finding in findings.clone().filter(|finding| !finding.field.is_empty()) {
        if let Some(path) = &finding.path {
            fields.entry(path.clone()).or_default().insert(finding.field.clone());
        }
    }
    let (mut sources, mut shown) = (SourceMap::default(), 0);
    let mut places: BTreeMap<PathBuf, BTreeMap<String, Place>> = BTreeMap::new();
    for (path, fields) in fields {
        let Some(text) = folder.text(&path) else { continue };
        let found = spans_of(&path, &text, &fields);
        let is_shown = shown + text.len() <= MAX_SHOWN && text.lines().all(|l| l.len() <= MAX_LINE);
        let place = |span: Range<usize>| {
            let line = || Place::Line(Position::of(&text, span.start).line);
            if is_shown { Place::Span(span.clone()) } else { line() }
        };
        let found = found.into_iter().map(|(field, span)| (field, place(span)));
        places.insert(path.clone(), found.collect());
        if is_shown {
            shown += text.len();
            sources.insert(path, text);
        }
    }
    let diagnostic = |finding: &Finding| {
        let found = finding.path.as_ref().and_then(|path| places.get(path)?.get(&finding.field));
        finding.diagnostic_at(found.cloned())
    };
    (findings.map(diagnostic).collect(), sources)
}

/// Where fields stand: each itself, else the nearest level above that is there.
fn spans_of(path: &Path, text: &str, fields: &BTreeSet<String>) -> BTreeMap<String, Range<usize>> {
    if path.extension().is_some_and(|ending| ending == "json") {
        let wanted = fields.iter().flat_map(|field| levels(field)).collect();
        let found = spans(text, wanted);
        let nearest = |field: &String| {
            let span = levels(field).find_map(|level| found.get(&level))?;
            Some((field.clone(), span.clone()))
        };
        return fields.iter().filter_map(nearest).collect();
    }
    let Some(root) = yaml::parse(&Arc::from(path), text).root else { return BTreeMap::new() };
    let span = |field: &String| {
        let pointer = pointer(&root, field);
        let is_there = !pointer.segments().is_empty();
        is_there.then(|| (field.clone(), root.origin_of(&pointer).span))
    };
    fields.iter().filter_map(span).collect()
}

/// A dotted path and all above it.
fn levels(field: &str) -> impl Iterator<Item = String> {
    std::iter::successors(Some(field), |field| Some(field.rsplit_once('.')?.0)).map(str::to_owned)
}

/// As much of a dotted path as there is; keys may hold dots themselves.
fn pointer(root: &Node, field: &str) -> Pointer {
    let (mut pointer, mut node, mut rest) = (Pointer::root(), root, field);
    while !rest.is_empty() {
        let after = |key: &str| {
            let rest = rest.strip_prefix(key)?;
            if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
        };
        let next = match &node.kind {
            Kind::Map(entries) => {
                let fits = entries.iter().filter_map(|e| Some((e, after(&e.key)?)));
                let longest = fits.max_by_key(|(entry, _)| entry.key.len());
                longest.map(|(entry, rest)| (pointer.join(&entry.key), &entry.value, rest))
            }
            Kind::List(items) => {
                let (index, rest) = rest.split_once('.').unwrap_or((rest, ""));
                let item = index.parse().ok().and_then(|i: usize| items.get(i));
                item.map(|item| (pointer.join(index), item, rest))
            }
            _ => None,
        };
        let Some(next) = next else { break };
        (pointer, node, rest) = next;
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str, text: &str, field: &str) -> String {
        let fields = BTreeSet::from([field.to_owned()]);
        let found = spans_of(Path::new(path), text, &fields);
        found.get(field).map_or_else(|| "nowhere".to_owned(), |span| text[span.clone()].to_owned())
    }

    #[test]
    fn fields_of_yaml_are_found() {
        let text = "a: 1\nb:\n  - x: 2\n  - x: [7, 8]\nc.d:\n  e: 'f'\n";
        for (field, expected) in [
            ("a", "1"),
            ("b", "b"),
            ("b.1.x.1", "8"),
            ("b.0.x", "2"),
            ("b.0.y", "x"),
            ("c.d.e", "'f'"),
            ("c.d.z", "c.d"),
            ("zz", "nowhere"),
        ] {
            assert_eq!(shown("x.yaml", text, field), expected, "{field}");
        }
    }

    #[test]
    fn fields_of_json_are_found_whatever_else_is_wrong() {
        let text =
            r#"{"a": NaN, "b": [{"x": 2}, {"x": [7, "8"]}], "c": {"90.0": 5, "d": {}}, "a": -1}"#;
        for (field, expected) in [
            ("a", "-1"),
            ("b", "\"b\""),
            ("b.1.x.1", "\"8\""),
            ("b.0.y", "{"),
            ("c.90.0", "5"),
            ("c.90", "\"c\""),
            ("c.d", "\"d\""),
            ("zz", "nowhere"),
        ] {
            assert_eq!(shown("x.json", text, field), expected, "{field}");
        }
        assert_eq!(shown("x.json", "{\"a\": {\"b\": 1", "a.b"), "1");
    }
}
