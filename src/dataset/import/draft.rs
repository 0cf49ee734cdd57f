//! A conversation as a format tells it, and the rules that make rows of it.

use std::fmt::Write as _;

use super::super::findings::{At, Findings, excerpt};
use super::convert::Options;
use crate::diagnostics::Diagnostic;

/// A conversation before the rules.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// 1-based line where it starts.
    pub(super) line: u64,
    pub(super) id: Option<String>,
    pub(super) system: Option<String>,
    /// Tool definitions, compact JSON.
    pub(super) tools: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// One thing said or done.
#[derive(Debug, PartialEq)]
pub(super) struct Step {
    /// Where it stands, such as `messages[3]`.
    pub(super) place: String,
    /// Milliseconds since 1970.
    pub(super) at: Option<i64>,
    pub(super) what: What,
}

#[derive(Debug, PartialEq)]
pub(super) enum What {
    User(String),
    /// An absent `content` is none; some templates tell it from an empty one.
    Assistant {
        content: Option<String>,
        reasoning: String,
        calls: Vec<Call>,
    },
    Result {
        id: Option<String>,
        content: String,
    },
}

/// A tool call.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: Option<String>,
    pub(super) name: String,
    /// A JSON value: a string that holds JSON, as most record it, or an object.
    pub(super) arguments: String,
    /// The whole call as recorded, compact JSON, where a row can hold it as it is.
    pub(super) whole: Option<String>,
}

/// A conversation after the rules.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) system: Option<String>,
    pub(super) tools: Option<String>,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug)]
pub(super) enum Row {
    User { content: String, delay: Option<u64> },
    Assistant { content: Option<String>, reasoning: String, calls: Vec<(String, Call)> },
    Tool { results: Vec<(String, String)>, delay: Option<u64> },
}

/// What a call gets that nothing answered, where that is repaired.
const NO_RESULT: &str = "(no result was recorded)";

/// Applies the rules.
struct Rules<'a> {
    options: &'a Options,
    findings: &'a mut Findings,
    at: At,
    rows: Vec<Row>,
    /// Ids of the last assistant row's calls without a result.
    open: Vec<String>,
    /// When the last assistant row ended.
    spoken: Option<i64>,
    calls: u64,
    broken: bool,
}

impl Draft {
    /// The rows of this conversation; none when something is wrong that was not to be repaired.
    pub(super) fn finish(
        self,
        id: &str,
        options: &Options,
        findings: &mut Findings,
    ) -> Option<Ready> {
        let at = At::turn(self.line, id, None);
        let mut rules = Rules {
            options,
            findings,
            at,
            rows: Vec::new(),
            open: Vec::new(),
            spoken: None,
            calls: 0,
            broken: false,
        };
        for step in self.steps {
            rules.take(step);
        }
        if rules.rows.is_empty() && !rules.broken {
            rules.problem("import-empty", "the conversation has no request", None);
            rules.broken = true;
        }
        let Rules { rows, broken, .. } = rules;
        (!broken).then_some(Ready { system: self.system, tools: self.tools, rows })
    }
}

