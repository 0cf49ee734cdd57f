//! `${VAR}` and `${VAR:-default}`.

use std::ops::Range;

use crate::diagnostics::{Diagnostic, SourceMap};
use crate::yaml::{Kind, Node, Origin, Pointer};

/// Looks up an environment variable.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One piece of a text with variables.
enum Piece<'a> {
    /// As it is.
    Text(&'a str),
    /// A variable, its default if it has one, and its bytes in the text.
    Variable { name: &'a str, default: Option<&'a str>, span: Range<usize> },
}

/// Why a text with variables cannot be read.
enum Fault {
    /// A `${` without its `}`.
    Open,
    /// What stands between the braces is no variable.
    Form,
}

/// Expands the variables in every text below a node; what cannot be expanded is a finding, and
/// its place is given back. `$${` stands for `${`.
pub(super) fn expand(
    root: &mut Node,
    env: Lookup<'_>,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Pointer> {
    let mut broken = Vec::new();
    root.visit_mut(&Pointer::root(), &mut |pointer, node| {
        let Kind::String(text) = &node.kind else { return };
        if !text.contains("${") {
            return;
        }
        let before = diagnostics.len();
        let expanded = expand_text(text, &node.origin, env, sources, diagnostics);
        if diagnostics.len() > before {
            broken.push(pointer.clone());
            return;
        }
        node.loose = Some(expanded.clone());
        node.kind = Kind::String(expanded);
    });
    broken
}

/// Expands the variables in one text.
pub(super) fn expand_text(
    text: &str,
    origin: &Origin,
    env: Lookup<'_>,
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> String {
    let mut expanded = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Ok(Piece::Text(text)) => expanded.push_str(text),
            Ok(Piece::Variable { name, default, span }) => {
                match (env(name).filter(|value| default.is_none() || !value.is_empty()), default) {
                    (Some(value), _) => expanded.push_str(&value),
                    (None, Some(default)) => expanded.push_str(default),
                    (None, None) => {
                        let place = locate(text, span, origin, sources);
                        diagnostics.push(missing(name, &place));
                    }
                }
            }
            Err((fault, span)) => {
                let place = locate(text, span, origin, sources);
                diagnostics.push(malformed(&fault, &place));
            }
        }
    }
    expanded
}

/// Whether a text, quotes around it aside, is nothing but variables without defaults of their
/// own; such a text holds no secret itself.
pub(super) fn is_reference(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'']).trim();
    !text.is_empty()
        && pieces(text).iter().all(|piece| match piece {
            Ok(Piece::Variable { default, .. }) => default.is_none_or(str::is_empty),
            Ok(Piece::Text(text)) => text.trim().is_empty() || *text == "Bearer ",
            Err(_) => false,
        })
}

/// Cuts a text at its variables.
fn pieces(text: &str) -> Vec<Result<Piece<'_>, (Fault, Range<usize>)>> {
    let mut pieces = Vec::new();
    let mut rest = 0;
    while let Some(at) = text[rest..].find("${").map(|at| rest + at) {
        if text[rest..at].ends_with('$') {
            pieces.push(Ok(Piece::Text(&text[rest..at - 1])));
            pieces.push(Ok(Piece::Text("${")));
            rest = at + 2;
            continue;
        }
        pieces.push(Ok(Piece::Text(&text[rest..at])));
        let Some(end) = text[at..].find('}').map(|end| at + end + 1) else {
            pieces.push(Err((Fault::Open, at..text.len())));
            return pieces;
        };
        let inside = &text[at + 2..end - 1];
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        pieces.push(if is_name(name) && !default.is_some_and(|text| text.contains("${")) {
            Ok(Piece::Variable { name, default, span: at..end })
        } else {
            Err((Fault::Form, at..end))
        });
        rest = end;
    }
    pieces.push(Ok(Piece::Text(&text[rest..])));
    pieces
}

/// Whether a text can be the name of a variable.
fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The place of a part of a text in its file; the whole text where it was written with escapes or
/// over several lines.
fn locate(text: &str, part: Range<usize>, origin: &Origin, sources: &SourceMap) -> Origin {
    let same_before = text[..part.start].matches(&text[part.clone()]).count();
    let written = sources.text(&origin.file).and_then(|file| file.get(origin.span.clone()));
    let found = written.and_then(|written| {
        written.match_indices(&text[part.clone()]).nth(same_before).map(|(at, _)| at)
    });
    match found {
        Some(at) => {
            let start = origin.span.start + at;
            Origin { file: origin.file.clone(), span: start..start + part.len() }
        }
        None => origin.clone(),
    }
}

/// The finding of a variable that is not set.
fn missing(name: &str, place: &Origin) -> Diagnostic {
    Diagnostic::error("variable-missing", format!("the environment variable `{name}` is not set"))
        .at(&*place.file, place.place(), "has no value and no default")
        .help(format!("set {name}, or give a default: `${{{name}:-default}}`"))
}

/// The finding of a `${` that starts no variable.
fn malformed(fault: &Fault, place: &Origin) -> Diagnostic {
    let message = match fault {
        Fault::Open => "`${` without a closing `}`",
        Fault::Form => "what stands between `${` and `}` is no variable",
    };
    Diagnostic::error("variable-syntax", message)
        .at(&*place.file, place.place(), "cannot be expanded")
        .help("write `${NAME}` or `${NAME:-default}`; `$${` stands for `${` itself")
}
