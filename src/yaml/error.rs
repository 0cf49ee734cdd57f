//! The hazards of YAML, as findings.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_yaml::budget::BudgetBreach;
use serde_yaml::{Error, Location};

use crate::diagnostics::{Diagnostic, Place};

use super::node::Origin;
use super::parse::{MAX_DEPTH, MAX_NODES};
use super::pointer::first_word;

/// Every code that this module and its siblings give, with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("file-unreadable", "A file cannot be read."),
    ("file-too-large", "A YAML file is larger than 1 MiB."),
    ("file-not-utf8", "A YAML file is not UTF-8 text."),
    ("yaml-empty", "A YAML file holds no value."),
    ("yaml-syntax", "The text is no YAML."),
    ("yaml-tab", "A line is indented with a tab."),
    ("yaml-duplicate-key", "A key occurs twice in one mapping."),
    ("yaml-key", "A key is no text."),
    ("yaml-number", "A number is not finite or needs more than 64 bits."),
    ("yaml-depth", "Lists and mappings are nested too deeply."),
    ("yaml-expansion", "Anchors and aliases expand to too many values."),
    ("yaml-anchor", "An alias names an anchor that does not exist or holds the alias itself."),
    ("yaml-documents", "The file holds several documents."),
    ("yaml-tag", "A tag is not known."),
];

/// What is wrong with a single key or value.
#[derive(Clone, Copy)]
pub(super) enum Hazard {
    /// Not finite, or beyond 64 bits.
    Number,
    /// A key that is no text.
    Key,
}

/// The finding of a hazard at a key or value. Here nobody knows yet what is secret, so that no
/// message quotes a value; the line itself is shown anyway, masked where it must be.
pub(super) fn hazard(hazard: Hazard, origin: &Origin) -> Diagnostic {
    match hazard {
        Hazard::Number => {
            Diagnostic::error("yaml-number", "a number must be finite and fit into 64 bits")
                .at(&*origin.file, origin.place(), "cannot be represented")
                .help("write a smaller number, or put it into quotes if it is a text")
        }
        Hazard::Key => Diagnostic::error("yaml-key", "a key must be a text")
            .at(&*origin.file, origin.place(), "this key is none")
            .help("put the key into quotes"),
    }
}

/// The finding of a key that occurs twice.
pub(super) fn duplicate_key(key: &str, second: &Origin, first: &Origin) -> Diagnostic {
    let key = first_word(key);
    Diagnostic::error("yaml-duplicate-key", format!("the key `{key}` occurs twice"))
        .at(&*second.file, second.place(), "second occurrence")
        .at(&*first.file, first.place(), "first occurrence")
        .help("remove one of the two")
}

/// The bytes of a parser's location. Where the parser knows only line and column, one character.
pub(super) fn span(location: Location, text: &str) -> Range<usize> {
    let exact = location.span();
    if let (Some(start), Some(len)) = (exact.byte_offset(), exact.byte_len()) {
        let (start, len) = (saturate(start), saturate(len));
        return clamp(start..start.saturating_add(len), text);
    }
    let line = saturate(location.line()).saturating_sub(1);
    let column = saturate(location.column()).saturating_sub(1);
    let line_start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or_default();
    let line_text = rest.split('\n').next().unwrap_or_default();
    let offset: usize = line_text.chars().take(column).map(char::len_utf8).sum();
    let len = line_text[offset..].chars().next().map_or(0, char::len_utf8);
    clamp(line_start + offset..line_start + offset + len, text)
}

/// A usize, saturating.
fn saturate(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// The part of a range that lies in the text, on character boundaries, without line ends and
/// blanks at its end.
fn clamp(range: Range<usize>, text: &str) -> Range<usize> {
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.clamp(start, text.len()));
    start..start + text[start..end].trim_end().len()
}

/// The finding of an error that stopped the parser.
pub(super) fn from_parser(error: &Error, file: &Arc<Path>, text: &str) -> Diagnostic {
    // Of an alias, the place where it is used tells more than the anchor.
    let location = match error {
        Error::AliasError { locations, .. } => Some(locations.reference_location),
        other => other.location(),
    };
    let error = innermost(error);
    let place = location
        .filter(|location| location.line() > 0)
        .map_or(Place::File, |location| Place::Span(span(location, text)));
    let (code, message, help) = explain(error);
    if code == "yaml-syntax"
        && let Some(finding) = tab(&place, file, text)
    {
        return finding;
    }
    let mut finding = Diagnostic::error(code, message).at(&**file, place, "");
    finding.help = help.map(str::to_owned);
    finding
}

