//! Where each value of a scenario came from.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::overrides;
use crate::diagnostics::SourceMap;
use crate::yaml::{Kind, Node, Pointer};

/// A value of the resolved document and where it came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueOrigin {
    /// The path, as `--set` takes it.
    pub path: String,
    /// The value; `***` for a secret.
    pub value: Value,
    /// Where it came from.
    pub from: CameFrom,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameFrom {
    /// Nobody wrote it.
    Default,
    /// `--set`.
    CommandLine,
    /// A line of the scenario file, or of a file that it extends.
    File {
        /// The file, as findings name it.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Whether the text there holds a variable.
        variable: bool,
    },
}

impl fmt::Display for CameFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::CommandLine => f.write_str("--set"),
            Self::File { file, line, variable } => {
                let through = if *variable { " (variable)" } else { "" };
                write!(f, "{}:{line}{through}", file.display())
            }
        }
    }
}

impl Serialize for CameFrom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The origin of every leaf of `resolved`; lists of plain values are one leaf.
pub(super) fn origins(root: &Node, resolved: &Value, sources: &SourceMap) -> Vec<ValueOrigin> {
    let mut found = Vec::new();
    collect(&Pointer::root(), resolved, &mut |pointer, value| {
        let from = from(root, pointer, sources);
        found.push(ValueOrigin { path: pointer.dotted(), value: value.clone(), from });
    });
    found
}

/// Visits the leaves. The depth is that of the scenario's own types, or of a document whose depth
/// the parser bounds.
fn collect(pointer: &Pointer, value: &Value, found: &mut impl FnMut(&Pointer, &Value)) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                collect(&pointer.join(key), value, found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (index, value) in items.iter().enumerate() {
                collect(&pointer.join(index), value, found);
            }
        }
        // An empty mapping says nothing.
        Value::Object(_) => {}
        leaf => found(pointer, leaf),
    }
}

fn from(root: &Node, pointer: &Pointer, sources: &SourceMap) -> CameFrom {
    let Some(node) = root.at(pointer) else { return CameFrom::Default };
    let origin = root.origin_of(pointer);
    if origin.file.as_os_str() == overrides::FILE {
        return CameFrom::CommandLine;
    }
    let text = sources.text(&origin.file).unwrap_or_default();
    let before = text.get(..origin.span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let items = match &node.kind {
        Kind::List(items) => items.as_slice(),
        _ => &[],
    };
    let variable = std::iter::once(node).chain(items).any(|node| node.loose.is_some());
    CameFrom::File { file: origin.file.to_path_buf(), line, variable }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::scenario::{Depth, LoadRequest, load};

    #[test]
    fn every_value_has_its_origin() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
        write("data.jsonl", "").unwrap();
        write("base.yaml", "load:\n  concurrency: [1]\n  tail: stop\n").unwrap();
        let text = "schema: scenario/v1\nextends: base.yaml\nname: n\nmodel: { name: '${M}' }\n\
                    endpoint: { urls: ['http://h'], api_key: '${KEY}' }\n\
                    datasets:\n- name: d\n  path: data.jsonl\n";
        write("n.yaml", text).unwrap();
        let loaded = load(&LoadRequest {
            path: &folder.path().join("n.yaml"),
            env: &|name| Some(format!("value of {name}")),
            set: &[("load.turn_timeout".to_owned(), "5s".to_owned())],
            depth: Depth::File,
        });
        assert_eq!(loaded.diagnostics, []);
        let mut table = String::new();
        for value in loaded.scenario.unwrap().origins() {
            let from = value.from.to_string().replace(folder.path().to_str().unwrap(), "");
            let _ = writeln!(table, "{}: {} from {from}", value.path, value.value);
        }
        insta::assert_snapshot!(table, @r#"
        schema: "scenario/v1" from /n.yaml:1
        name: "n" from /n.yaml:3
        model.name: "value of M" from /n.yaml:4 (variable)
        endpoint.urls: ["http://h"] from /n.yaml:5
        endpoint.api_key: "***" from /n.yaml:5 (variable)
        endpoint.session_header: "X-Session-ID" from default
        endpoint.usage: true from default
        endpoint.reasoning_field: "reasoning_content" from default
        endpoint.connect_timeout: "10s" from default
        endpoint.max_idle: "500ms" from default
        datasets[0].name: "d" from /n.yaml:7
        datasets[0].path: "data.jsonl" from /n.yaml:8
        mix.order: "interleaved" from default
        mix.passes: 1 from default
        mix.seed: 42 from default
        load.concurrency: [1] from /base.yaml:2
        load.turn_timeout: "5s" from --set
        load.tool_delays: "recorded" from default
        load.tail: "stop" from /base.yaml:3
        cache.salt: true from default
        cache.generated_tokens: "clear" from default
        accuracy.inline: false from default
        accuracy.output_length: false from default
        log.prompts: false from default
        "#);
    }
}