impl Rules<'_> {
    /// Reports a problem: a warning where it is `repaired`, else an error that costs the
    /// conversation.
    fn problem(&mut self, code: &'static str, text: &str, repair: Option<&str>) {
        let finding = match repair {
            Some(repair) if self.options.repair => {
                Diagnostic::warning(code, text.to_owned()).note(format!("repaired: {repair}"))
            }
            Some(repair) => {
                self.broken = true;
                Diagnostic::error(code, text.to_owned())
                    .note("the conversation is left out")
                    .help(format!("--repair mends it: {repair}"))
            }
            None => {
                self.broken = true;
                Diagnostic::error(code, text.to_owned()).note("the conversation is left out")
            }
        };
        self.findings.push(&self.at, finding);
    }

    fn take(&mut self, step: Step) {
        let Step { place, at, what } = step;
        match what {
            What::User(content) => self.user(&place, at, content),
            What::Assistant { content, reasoning, calls } => {
                self.assistant(&place, at, content, reasoning, calls);
            }
            What::Result { id, content } => self.result(&place, at, id, content),
        }
    }

    /// Milliseconds since the last answer, as far as both times are known.
    fn delay(&self, at: Option<i64>) -> Option<u64> {
        let waited = u64::try_from(at?.saturating_sub(self.spoken?)).unwrap_or(0);
        Some(waited.min(self.options.max_delay_ms))
    }

    fn user(&mut self, place: &str, at: Option<i64>, content: String) {
        if content.is_empty() {
            return;
        }
        self.close_calls(place);
        if let Some(Row::User { content: before, .. }) = self.rows.last_mut() {
            before.push_str("\n\n");
            before.push_str(&content);
            return;
        }
        // Said together with results, or right behind them: those waited already.
        let delay = match self.rows.last() {
            Some(Row::Tool { .. }) => None,
            _ => self.delay(at),
        };
        self.rows.push(Row::User { content, delay });
    }

    /// Calls that nothing answers before someone else speaks.
    fn close_calls(&mut self, place: &str) {
        if self.open.is_empty() {
            return;
        }
        let ids: Vec<_> = self.open.iter().take(4).map(|id| excerpt(id)).collect();
        let text = format!("`{place}` follows the call {} without a result", ids.join(", "));
        self.problem("import-unanswered-call", &text, Some("a result that says so is put in"));
        let missing = std::mem::take(&mut self.open).into_iter();
        let missing = missing.map(|id| (id, NO_RESULT.to_owned()));
        if let Some(Row::Tool { results, .. }) = self.rows.last_mut() {
            results.extend(missing);
        } else {
            self.rows.push(Row::Tool { results: missing.collect(), delay: None });
        }
    }

    fn assistant(
        &mut self,
        place: &str,
        at: Option<i64>,
        content: Option<String>,
        reasoning: String,
        calls: Vec<Call>,
    ) {
        if content.as_ref().is_none_or(String::is_empty) && calls.is_empty() && reasoning.is_empty()
        {
            return;
        }
        if self.rows.is_empty() {
            let text = format!("`{place}` is an answer before any request");
            self.problem("import-order", &text, Some("it is dropped"));
            return;
        }
        // An answer in several pieces goes on after its calls; one after results does not.
        if matches!(self.rows.last(), Some(Row::Tool { .. })) {
            self.close_calls(place);
        }
        self.spoken = at.or(self.spoken);
        let mut named = Vec::with_capacity(calls.len());
        for (n, mut call) in calls.into_iter().enumerate() {
            let known = call
                .id
                .as_deref()
                .filter(|id| !id.is_empty() && !self.open.iter().any(|open| open == id));
            let id = if let Some(id) = known {
                id.to_owned()
            } else {
                let what = if call.id.is_some() { "an id that is taken" } else { "no id" };
                let text = format!("call {n} of `{place}` ({}) has {what}", excerpt(&call.name));
                self.problem(
                    "import-call-id",
                    &text,
                    Some("it gets one, and results are matched in order"),
                );
                while self.open.contains(&format!("call_{}", self.calls)) {
                    self.calls += 1;
                }
                call.whole = None;
                format!("call_{}", self.calls)
            };
            self.calls += 1;
            self.open.push(id.clone());
            named.push((id, call));
        }
        if let Some(Row::Assistant { content: before, reasoning: thought, calls }) =
            self.rows.last_mut()
        {
            if let Some(content) = content {
                join(before.get_or_insert_default(), &content);
            }
            join(thought, &reasoning);
            calls.extend(named);
        } else {
            self.rows.push(Row::Assistant { content, reasoning, calls: named });
        }
    }

    fn result(&mut self, place: &str, at: Option<i64>, id: Option<String>, content: String) {
        let id = id.filter(|id| !id.is_empty());
        let position = match &id {
            Some(id) => self.open.iter().position(|open| open == id),
            None => None,
        };
        let position = match (position, &id) {
            (Some(position), _) => position,
            (None, None) if !self.open.is_empty() => {
                let text = format!("the result `{place}` does not say which call it answers");
                self.problem("import-result-id", &text, Some("it answers the oldest open call"));
                0
            }
            (None, id) => {
                let mut text = format!("the result `{place}`");
                if let Some(id) = id {
                    let _ = write!(text, " of {}", excerpt(id));
                }
                text.push_str(" answers no open call");
                self.problem("import-orphan-result", &text, Some("it is dropped"));
                return;
            }
        };
        let id = self.open.remove(position);
        let delay = self.delay(at);
        if let Some(Row::Tool { results, delay: waited }) = self.rows.last_mut() {
            results.push((id, content));
            // The request goes out when the last result is there.
            *waited = delay.max(*waited);
        } else {
            self.rows.push(Row::Tool { results: vec![(id, content)], delay });
        }
    }
}

fn join(before: &mut String, more: &str) {
    if !before.is_empty() && !more.is_empty() {
        before.push('\n');
    }
    before.push_str(more);
}

impl Ready {
    /// Drops an answer that only thinks, which no format of requests can hold; whether any was.
    pub(super) fn drop_thoughts_alone(&mut self) -> bool {
        let before = self.rows.len();
        self.rows.retain(|row| {
            !matches!(row, Row::Assistant { content, calls, .. }
                if content.as_ref().is_none_or(String::is_empty) && calls.is_empty())
        });
        let dropped = self.rows.len() < before;
        if dropped {
            let mut rows: Vec<Row> = Vec::with_capacity(self.rows.len());
            for row in self.rows.drain(..) {
                match (rows.last_mut(), row) {
                    (Some(Row::User { content: before, .. }), Row::User { content, .. }) => {
                        before.push_str("\n\n");
                        before.push_str(&content);
                    }
                    (_, row) => rows.push(row),
                }
            }
            self.rows = rows;
        }
        dropped
    }
}
