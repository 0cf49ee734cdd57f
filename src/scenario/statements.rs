//! The files of a submission that a scenario names: what is said of the system and of its power.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostics::{Diagnostic, SourceMap};
use crate::yaml::{self, Kind, Node};

use super::model::Submission;
use super::paths::Home;

/// The files of a submission, each as a mapping with its places. JSON is read as YAML.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// The system description (`submission.system`).
    pub system: Option<Node>,
    /// The power description (`submission.power`).
    pub power: Option<Node>,
}

impl Statements {
    /// Reads the files; what is wrong with one is a finding in it. One that is not there is the
    /// matter of another check.
    pub(super) fn read(
        submission: &Submission,
        home: &Home,
        sources: &mut SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut one = |path: &Option<std::path::PathBuf>| {
            let path = home.named(path.as_deref()?);
            path.is_file().then(|| mapping(&path, sources, diagnostics))?
        };
        Self { system: one(&submission.system), power: one(&submission.power) }
    }

    /// The whole number under a key of the system description.
    pub fn system_number(&self, key: &str) -> Option<u32> {
        match &self.system.as_ref()?.get(key)?.kind {
            Kind::Number(number) => number.as_u64()?.try_into().ok(),
            _ => None,
        }
    }
}

/// The mapping in a file.
fn mapping(
    path: &Path,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let text = match yaml::read(path) {
        Ok(text) => text,
        Err(finding) => {
            diagnostics.push(*finding);
            return None;
        }
    };
    sources.insert(path, text.as_str());
    let file: Arc<Path> = path.into();
    let parsed = yaml::parse(&file, &text);
    let clean = parsed.diagnostics.is_empty();
    diagnostics.extend(parsed.diagnostics);
    let root = parsed.root?;
    if matches!(root.kind, Kind::Map(_)) {
        return Some(root);
    }
    if clean {
        let message = format!("`{}` holds no mapping of keys to values", path.display());
        diagnostics.push(Diagnostic::error("statement-type", message).at(
            path,
            root.origin.place(),
            "",
        ));
    }
    None
}
