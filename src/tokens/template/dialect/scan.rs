//! Splitting a template into text and tags, as Jinja2's lexer does.

use super::token::{self, LexError, Token};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'s> {
    /// Text, comments and raw blocks: kept as they are.
    Verbatim(&'s str),
    /// `{{ … }}`.
    Variable(Tag<'s>),
    /// `{% … %}`.
    Block(Tag<'s>),
}

/// A tag with its whitespace markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'s> {
    /// `-`, `+` or nothing, behind the opening.
    pub(super) open: &'s str,
    /// The tokens.
    pub(super) tokens: Vec<Token>,
    /// `-`, `+` or nothing, in front of the closing.
    pub(super) close: &'static str,
    /// The tag as written.
    pub(super) source: &'s str,
    /// The line on which it starts, from 1.
    pub(super) line: usize,
}

/// The parts of a template; an error carries its line.
pub(super) fn parts(source: &str) -> Result<Vec<Part<'_>>, (usize, String)> {
    let mut parts = Vec::new();
    let mut text = 0;
    let mut at = 0;
    while let Some(found) = source[at..].find('{') {
        let start = at + found;
        let rest = &source[start..];
        if rest.starts_with("{#") {
            let end = rest
                .find("#}")
                .ok_or_else(|| fail(source, (start, "the comment does not end".to_owned())))?;
            at = start + end + 2;
        } else if rest.starts_with("{%") {
            if let Some(end) = raw_end(rest) {
                at = start
                    + end.ok_or_else(|| {
                        fail(source, (start, "the raw block does not end".to_owned()))
                    })?;
                continue;
            }
            push_text(source, text..start, &mut parts);
            let (tag, end) = tag(source, start, "%}").map_err(|error| fail(source, error))?;
            parts.push(Part::Block(tag));
            (at, text) = (end, end);
        } else if rest.starts_with("{{") {
            push_text(source, text..start, &mut parts);
            let (tag, end) = tag(source, start, "}}").map_err(|error| fail(source, error))?;
            parts.push(Part::Variable(tag));
            (at, text) = (end, end);
        } else {
            at = start + 1;
        }
    }
    push_text(source, text..source.len(), &mut parts);
    Ok(parts)
}

fn push_text<'s>(source: &'s str, range: std::ops::Range<usize>, parts: &mut Vec<Part<'s>>) {
    if !range.is_empty() {
        parts.push(Part::Verbatim(&source[range]));
    }
}

fn fail(source: &str, (at, message): LexError) -> (usize, String) {
    (line(source, at), message)
}

fn line(source: &str, at: usize) -> usize {
    1 + source[..at].matches('\n').count()
}

fn tag<'s>(source: &'s str, start: usize, end: &str) -> Result<(Tag<'s>, usize), LexError> {
    let inner = start + 2;
    let marked = usize::from(source[inner..].starts_with(['-', '+']));
    // `{{-1}}` is a whitespace marker and a 1, as in Jinja2.
    let (tokens, close, behind) = token::tag(source, inner + marked, end)?;
    let tag = Tag {
        open: &source[inner..inner + marked],
        tokens,
        close,
        source: &source[start..behind],
        line: line(source, start),
    };
    Ok((tag, behind))
}

/// Where the raw block that starts here ends; the inner none when it does not, the outer none
/// when this is no raw block.
#[expect(clippy::option_option, reason = "two different kinds of absence")]
fn raw_end(rest: &str) -> Option<Option<usize>> {
    let (_, mut behind) = word_tag(rest, "raw")?;
    loop {
        let Some(found) = rest[behind..].find("{%") else { return Some(None) };
        let start = behind + found;
        if let Some((_, length)) = word_tag(&rest[start..], "endraw") {
            return Some(Some(start + length));
        }
        behind = start + 2;
    }
}

/// Whether a `{% word %}` tag stands here; its word and length.
fn word_tag<'s>(rest: &'s str, word: &'s str) -> Option<(&'s str, usize)> {
    let inner = rest.strip_prefix("{%")?;
    let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner).trim_start();
    let inner = inner.strip_prefix(word)?.trim_start();
    let inner = inner.strip_prefix(['-', '+']).unwrap_or(inner);
    let behind = inner.strip_prefix("%}")?;
    Some((word, rest.len() - behind.len()))
}
