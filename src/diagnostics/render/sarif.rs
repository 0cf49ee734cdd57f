//! Findings as SARIF 2.1.0, for code scanning services.

use serde_json::{Value, json};

use super::super::model::{Diagnostic, Label, Severity};
use super::super::position::Region;
use super::super::source::SourceMap;
use super::text::{file_name, full_message};

/// Renders findings as one SARIF document, indented, with a newline at its end.
pub fn render_sarif(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut codes: Vec<&str> = diagnostics.iter().map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Value> = codes.iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Value> = diagnostics.iter().map(|finding| result(finding, sources)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// One finding.
fn result(finding: &Diagnostic, sources: &SourceMap) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut result = json!({
        "ruleId": finding.code,
        "level": level,
        "message": { "text": full_message(finding) },
    });
    let mut places = finding.labels.iter().map(|label| location(label, sources));
    if let Some(primary) = places.next() {
        result["locations"] = json!([primary]);
    }
    let related: Vec<Value> = places.collect();
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    result
}

/// One label.
fn location(label: &Label, sources: &SourceMap) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&file_name(&label.file)) } });
    if let Some(Region { start, end }) = Region::of(label, sources) {
        physical["region"] = json!({
            "startLine": start.line,
            "startColumn": start.column,
            "endLine": end.line,
            "endColumn": end.column,
        });
    }
    let mut location = json!({ "physicalLocation": physical });
    if !label.message.is_empty() {
        location["message"] = json!({ "text": label.message });
    }
    location
}

/// A path as a URI reference: everything but unreserved characters and slashes percent-encoded.
fn uri(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
