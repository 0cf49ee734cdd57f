//! The four formats over one list of findings.

use super::*;
use crate::diagnostics::{Diagnostic, Place, SourceMap};

/// Findings with one, two and no place in known and unknown text.
fn findings() -> (Vec<Diagnostic>, SourceMap) {
    let mut sources = SourceMap::default();
    sources.insert("a b.yaml", "name: ключ\nload:\n  tiemout: 30s # \u{1b}[31m\nload: 3\n");
    let findings = vec![
        Diagnostic::error("unknown-key", "unknown key `tiemout`")
            .at("a b.yaml", Place::Span(23..30), "not known here")
            .note("known keys: concurrency")
            .help("did you mean `timeout`?"),
        Diagnostic::warning("twice", "two places, 100% sure\u{7}")
            .at("a b.yaml", Place::Span(6..14), "here")
            .at("data.jsonl", Place::Line(7), "and here"),
        Diagnostic::error("whole", "the file as a whole").at("data.jsonl", Place::File, ""),
        Diagnostic::error("line", "a line of a known text").at("a b.yaml", Place::Line(4), ""),
        Diagnostic::error("nowhere", "no place at all"),
        Diagnostic::error("end", "behind the end").at("a b.yaml", Place::Span(900..910), "end"),
    ];
    (findings, sources)
}

#[test]
fn human() {
    let (findings, sources) = findings();
    insta::assert_snapshot!(render_human(&findings, &sources, false));
    assert!(render_human(&findings, &sources, true).contains("\u{1b}["));
    assert_eq!(render_human(&[], &sources, false), "");
}

#[test]
fn json() {
    let (findings, sources) = findings();
    insta::assert_snapshot!(render_json(&findings, &sources));
}

#[test]
fn github() {
    let (findings, sources) = findings();
    insta::assert_snapshot!(render_github(&findings, &sources));
}

#[test]
fn sarif() {
    let (findings, sources) = findings();
    insta::assert_snapshot!(render_sarif(&findings[..2], &sources));
}

#[test]
fn counts() {
    let (findings, _) = findings();
    assert_eq!(Counts::of(&findings).to_string(), "5 errors, 1 warning");
    assert_eq!(Counts::default().to_string(), "no findings");
}
