//! Findings for people: the offending line, underlined.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::super::model::{Diagnostic, Label, Place, Severity};
use super::super::source::SourceMap;
use super::text::{clean, file_name};

/// Renders findings as rustc does: code, message, `file:line:column`, the line with the place
/// underlined, notes and help. Findings are separated by blank lines; the text ends with a
/// newline unless it is empty.
pub fn render_human(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let rendered: Vec<String> =
        diagnostics.iter().map(|finding| one(finding, sources, &renderer)).collect();
    if rendered.is_empty() { String::new() } else { rendered.join("\n\n") + "\n" }
}

/// One finding.
fn one(finding: &Diagnostic, sources: &SourceMap, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(clean(&finding.message)).id(finding.code);
    let mut group = Group::with_title(title);
    for (file, labels) in by_file(&finding.labels) {
        group = add_file(group, file, &labels, sources);
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(clean(note)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(clean(help)));
    }
    let text = renderer.render(&[group]);
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Labels grouped by file, in the order of the first label of each; the first one is primary.
fn by_file(labels: &[Label]) -> Vec<(&std::path::Path, Vec<(bool, &Label)>)> {
    let mut files: Vec<(&std::path::Path, Vec<(bool, &Label)>)> = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        let entry = (i == 0, label);
        match files.iter_mut().find(|(file, _)| *file == label.file) {
            Some((_, labels)) => labels.push(entry),
            None => files.push((&label.file, vec![entry])),
        }
    }
    files
}

/// Adds the labels of one file: a snippet where its text is known, else its name and line.
fn add_file<'a>(
    group: Group<'a>,
    file: &std::path::Path,
    labels: &[(bool, &'a Label)],
    sources: &'a SourceMap,
) -> Group<'a> {
    let annotations: Vec<Annotation<'a>> = match sources.text(file) {
        Some(text) => {
            labels.iter().filter_map(|(first, label)| annotate(*first, label, text)).collect()
        }
        None => Vec::new(),
    };
    if let (Some(text), false) = (sources.text(file), annotations.is_empty()) {
        return group.element(Snippet::source(text).path(file_name(file)).annotations(annotations));
    }
    let mut group = group;
    for (_, label) in labels {
        let origin = Origin::path(file_name(file));
        group = group.element(match label.place {
            Place::Line(line) => origin.line(usize::try_from(line).unwrap_or(usize::MAX)),
            Place::File | Place::Span(_) => origin,
        });
        if !label.message.is_empty() {
            group = group.element(Level::NOTE.message(clean(&label.message)));
        }
    }
    group
}

/// The underlining of one label; `None` for a file as a whole.
fn annotate<'a>(first: bool, label: &'a Label, text: &str) -> Option<Annotation<'a>> {
    let kind = if first { AnnotationKind::Primary } else { AnnotationKind::Context };
    let span = match &label.place {
        Place::File => return None,
        Place::Line(line) => line_span(text, *line)?,
        Place::Span(span) => {
            let start = text.floor_char_boundary(span.start.min(text.len()));
            start..text.ceil_char_boundary(span.end.clamp(start, text.len()))
        }
    };
    let annotation = kind.span(span);
    let message = Some(clean(&label.message)).filter(|message| !message.is_empty());
    Some(match message {
        Some(message) => annotation.label(message),
        None => annotation,
    })
}

/// The bytes of a 1-based line, without its end.
fn line_span(text: &str, line: u64) -> Option<std::ops::Range<usize>> {
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let start: usize = text.split_inclusive('\n').take(index).map(str::len).sum();
    let len = text.get(start..)?.split('\n').next()?.trim_end().len();
    Some(start..start + len)
}
