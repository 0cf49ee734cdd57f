//! What of a scenario can be read although parts of it are broken.

use serde::de::DeserializeOwned;

use crate::diagnostics::{Diagnostic, SourceMap};
use crate::yaml::{Node, Pointer};

use super::model::{Accuracy, Cache, Compliance, Dataset, Endpoint, Load, Mix, Model, Submission};
use super::paths::Home;
use super::statements::Statements;

/// The sections that the schema has nothing against. A section with a finding is `None`, so that
/// the checks of meaning say nothing about what is broken anyway; one that may be left out and is
/// has its defaults.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) model: Option<Model>,
    pub(super) endpoint: Option<Endpoint>,
    pub(super) datasets: Option<Vec<Dataset>>,
    pub(super) mix: Option<Mix>,
    pub(super) load: Option<Load>,
    pub(super) cache: Option<Cache>,
    pub(super) accuracy: Option<Accuracy>,
    pub(super) compliance: Option<Compliance>,
    pub(super) submission: Option<Submission>,
    /// The files that the submission section names.
    pub(super) statements: Statements,
    /// Whether there is a submission section, broken or not.
    pub(super) has_submission: bool,
    /// The directory that paths are relative to.
    pub(super) home: Home,
}

impl Partial {
    /// Reads the sections of a document. `damaged` are the places of the schema's findings.
    pub(super) fn read(
        root: &Node,
        damaged: &[Pointer],
        home: Home,
        sources: &mut SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut reader = Reader { root, damaged, diagnostics };
        let submission: Option<Submission> = reader.required("submission");
        let statements = match &submission {
            Some(section) => Statements::read(section, &home, sources, reader.diagnostics),
            None => Statements::default(),
        };
        Self {
            model: reader.required("model"),
            endpoint: reader.required("endpoint"),
            datasets: reader.required("datasets"),
            mix: reader.optional("mix"),
            load: reader.required("load"),
            cache: reader.optional("cache"),
            accuracy: reader.optional("accuracy"),
            compliance: reader.optional("compliance"),
            submission,
            statements,
            has_submission: root.get("submission").is_some(),
            home,
        }
    }
}

/// Reads sections.
struct Reader<'a> {
    root: &'a Node,
    damaged: &'a [Pointer],
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// A section that must be there.
    fn required<T: DeserializeOwned>(&mut self, section: &str) -> Option<T> {
        let is_damaged =
            |pointer: &Pointer| pointer.segments().first().is_some_and(|first| first == section);
        let node = self.root.get(section)?;
        if self.damaged.iter().any(is_damaged) {
            return None;
        }
        match serde_path_to_error::deserialize(node.to_json()) {
            Ok(value) => Some(value),
            Err(error) => {
                let path = error.path().iter().filter_map(segment);
                let pointer = path.fold(Pointer::root().join(section), |p, part| p.join(part));
                let origin = self.root.origin_of(&pointer);
                let message = format!("`{}`: {}", pointer.dotted(), error.inner());
                self.diagnostics.push(Diagnostic::error("wrong-format", message).at(
                    &*origin.file,
                    origin.place(),
                    "",
                ));
                None
            }
        }
    }

    /// A section with defaults.
    fn optional<T: DeserializeOwned + Default>(&mut self, section: &str) -> Option<T> {
        if self.root.get(section).is_none() { Some(T::default()) } else { self.required(section) }
    }
}

/// One step of a path.
fn segment(segment: &serde_path_to_error::Segment) -> Option<String> {
    match segment {
        serde_path_to_error::Segment::Seq { index } => Some(index.to_string()),
        serde_path_to_error::Segment::Map { key } => Some(key.clone()),
        _ => None,
    }
}
