//! Loading: a path in, a valid scenario and every finding out.

use std::path::Path;

use crate::diagnostics::{Diagnostic, Place, Severity, SourceMap};
use crate::yaml::{Kind, Node, Pointer};

use super::compose::Composer;
use super::partial::Partial;
use super::paths::Home;
use super::valid::ValidScenario;
use super::{overrides, paths, schema, secrets, validate, variables};

/// How deep to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The file itself and whether the files that it names exist.
    File,
    /// The contents of the data sets too.
    Full,
}

/// What to load.
pub struct LoadRequest<'a> {
    /// The scenario file.
    pub path: &'a Path,
    /// Looks up an environment variable for `${VAR}`.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Overrides (`--set path=value`), applied in order after `extends`.
    pub set: &'a [(String, String)],
    /// How deep to look.
    pub depth: Depth,
}

/// What loading gave.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario; present when no finding is an error.
    pub scenario: Option<ValidScenario>,
    /// Every finding of the three layers, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings point into, without secrets.
    pub sources: SourceMap,
}

impl Loaded {
    /// Whether the file itself, the one that was asked for, could not be read as a text.
    pub fn is_unreadable(&self, path: &Path) -> bool {
        self.sources.text(path).is_none()
    }
}

/// Loads and validates a scenario file. Never fails: what is wrong is a finding.
pub fn load(request: &LoadRequest<'_>) -> Loaded {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Vec::new());
    let scenario = document(request, &mut sources, &mut diagnostics)
        .and_then(|document| check(request, document, &mut sources, &mut diagnostics));
    sort(&mut diagnostics, request.path);
    let is_valid = diagnostics.iter().all(|finding| finding.severity < Severity::Error);
    limit(&mut diagnostics);
    Loaded { scenario: scenario.filter(|_| is_valid), diagnostics, sources }
}

/// A document merged and expanded.
struct Document {
    root: Node,
    /// The texts that could not be expanded; nothing more is said about them.
    broken: Vec<Pointer>,
}

/// The merged document with overrides and variables.
fn document(
    request: &LoadRequest<'_>,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Document> {
    let mut root = Composer::new(request.env, sources, diagnostics).compose(request.path, None)?;
    overrides::apply(&mut root, request.set, sources, diagnostics);
    secrets::warn_about_literals(&root, diagnostics);
    let broken = variables::expand(&mut root, request.env, sources, diagnostics);
    drop_empty(&mut root);
    Some(Document { root, broken })
}

/// Schema, then meaning.
fn check(
    request: &LoadRequest<'_>,
    document: Document,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<ValidScenario> {
    let Document { mut root, broken } = document;
    let mut findings = schema::compiled().check(&mut root, &secrets::is_secret);
    findings.retain(|finding| !broken.contains(&finding.pointer));
    let mut damaged = broken;
    damaged.extend(findings.iter().map(|finding| finding.pointer.clone()));
    diagnostics.extend(findings.into_iter().map(|finding| finding.diagnostic));

    let home = Home::of(request.path);
    paths::rebase(&mut root, &home);
    let partial = Partial::read(&root, &damaged, home.clone(), sources, diagnostics);
    validate::validate(&root, &partial, request.depth, diagnostics);

    if !damaged.is_empty() {
        return None;
    }
    let source_text = sources.text(request.path).unwrap_or_default().to_owned();
    match ValidScenario::new(&root.to_json(), &home, source_text) {
        Ok(scenario) => Some(scenario.located(&root, sources).stated(partial.statements)),
        Err(error) => {
            // Where a section says more than the schema, its finding is there already.
            if diagnostics.iter().all(|finding| finding.severity < Severity::Error) {
                let message = format!("the document is no scenario: {error}");
                let finding = Diagnostic::error("schema-violation", message);
                diagnostics.push(finding.at(request.path, Place::File, ""));
            }
            None
        }
    }
}

/// Most findings that are reported.
const MAX_FINDINGS: usize = 200;

/// Keeps the first findings, the errors among them if there are too many, and says how many more
/// there are.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_FINDINGS {
        return;
    }
    let total = diagnostics.len();
    if diagnostics.iter().filter(|f| f.severity == Severity::Error).count() > MAX_FINDINGS {
        diagnostics.retain(|finding| finding.severity == Severity::Error);
    }
    diagnostics.truncate(MAX_FINDINGS);
    let message = format!("at least {} more findings are not shown", total - MAX_FINDINGS);
    diagnostics.push(Diagnostic::new("more-findings", Severity::Note, message));
}

/// Removes every known key without a value; where the model's chat template or server is handed a
/// mapping as it is, a null stays. Removes texts, too, that are empty because a variable is, or
/// where an empty text means none.
fn drop_empty(root: &mut Node) {
    root.visit_mut(&Pointer::root(), &mut |pointer, node| {
        if matches!(
            pointer.segments().get(2).map(String::as_str),
            Some("chat_template_kwargs" | "extra" | "logit_bias")
        ) {
            return;
        }
        let Kind::Map(entries) = &mut node.kind else { return };
        entries.retain(|entry| match &entry.value.kind {
            // A key that the schema does not know stays, to be reported.
            Kind::Null => !schema::compiled().keys(pointer).contains(&entry.key),
            Kind::String(text) if text.is_empty() => {
                let place = pointer.join(&entry.key);
                let means_none = secrets::is_secret(&place)
                    || (paths::is_path(&place) && place.segments().len() == 2);
                entry.value.loose.is_none() && !means_none
            }
            _ => true,
        });
    });
}

/// Sorts findings by place: the scenario file first, then the others by name; equal ones once.
fn sort(diagnostics: &mut Vec<Diagnostic>, main: &Path) {
    diagnostics.sort_by_key(|finding| {
        let label = finding.labels.first();
        let place = label.map(|label| match &label.place {
            Place::File => (0, 0),
            Place::Line(line) => (1, *line),
            Place::Span(span) => (2, span.start as u64),
        });
        let file = label.map(|label| (label.file != main, label.file.clone()));
        (file, place)
    });
    diagnostics.dedup();
}
