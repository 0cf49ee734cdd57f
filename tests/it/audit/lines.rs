//! Findings about a field stand at its line.

use std::path::Path;

use scenario::diagnostics::{Place, Position};

use super::mutants::all;
use super::tree::{Tree, judge};

#[test]
fn whatever_field_is_in_its_file_is_found_there() {
    let mut complaints = Vec::new();
    for mutant in all() {
        let tree = Tree::new();
        (mutant.make)(&tree);
        let report = judge(tree.root());
        let (located, _) = report.located();
        for (finding, shown) in report.faults().zip(&located) {
            let Some(path) = finding.path.as_ref().filter(|path| path.is_file()) else { continue };
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let top = finding.field.split('.').next().unwrap_or_default();
            let is_there = !top.is_empty()
                && text.lines().any(|line| {
                    line.starts_with(&format!("{top}:"))
                        || line.starts_with(&format!("  \"{top}\":"))
                });
            if is_there && shown.labels[0].place == Place::File {
                complaints.push(format!("{}: {} {}", mutant.name, finding.rule.id, finding.field));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The lines of findings by a rule in one file.
fn lines(tree: &Tree, rule: &str, path: &str) -> Vec<Option<u64>> {
    let report = judge(tree.root());
    let (located, sources) = report.located();
    let of_rule = located.iter().filter(|finding| finding.code == rule);
    let of_file = of_rule.filter(|finding| finding.labels[0].file == tree.path(path));
    let line = |finding: &scenario::diagnostics::Diagnostic| match &finding.labels[0].place {
        Place::File => None,
        Place::Line(line) => Some(*line),
        Place::Span(span) => {
            let text = sources.text(Path::new(&finding.labels[0].file)).unwrap();
            Some(Position::of(text, span.start).line)
        }
    };
    of_file.map(line).collect()
}

/// The 1-based line of a file that holds a text.
fn line_of(tree: &Tree, path: &str, text: &str) -> u64 {
    let file = std::fs::read_to_string(tree.path(path)).unwrap();
    file.lines().position(|line| line.contains(text)).unwrap() as u64 + 1
}

#[test]
fn lines_are_the_right_ones() {
    let tree = Tree::new();
    tree.replace("@r12/point.yaml", "region: ", "region: x");
    let line = line_of(&tree, "@r12/point.yaml", "region: ");
    assert_eq!(lines(&tree, "region-declared", "@r12/point.yaml"), [Some(line)]);
    let (summary, key) = ("@r48/result_summary.json", "\"n_samples_issued\": ");
    tree.replace(summary, key, &format!("\"ttfx\": NaN, \"ttfx\": 1,\n  {key}1"));
    let line = line_of(&tree, summary, key);
    assert_eq!(lines(&tree, "metric-consistency-accounting", summary), [Some(line)]);
    assert_eq!(lines(&tree, "x-not-finite", summary), [Some(line - 1)]);
    assert_eq!(lines(&tree, "x-duplicate-key", summary), [Some(line - 1)]);
    tree.write("@r32/result_summary.json", "{\n  \"a\": 1,\n  oops\n}");
    assert_eq!(lines(&tree, "result-file-valid", "@r32/result_summary.json"), [Some(3)]);
    tree.write("@r8/point.yaml", "a: 1\nb: [\nc: 2\n");
    assert!(lines(&tree, "point-config-valid", "@r8/point.yaml")[0].is_some());
}

#[test]
fn of_a_file_in_one_long_line_only_the_line_is_told() {
    let tree = Tree::new();
    tree.edit("@r48/result_summary.json", |summary| summary["n_samples_issued"] = 1.into());
    let text = std::fs::read_to_string(tree.path("@r48/result_summary.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    tree.write("@r48/result_summary.json", &value.to_string());
    let (located, sources) = judge(tree.root()).located();
    let finding = located.iter().find(|f| f.code == "metric-consistency-accounting").unwrap();
    assert_eq!(finding.labels[0].place, Place::Line(1));
    assert!(sources.text(&finding.labels[0].file).is_none());
}
