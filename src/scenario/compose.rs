//! Files to one document: reading, `extends`, masking of secrets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostics::{Diagnostic, SourceMap};
use crate::yaml::{self, Entry, Kind, Node, Origin};

use super::mask::mask;
use super::variables::{self, Lookup};

/// Longest chain of files that extend one another.
const MAX_CHAIN: usize = 16;

/// Reads a file and everything that it extends.
pub(super) struct Composer<'a> {
    /// Looks up environment variables.
    pub(super) env: Lookup<'a>,
    /// The texts read so far, without secrets.
    pub(super) sources: &'a mut SourceMap,
    /// What is wrong so far.
    pub(super) diagnostics: &'a mut Vec<Diagnostic>,
    /// The files that are being read, outermost first, by their real paths.
    chain: Vec<PathBuf>,
}

impl<'a> Composer<'a> {
    /// A composer that has read nothing yet.
    pub(super) fn new(
        env: Lookup<'a>,
        sources: &'a mut SourceMap,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self { env, sources, diagnostics, chain: Vec::new() }
    }

    /// The merged document of a file; `None` when a file is no mapping or cannot be read.
    /// `extended_at` is where another file names this one.
    pub(super) fn compose(&mut self, path: &Path, extended_at: Option<&Origin>) -> Option<Node> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(origin) = extended_at.filter(|_| self.chain.contains(&real)) {
            self.diagnostics.push(cycle(path, origin));
            return None;
        }
        if let Some(origin) = extended_at.filter(|_| self.chain.len() >= MAX_CHAIN) {
            self.diagnostics.push(too_long(origin));
            return None;
        }
        let mut root = self.read(path, extended_at)?;
        let Some(base) = take_extends(&mut root) else { return Some(root) };
        self.chain.push(real);
        let merged = self.base_of(path, &base).map(|base| yaml::merge(base, root));
        self.chain.pop();
        merged
    }

    /// The document that an `extends` entry names.
    fn base_of(&mut self, path: &Path, extends: &Entry) -> Option<Node> {
        let origin = &extends.value.origin;
        let Some(name) = extends.value.as_str() else {
            let message = format!("`extends` must be a text, found {}", extends.value.describe());
            self.diagnostics.push(
                Diagnostic::error("extends-type", message)
                    .at(&*extends.key_origin.file, extends.key_origin.place(), "")
                    .help("name one file, relative to this one"),
            );
            return None;
        };
        let before = self.diagnostics.len();
        let name = variables::expand_text(name, origin, self.env, self.sources, self.diagnostics);
        if self.diagnostics.len() > before {
            return None;
        }
        let base = path.parent().unwrap_or(Path::new("")).join(name);
        self.compose(&base, Some(origin))
    }

    /// One file's own tree.
    fn read(&mut self, path: &Path, extended_at: Option<&Origin>) -> Option<Node> {
        let text = match yaml::read(path) {
            Ok(text) => text,
            Err(mut finding) => {
                if let Some(origin) = extended_at {
                    finding.labels.clear();
                    *finding = finding.at(&*origin.file, origin.place(), "extended here");
                }
                self.diagnostics.push(*finding);
                return None;
            }
        };
        let file: Arc<Path> = path.into();
        let parsed = yaml::parse(&file, &text);
        self.sources.insert(path, mask(&text, parsed.root.as_ref()));
        self.diagnostics.extend(parsed.diagnostics);
        let root = parsed.root?;
        match root.kind {
            Kind::Map(_) => Some(root),
            Kind::Null => {
                self.diagnostics.push(yaml::empty(&root.origin));
                None
            }
            _ => {
                self.diagnostics.push(no_mapping(&root));
                None
            }
        }
    }
}

/// Removes the `extends` entry from a mapping.
fn take_extends(root: &mut Node) -> Option<Entry> {
    let Kind::Map(entries) = &mut root.kind else { return None };
    let at = entries.iter().position(|entry| entry.key == "extends")?;
    Some(entries.remove(at)).filter(|entry| entry.value.kind != Kind::Null)
}

/// The finding of a file that extends itself.
fn cycle(path: &Path, origin: &Origin) -> Diagnostic {
    let message = format!("`{}` extends itself, directly or through others", path.display());
    Diagnostic::error("extends-cycle", message)
        .at(&*origin.file, origin.place(), "closes the circle")
        .help("remove one of the `extends`")
}

/// The finding of a chain that is too long.
fn too_long(origin: &Origin) -> Diagnostic {
    let message = format!("more than {MAX_CHAIN} files extend one another");
    Diagnostic::error("extends-chain", message)
        .at(&*origin.file, origin.place(), "one file too many")
        .help("merge some of the files")
}

/// The finding of a document that is no mapping.
fn no_mapping(root: &Node) -> Diagnostic {
    let message = format!("a scenario must be a mapping, found {}", root.describe());
    Diagnostic::error("document-type", message)
        .at(&*root.origin.file, root.origin.place(), "the document starts here")
        .help("start with `schema: scenario/v1`; `scenario init` writes a scenario to start from")
}