/// The error inside wrappers.
fn innermost(error: &Error) -> &Error {
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => innermost(error),
        other => other,
    }
}

/// Code, message and help of an error.
fn explain(error: &Error) -> (&'static str, String, Option<&'static str>) {
    match error {
        Error::Eof { .. } => no_value(),
        Error::MultipleDocuments { .. }
        | Error::Budget { breach: BudgetBreach::Documents { .. }, .. } => (
            "yaml-documents",
            "the file holds several YAML documents".to_owned(),
            Some("keep one document: remove the `---` line and what follows it"),
        ),
        Error::UnsupportedTag { .. } => (
            "yaml-tag",
            "the tag before this value is not known".to_owned(),
            Some("remove the tag; only YAML's own tags are understood"),
        ),
        Error::UnknownAnchor { .. } => (
            "yaml-anchor",
            "no anchor of this name stands before the alias".to_owned(),
            Some("define it with `&name` further up"),
        ),
        Error::RecursiveReferencesRequireWeakTypes { .. } => (
            "yaml-anchor",
            "an alias refers to a value that holds the alias itself".to_owned(),
            Some("write the value out"),
        ),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => too_deep(),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::Budget { .. } => (
            "yaml-expansion",
            format!(
                "the document holds or expands to more than {MAX_NODES} values or 16 MiB of text"
            ),
            Some("use fewer anchors and aliases"),
        ),
        other => syntax(&plain_message(other)),
    }
}

/// The finding of a document without a value.
pub fn empty(origin: &Origin) -> Diagnostic {
    let (code, message, help) = no_value();
    let mut finding = Diagnostic::error(code, message).at(&*origin.file, Place::File, "");
    finding.help = help.map(str::to_owned);
    finding
}

/// A file without a value.
fn no_value() -> (&'static str, String, Option<&'static str>) {
    (
        "yaml-empty",
        "the file holds nothing, or only comments".to_owned(),
        Some("`scenario init` writes a scenario to start from"),
    )
}

/// Nested too deeply.
fn too_deep() -> (&'static str, String, Option<&'static str>) {
    (
        "yaml-depth",
        format!("lists and mappings are nested more than {MAX_DEPTH} deep"),
        Some("a scenario needs no more than a handful of levels"),
    )
}

/// What the scanner complained about, in words for the author.
fn syntax(message: &str) -> (&'static str, String, Option<&'static str>) {
    if message.contains("nesting") || message.contains("recursion limit") {
        return too_deep();
    }
    let help = HINTS.iter().find(|(part, _)| message.contains(part)).map(|(_, help)| *help);
    // The scanner quotes characters as `x'.
    let message = message.replace('\'', "`");
    ("yaml-syntax", format!("the text is no YAML: {message}"), help)
}

/// What helps against a complaint of the scanner that holds a certain text.
const HINTS: [(&str, &str); 5] = [
    ("mapping values are not allowed", "put a text that holds `: ` into quotes"),
    ("unexpected character", "put a text that starts with a special character into quotes"),
    ("unclosed quote", "close the quote"),
    ("did not find expected key", "check the indentation of this line and the one above"),
    ("illegal placement", "is a list or mapping in brackets not closed?"),
];

/// The finding of a tab in the indentation of the line of a place or the next one, if there is
/// one.
fn tab(place: &Place, file: &Arc<Path>, text: &str) -> Option<Diagnostic> {
    let Place::Span(span) = place else { return None };
    let mut start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
    for line in text[start..].split_inclusive('\n').take(2) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..indent].find('\t') {
            let place = Place::Span(start + tab..start + tab + 1);
            return Some(
                Diagnostic::error("yaml-tab", "the line is indented with a tab")
                    .at(&**file, place, "this is a tab")
                    .help("YAML allows only spaces for indentation"),
            );
        }
        start += line.len();
    }
    None
}

/// The parser's message without its position, which the finding shows anyway.
fn plain_message(error: &Error) -> String {
    match error {
        Error::Message { msg, .. } | Error::ExternalMessage { msg, .. } => msg.clone(),
        other => {
            let text = other.to_string();
            let end = text.find(" at line ").or_else(|| text.find(" (line ")).unwrap_or(text.len());
            text[..end].to_owned()
        }
    }
}
