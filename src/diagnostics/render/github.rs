//! Findings as GitHub workflow commands, which show as annotations on a pull request.

use std::fmt::Write as _;

use super::super::model::{Diagnostic, Severity};
use super::super::position::Region;
use super::super::source::SourceMap;
use super::text::{file_name, full_message};

/// Renders findings as `::error file=…,line=…,col=…,title=…::message` lines.
pub fn render_github(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut text = String::new();
    for finding in diagnostics {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "notice",
        };
        let mut properties = Vec::new();
        if let Some(label) = finding.labels.first() {
            properties.push(format!("file={}", escape_property(&file_name(&label.file))));
            if let Some(Region { start, end }) = Region::of(label, sources) {
                properties.push(format!("line={},endLine={}", start.line, end.line));
                // GitHub ignores columns of annotations that span lines.
                if start.line == end.line {
                    properties.push(format!("col={},endColumn={}", start.column, end.column));
                }
            }
        }
        properties.push(format!("title={}", escape_property(finding.code)));
        let (properties, message) = (properties.join(","), escape(&full_message(finding)));
        writeln!(text, "::{command} {properties}::{message}").expect("a string takes any text");
    }
    text
}

/// The escapes of a command's message.
fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The escapes of a command's property.
fn escape_property(text: &str) -> String {
    escape(text).replace(':', "%3A").replace(',', "%2C")
}
