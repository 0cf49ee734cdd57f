//! The report in the official tool's JSON shape.

use serde_json::{Value, json};

use crate::diagnostics::Severity;

use super::audit::Report;
use super::finding::Finding;

/// Renders the official rules' results as `check-submission --json` does; the wording is ours.
/// Ends with a newline.
pub fn official_json(report: &Report) -> String {
    let official: Vec<&Finding> =
        report.findings.iter().filter(|finding| finding.rule.is_official()).collect();
    let of = |severity: Severity| -> Vec<Value> {
        let found = official.iter().filter(|finding| finding.severity() == severity);
        found.map(|finding| result(finding)).collect()
    };
    let errors = of(Severity::Error);
    let passed = errors.is_empty();
    let document = json!({
        "submission_path": report.path.to_string_lossy(),
        "results": official.iter().map(|finding| result(finding)).collect::<Vec<_>>(),
        "errors": errors,
        "warnings": of(Severity::Warning),
        "passed": passed,
    });
    let text = serde_json::to_string_pretty(&document);
    text.expect("a JSON value can always be written") + "\n"
}

fn result(finding: &Finding) -> Value {
    let severity = match finding.severity() {
        Severity::Note => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut message = finding.found();
    let required = finding.required();
    if !required.is_empty() {
        message = format!("{message}; required: {required}");
    }
    let is_note = finding.severity() == Severity::Note;
    json!({
        "rule": finding.rule.id,
        "message": message,
        "severity": severity,
        "path": finding.path.as_ref().map(|path| path.to_string_lossy()),
        "spec_ref": finding.rule.section,
        "key": finding.message.key,
        "title": finding.rule.title,
        "fix": (!is_note).then_some(finding.rule.fix),
        "passed": finding.severity() != Severity::Error,
    })
}
