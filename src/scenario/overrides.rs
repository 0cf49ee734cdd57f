//! `--set path=value`: values from the command line.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostics::{Diagnostic, SourceMap};
use crate::yaml::{self, Entry, Kind, Node, Origin, Pointer};

use super::mask::mask;
use super::secrets;

/// The name under which findings point at the command line.
pub(super) const FILE: &str = "--set";

/// Longest path: deeper than any place of the schema, and shallow enough to recurse into.
const MAX_SEGMENTS: usize = 16;

/// Puts the overrides into a document, in order. An empty value removes the key.
pub(super) fn apply(
    root: &mut Node,
    overrides: &[(String, String)],
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let file: Arc<Path> = Path::new(FILE).into();
    let mut text = String::new();
    for (path, value) in overrides {
        let path_start = text.len();
        text.push_str(path);
        text.push('=');
        let value_start = text.len();
        // A line end would make the value look like two overrides.
        let value = value.replace(['\n', '\r'], " ");
        text.push_str(&value);
        let path_origin =
            Origin { file: Arc::clone(&file), span: path_start..path_start + path.len() };
        let node = read_value(&file, &value, value_start);
        match pointer(path) {
            Some(pointer) if pointer.segments()[0] == "extends" => {
                let why = "files are merged before values are set";
                diagnostics.push(misplaced(path, why, &path_origin));
            }
            Some(pointer) => {
                if let Err(why) = put(root, &pointer, &path_origin, node) {
                    diagnostics.push(misplaced(path, &why, &path_origin));
                }
                if secrets::is_secret(&pointer) {
                    text.replace_range(value_start.., &"*".repeat(value.len()));
                }
            }
            None => diagnostics.push(misplaced(path, "it is no path", &path_origin)),
        }
        text.push('\n');
    }
    if !overrides.is_empty() {
        sources.insert(&*file, mask(&text, None));
    }
}

/// The segments of `load.concurrency`, `datasets[0].path` or `datasets.0.path`.
fn pointer(path: &str) -> Option<Pointer> {
    let dotted = path.replace('[', ".").replace(']', "");
    let well_formed = dotted.split('.').count() <= MAX_SEGMENTS
        && dotted.split('.').all(|segment| !segment.trim().is_empty());
    well_formed
        .then(|| dotted.split('.').fold(Pointer::root(), |p, segment| p.join(segment.trim())))
}

/// The value as YAML; a text where it is none, or where the schema asks for one.
fn read_value(file: &Arc<Path>, value: &str, offset: usize) -> Node {
    let parsed = yaml::parse(file, value);
    let whole = Origin { file: Arc::clone(file), span: 0..value.len() };
    let mut node = match parsed.root {
        Some(root) if parsed.diagnostics.is_empty() => root,
        _ => Node::new(Kind::String(value.to_owned()), whole),
    };
    if node.kind != Kind::Null {
        node.loose = Some(value.to_owned());
    }
    node.shift(offset);
    node
}

/// Puts a value at a path; makes the mappings on the way that are not there.
fn put(root: &mut Node, pointer: &Pointer, origin: &Origin, value: Node) -> Result<(), String> {
    let mut node = root;
    for (depth, segment) in pointer.segments().iter().enumerate() {
        let is_last = depth + 1 == pointer.segments().len();
        if node.kind == Kind::Null {
            node.kind = Kind::Map(Vec::new());
        }
        let kind = node.describe();
        node = match &mut node.kind {
            Kind::Map(entries) => {
                let index = entries.iter().position(|entry| entry.key == *segment);
                let index = index.unwrap_or_else(|| {
                    let value = Node::new(Kind::Null, origin.clone());
                    let key_origin = origin.clone();
                    entries.push(Entry { key: segment.clone(), key_origin, value });
                    entries.len() - 1
                });
                if is_last {
                    entries[index].key_origin = origin.clone();
                }
                &mut entries[index].value
            }
            Kind::List(items) => {
                let last = items.len().checked_sub(1);
                segment.parse::<usize>().ok().and_then(|index| items.get_mut(index)).ok_or_else(
                    || match last {
                        Some(last) => format!("`{segment}` is no index from 0 to {last}"),
                        None => "the list is empty".to_owned(),
                    },
                )?
            }
            _ => return Err(format!("`{segment}` would be inside {kind}")),
        };
    }
    *node = value;
    Ok(())
}

/// The finding of a path that leads nowhere.
fn misplaced(path: &str, why: &str, origin: &Origin) -> Diagnostic {
    Diagnostic::error("override-path", format!("`--set {path}` cannot be applied: {why}"))
        .at(&*origin.file, origin.place(), "leads nowhere")
        .help("write the path as in `load.turn_timeout` or `datasets[0].path`")
}
