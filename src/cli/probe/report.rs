//! What a probe found.

use std::fmt::Write as _;

use serde::Serialize;

use super::super::failure::paint;

/// What a finding means for a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// As a replay needs it.
    Ok,
    /// Worth knowing; a replay runs all the same, perhaps with a setting.
    Note,
    /// A replay needs it and it is not there.
    Missing,
    /// Not looked at, since something before it is missing.
    Skipped,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Check {
    /// What was looked at.
    #[serde(rename = "check")]
    subject: &'static str,
    status: Status,
    /// What was found, in one line.
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// The findings as numbers and names; what is unknown is null.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Facts {
    /// Time to open a connection, TLS included.
    pub(super) connect_ms: Option<f64>,
    /// The models that the server lists.
    pub(super) models: Option<Vec<String>>,
    /// Server-sent events of the first streamed reply.
    pub(super) stream_events: Option<u64>,
    /// Events among them with text, reasoning or a tool call.
    pub(super) stream_fragments: Option<u64>,
    /// Time from the request to the first of these.
    pub(super) first_token_ms: Option<f64>,
    /// The key under which reasoning was streamed.
    pub(super) reasoning_key: Option<&'static str>,
    /// Whether token counts came with the stream.
    pub(super) usage_in_stream: Option<bool>,
    /// Prompt tokens of the first streamed reply.
    pub(super) prompt_tokens: Option<u64>,
    /// Cached prompt tokens when the same prompt was sent again.
    pub(super) cached_tokens: Option<u64>,
    /// Whether the model called the tool that it was offered.
    pub(super) tool_called: Option<bool>,
    /// When the server closed an idle connection; null when it was still open.
    pub(super) idle_close_ms: Option<f64>,
    /// The server's clock minus ours, to about a second.
    pub(super) clock_offset_s: Option<f64>,
}

/// Everything that a probe found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    url: String,
    /// The model that was asked.
    pub(super) model: Option<String>,
    ready: bool,
    checks: Vec<Check>,
    /// The findings as numbers and names.
    pub(super) facts: Facts,
}

impl Report {
    /// A report without findings.
    pub(super) fn new(url: String) -> Self {
        Self { url, model: None, ready: true, checks: Vec::new(), facts: Facts::default() }
    }

    /// Adds a finding.
    pub(super) fn add(&mut self, subject: &'static str, status: Status, found: impl Into<String>) {
        self.ready &= status != Status::Missing;
        self.checks.push(Check { subject, status, found: found.into(), hint: None });
    }

    /// Says what to do about the finding added last.
    pub(super) fn hint(&mut self, hint: impl Into<String>) {
        if let Some(check) = self.checks.last_mut() {
            check.hint = Some(hint.into());
        }
    }

    /// Whether everything that a replay needs is there.
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// The report as JSON, with a line end.
    pub(super) fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self)
            .expect("texts, numbers and lists are always representable");
        text.push('\n');
        text
    }

    /// The report as a table for people.
    pub(super) fn human(&self, color: bool) -> String {
        let mut text = self.url.clone();
        if let Some(model) = &self.model {
            let _ = write!(text, "  model {model}");
        }
        text.push_str("\n\n");
        let width = self.checks.iter().map(|check| check.subject.len()).max().unwrap_or(0);
        for Check { subject, status, found, hint } in &self.checks {
            let (word, code) = match status {
                Status::Ok => ("ok", 32),
                Status::Note => ("note", 33),
                Status::Missing => ("missing", 31),
                Status::Skipped => ("skipped", 90),
            };
            let pad = " ".repeat(7 - word.len());
            let _ =
                writeln!(text, "  {}{pad}  {subject:width$}  {found}", paint(word, code, color));
            if let Some(hint) = hint {
                let _ = writeln!(text, "  {:7}  {:width$}  -> {hint}", "", "");
            }
        }
        let missing = self.checks.iter().filter(|check| check.status == Status::Missing).count();
        let verdict = match missing {
            0 => "ready for a replay".to_owned(),
            1 => "not ready for a replay: 1 thing is missing".to_owned(),
            n => format!("not ready for a replay: {n} things are missing"),
        };
        let _ = writeln!(text, "\n{verdict}");
        text
    }
}

/// Milliseconds of a time in nanoseconds, to a tenth.
pub(super) fn ms(nanos: u64) -> f64 {
    let tenths = u32::try_from(nanos / 100_000).unwrap_or(u32::MAX);
    f64::from(tenths) / 10.0
}
