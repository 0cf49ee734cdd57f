//! Splitting a template into text and tags, as Jinja2's lexer does.

use super::token::{self, LexError, Token};

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part<'s> {
    /// Text and comments: kept as they are.
    Verbatim(&'s str),
    /// `{% raw %} … {% endraw %}`.
    Raw(Raw<'s>),
    /// `{{ … }}`.
    Variable(Tag<'s>),
    /// `{% … %}`.
    Block(Tag<'s>),
}

/// A raw block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raw<'s> {
    /// `-`, `+` or nothing, behind the opening of the first tag.
    pub(super) open: &'s str,
    /// What is between its tags, trimmed as they say.
    pub(super) text: &'s str,
    /// `-`, `+` or nothing, in front of the closing of the last tag.
    pub(super) close: &'s str,
    /// The block as written.
    pub(super) source: &'s str,
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
            push_text(source, text..start, &mut parts);
            if let Some(raw) = raw(rest) {
                let raw = raw.ok_or_else(|| {
                    fail(source, (start, "the raw block does not end".to_owned()))
                })?;
                (at, text) = (start + raw.source.len(), start + raw.source.len());
                parts.push(Part::Raw(raw));
                continue;
            }
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

/// The raw block that starts here; the inner none when it does not end, the outer none when this
/// is no raw block.
#[expect(clippy::option_option, reason = "two different kinds of absence")]
fn raw(rest: &str) -> Option<Option<Raw<'_>>> {
    let begin = word_tag(rest, "raw").filter(|tag| tag.close != "+")?;
    let text = &rest[begin.length..];
    let mut at = 0;
    while let Some(found) = text[at..].find("{%") {
        let start = at + found;
        let Some(end) = word_tag(&text[start..], "endraw") else {
            at = start + 2;
            continue;
        };
        let mut inner = &text[..start];
        if begin.close == "-" {
            inner = inner.trim_start();
        }
        let source = &rest[..begin.length + start + end.length];
        let text = end.trimmed(inner);
        return Some(Some(Raw { open: begin.open, text, close: end.close, source }));
    }
    Some(None)
}

/// A tag that is one word.
struct WordTag<'s> {
    open: &'s str,
    close: &'s str,
    length: usize,
}

impl WordTag<'_> {
    /// The text in front of this tag, as the tag trims it.
    fn trimmed<'t>(&self, text: &'t str) -> &'t str {
        if self.open == "-" {
            return text.trim_end();
        }
        let line = text.rfind('\n').map_or(0, |at| at + 1);
        let blank = line > 0 && text[line..].trim().is_empty();
        if self.open.is_empty() && blank { &text[..line] } else { text }
    }
}

/// The `{% word %}` tag that stands here, if one does.
fn word_tag<'s>(rest: &'s str, word: &str) -> Option<WordTag<'s>> {
    let mark = |text: &'s str| &text[..usize::from(text.starts_with(['-', '+']))];
    let inner = rest.strip_prefix("{%")?;
    let open = mark(inner);
    let inner = inner[open.len()..].trim_start().strip_prefix(word)?.trim_start();
    let close = mark(inner);
    let behind = inner[close.len()..].strip_prefix("%}")?;
    Some(WordTag { open, close, length: rest.len() - behind.len() })
}
