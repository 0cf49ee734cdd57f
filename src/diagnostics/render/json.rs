//! Findings as JSON, for programs.

use serde::Serialize;

use super::super::model::{Diagnostic, Label, Severity};
use super::super::position::Region;
use super::super::source::SourceMap;
use super::text::{Counts, file_name};

/// The document.
#[derive(Serialize)]
struct Report<'a> {
    /// The version of this format.
    version: u32,
    findings: Vec<Finding<'a>>,
    summary: Counts,
}

/// One finding.
#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    labels: Vec<Located<'a>>,
    notes: &'a [String],
    help: Option<&'a str>,
}

/// One label; the first of a finding is the primary one.
#[derive(Serialize)]
struct Located<'a> {
    file: String,
    /// Lines and columns from 1, the end not included; null for the file as a whole.
    region: Option<Region>,
    message: &'a str,
}

/// Renders findings as one JSON document, indented, with a newline at its end.
pub fn render_json(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let findings = diagnostics.iter().map(|finding| one(finding, sources)).collect();
    let report = Report { version: 1, findings, summary: Counts::of(diagnostics) };
    serde_json::to_string_pretty(&report).expect("plain data without maps") + "\n"
}

/// One finding.
fn one<'a>(finding: &'a Diagnostic, sources: &SourceMap) -> Finding<'a> {
    let locate = |label: &'a Label| Located {
        file: file_name(&label.file),
        region: Region::of(label, sources),
        message: &label.message,
    };
    Finding {
        code: finding.code,
        severity: finding.severity,
        message: &finding.message,
        labels: finding.labels.iter().map(locate).collect(),
        notes: &finding.notes,
        help: finding.help.as_deref(),
    }
}
