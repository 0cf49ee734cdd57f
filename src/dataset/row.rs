//! One row: text to checked fields.

use std::time::Duration;

use serde_json::value::RawValue;

use super::calls;
use super::findings::{At, Findings, excerpt};
use super::json::{self, Members, Unfit};
use super::model::Message;
use crate::diagnostics::Diagnostic;
use crate::wire;

/// The `role` of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    Tool,
}

impl Role {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What is known of a row; what could not be read is none, and `faulty` says so.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) line: u64,
    pub(super) id: Option<String>,
    pub(super) turn: Option<u32>,
    pub(super) role: Option<Role>,
    pub(super) message: Option<Message>,
    /// Ids of the row's tool calls.
    pub(super) calls: Vec<String>,
    pub(super) system: Option<String>,
    pub(super) tools: Option<String>,
    pub(super) max_tokens: Option<u64>,
    pub(super) delay: Option<Duration>,
    pub(super) faulty: bool,
}

impl Parsed {
    /// Lets go of what only a trajectory needs; the row's place in the order stays.
    pub(super) fn drop_texts(&mut self) {
        (self.message, self.system, self.tools) = (None, None, None);
    }
}

/// What a line holds.
pub(super) enum Line {
    /// A row of a conversation.
    Row(Box<Parsed>),
    /// A `_type: dataset_metadata` row.
    Metadata,
    /// Nothing that could be read.
    Unreadable,
}

const USER: u8 = 1;
const ASSISTANT: u8 = 2;
const TOOL: u8 = 4;
const ALL: u8 = USER | ASSISTANT | TOOL;

/// The known keys and the roles whose rows they mean something on.
const KEYS: [(&str, u8); 16] = [
    ("conversation_id", ALL),
    ("turn", ALL),
    ("role", ALL),
    ("content", USER | ASSISTANT),
    ("system", ALL),
    // The column of a tool row wins over the first user row's, so it counts there, too.
    ("tools", USER | TOOL),
    ("tool_calls", ASSISTANT),
    ("tool_results", TOOL),
    ("reasoning_content", ASSISTANT),
    ("delay_seconds", USER | TOOL),
    ("intent_codes", ASSISTANT),
    ("model", USER),
    ("stream", USER),
    ("max_new_tokens", USER),
    ("max_completion_tokens", USER),
    ("_type", ALL),
];

/// Reads one line. `max_delay` is the longest `delay_seconds` that is believed.
pub(super) fn parse(line: u64, bytes: &[u8], max_delay: Duration, findings: &mut Findings) -> Line {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let good =
                String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
            let text = format!("is not UTF-8: bad byte at column {}", good.chars().count() + 1);
            let finding = Diagnostic::error("dataset-encoding", text)
                .help("data sets are UTF-8; convert the file, for example with iconv");
            findings.push(&At::row(line), finding);
            return Line::Unreadable;
        }
    };
    match Members::parse(text) {
        Ok(members) => {
            let metadata = members.get("_type").and_then(|raw| json::borrowed_text(raw).ok());
            if metadata.as_deref() == Some("dataset_metadata") {
                return Line::Metadata;
            }
            let reader = RowReader {
                members,
                at: At::row(line),
                parsed: Parsed { line, ..Parsed::default() },
                findings,
            };
            Line::Row(Box::new(reader.read(max_delay)))
        }
        Err(error) => {
            findings.push(&At::row(line), not_an_object(text, &error));
            Line::Unreadable
        }
    }
}

/// Says why a line is no JSON object.
fn not_an_object(text: &str, error: &serde_json::Error) -> Diagnostic {
    if let Ok(raw) = serde_json::from_str::<&RawValue>(text) {
        let text = match json::kind(raw) {
            "an object" => format!("cannot be used: {error}"),
            kind => format!("is {kind}, expected an object"),
        };
        return Diagnostic::error("dataset-syntax", text)
            .help("a data set is JSON Lines: one object on each line, no brackets around them");
    }
    let before = text.get(..error.column()).unwrap_or(text);
    // The parser stops at, or a byte behind, the word that it does not know.
    let near = text.get(error.column().saturating_sub(2)..).unwrap_or_default();
    let near = near.trim_start_matches([' ', ':']);
    let help = if ["NaN", "Infinity", "-Infinity"].iter().any(|word| near.starts_with(word)) {
        "NaN and Infinity are not JSON; leave the key out instead"
    } else if near.starts_with('\'') || near.starts_with("{'") {
        "JSON writes texts and keys between double quotes"
    } else if error.is_eof() {
        "the object has no end: it must stand on one line, and the file may have been cut"
    } else {
        "each line must be one JSON object"
    };
    // The parser counts lines inside the text that it was given, which is one line.
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    let column = before.chars().count();
    Diagnostic::error("dataset-syntax", format!("is not JSON: {why} at column {column}")).help(help)
}

struct RowReader<'a, 'f> {
    members: Members<'a>,
    at: At,
    parsed: Parsed,
    findings: &'f mut Findings,
}

impl<'a> RowReader<'a, '_> {
    fn read(mut self, max_delay: Duration) -> Parsed {
        self.identity();
        self.keys();
        self.parsed.system = self.read_text("system").filter(|system| !system.is_empty());
        self.parsed.tools = self.tools();
        self.parsed.delay = self.delay(max_delay);
        self.parsed.max_tokens = self.limit();
        self.parsed.message = match self.parsed.role {
            Some(Role::User) => self.user(),
            Some(Role::Assistant) => Some(self.assistant()),
            Some(Role::Tool) => self.tool(),
            None => None,
        };
        self.parsed
    }

    /// Records an error in this row.
    fn error(&mut self, finding: Diagnostic) {
        self.parsed.faulty = true;
        self.findings.push(&self.at, finding);
    }

    /// Unwraps a value, or records why it is unfit.
    fn fit<T>(&mut self, key: &str, value: Result<T, Unfit>) -> Option<T> {
        value
            .map_err(|why| {
                self.error(Diagnostic::error("dataset-wrong-type", format!("`{key}` {why}")));
            })
            .ok()
    }

    /// A member that must be there; null is the same as absent.
    fn required(&mut self, key: &'static str) -> Option<&'a RawValue> {
        let value = self.members.get(key);
        if value.is_none() {
            let text = match self.parsed.role {
                Some(role) if !matches!(key, "turn" | "conversation_id") => {
                    format!("a {} row needs `{key}`", role.name())
                }
                _ => format!("`{key}` is missing"),
            };
            self.error(Diagnostic::error("dataset-missing-key", text));
        }
        value
    }

    fn read_text(&mut self, key: &'static str) -> Option<String> {
        let raw = self.members.get(key)?;
        self.fit(key, json::text(raw))
    }

    /// `conversation_id`, `turn` and `role`.
    fn identity(&mut self) {
        if let Some(raw) = self.required("conversation_id") {
            let id = self.fit("conversation_id", json::text(raw));
            if let Some(id) = &id {
                self.at = At::turn(self.parsed.line, id, None);
                if let Some(problem) = check_id(id) {
                    self.error(problem);
                }
            }
            self.parsed.id = id;
        }
        if let Some(raw) = self.required("turn") {
            let turn = json::positive(raw)
                .and_then(|turn| u32::try_from(turn).map_err(|_| format!("is too large ({turn})")));
            self.parsed.turn = self.fit("turn", turn);
            self.at.turn = self.parsed.turn;
        }
        if let Some(raw) = self.required("role") {
            let role = json::text(raw);
            let role = self.fit("role", role);
            self.parsed.role = role.and_then(|role| self.role(&role));
        }
    }

    fn role(&mut self, role: &str) -> Option<Role> {
        match role {
            "user" => Some(Role::User),
            "assistant" => Some(Role::Assistant),
            "tool" => Some(Role::Tool),
            other => {
                let text =
                    format!("`role` is {}, expected `user`, `assistant` or `tool`", excerpt(other));
                let finding = Diagnostic::error("dataset-role", text);
                self.error(match other {
                    "system" | "developer" => {
                        finding.help("put the system prompt under `system` of the first user row")
                    }
                    _ => finding,
                });
                None
            }
        }
    }

    /// Reports keys that are unknown, given twice, or mean nothing on this row.
    fn keys(&mut self) {
        let role = self.parsed.role;
        let mut seen = [false; KEYS.len()];
        let mut twice = Vec::new();
        for (key, raw) in self.members.iter() {
            let Some(known) = KEYS.iter().position(|(name, _)| *name == key) else {
                let finding = Diagnostic::warning(
                    "dataset-unknown-key",
                    format!("the key {} is unknown and is ignored", excerpt(key)),
                )
                .note("reported once for the whole file")
                .help(format!("known keys: {}", KEYS.map(|(name, _)| name).join(", ")));
                self.findings.push_once(format!("unknown {}", excerpt(key)), &self.at, finding);
                continue;
            };
            if std::mem::replace(&mut seen[known], true) {
                twice.push(KEYS[known].0);
            }
            if raw.get() != "null"
                && let Some(finding) = unused(KEYS[known], role)
            {
                let role = role.map_or("", Role::name);
                self.findings.push_once(format!("unused {key} {role}"), &self.at, finding);
            }
        }
        for key in twice {
            let text = format!("`{key}` is given twice");
            self.error(
                Diagnostic::error("dataset-duplicate-key", text)
                    .help("keep one; which of them counts differs from reader to reader"),
            );
        }
    }

    fn tools(&mut self) -> Option<String> {
        if self.parsed.role == Some(Role::Assistant) {
            return None;
        }
        let raw = self.members.get("tools")?;
        match calls::check_tools(raw) {
            Ok(()) => self.compact("tools", raw),
            Err(why) => {
                self.error(Diagnostic::error("dataset-tools", why));
                None
            }
        }
    }

    fn compact(&mut self, key: &str, raw: &RawValue) -> Option<String> {
        match wire::json::compact(raw.get()) {
            Ok(text) => Some(text),
            Err(error) => {
                self.error(Diagnostic::error("dataset-syntax", format!("`{key}`: {error}")));
                None
            }
        }
    }

    fn delay(&mut self, max: Duration) -> Option<Duration> {
        if self.parsed.role == Some(Role::Assistant) {
            return None;
        }
        let raw = self.members.get("delay_seconds")?;
        let seconds = json::number(raw);
        let seconds = self.fit("delay_seconds", seconds)?;
        let why = if seconds < 0.0 {
            "is negative".to_owned()
        } else if seconds > max.as_secs_f64() {
            format!("is longer than {} days", max.as_secs() / 86_400)
        } else {
            // In range: not negative, and far below what a duration holds.
            return Duration::try_from_secs_f64(seconds).ok();
        };
        let text = format!("`delay_seconds` {why} ({})", excerpt(raw.get()));
        self.error(
            Diagnostic::error("dataset-delay", text)
                .help("it is the think or tool time before this request, in seconds"),
        );
        None
    }

    /// `max_new_tokens`, else `max_completion_tokens`; and the types of the keys that are not used.
    fn limit(&mut self) -> Option<u64> {
        if self.parsed.role != Some(Role::User) {
            return None;
        }
        if let Some(raw) = self.members.get("model") {
            self.fit("model", json::borrowed_text(raw));
        }
        if let Some(raw) = self.members.get("stream") {
            self.fit("stream", json::boolean(raw));
        }
        let [first, second] = ["max_new_tokens", "max_completion_tokens"].map(|key| {
            let raw = self.members.get(key)?;
            self.fit(key, json::positive(raw))
        });
        first.or(second)
    }

    fn user(&mut self) -> Option<Message> {
        let raw = self.required("content")?;
        let content = self.fit("content", json::text(raw))?;
        if content.is_empty() {
            let finding = Diagnostic::error("dataset-empty", "`content` of a user row is empty");
            self.error(finding.help("a request needs words; remove the row or fill it"));
        }
        Some(Message::User { content })
    }

    fn assistant(&mut self) -> Message {
        let content = self.read_text("content");
        let reasoning = self.read_text("reasoning_content");
        let intent_codes = self.intents();
        let tool_calls = match self.members.get("tool_calls") {
            Some(raw) => {
                self.calls(raw);
                self.compact("tool_calls", raw)
            }
            None => None,
        };
        let has_content = content.as_ref().is_some_and(|text| !text.is_empty());
        if !has_content && tool_calls.is_none() && !self.parsed.faulty {
            let text = "an assistant row needs `content` or `tool_calls` that are not empty";
            self.error(
                Diagnostic::error("dataset-empty", text)
                    .help("reasoning alone is no answer that a chat template can show"),
            );
        }
        Message::Assistant { content, reasoning, tool_calls, intent_codes }
    }

    fn calls(&mut self, raw: &RawValue) {
        let (ids, problems) = calls::check_calls(raw);
        self.parsed.calls = ids;
        for problem in problems {
            match problem {
                calls::Problem::Error(why) => {
                    self.error(Diagnostic::error("dataset-tool-calls", why));
                }
                calls::Problem::Odd(why) => {
                    let finding = Diagnostic::warning("dataset-arguments", why).note(
                        "sent as recorded; some chat templates refuse it, and no action is scored",
                    );
                    self.findings.push(&self.at, finding);
                }
            }
        }
    }

    fn intents(&mut self) -> Vec<String> {
        let Some(raw) = self.members.get("intent_codes") else { return Vec::new() };
        let elements = json::array(raw);
        let Some(elements) = self.fit("intent_codes", elements) else { return Vec::new() };
        let mut codes = Vec::with_capacity(elements.len());
        for (n, element) in elements.into_iter().enumerate() {
            let code = json::text(element);
            codes.extend(self.fit(&format!("intent_codes[{n}]"), code));
        }
        codes
    }

    fn tool(&mut self) -> Option<Message> {
        let raw = self.required("tool_results")?;
        let results = calls::read_results(raw);
        for why in results.problems {
            self.error(Diagnostic::error("dataset-tool-results", why));
        }
        for key in results.unknown {
            let key = excerpt(&key);
            let finding = Diagnostic::warning(
                "dataset-unknown-key",
                format!("the key {key} of a tool result is unknown and is ignored"),
            )
            .note("reported once for the whole file");
            self.findings.push_once(format!("unknown result {key}"), &self.at, finding);
        }
        Some(Message::Tool { results: results.list })
    }
}

/// What is wrong with a conversation id.
fn check_id(id: &str) -> Option<Diagnostic> {
    if id.is_empty() {
        return Some(Diagnostic::error("dataset-conversation-id", "`conversation_id` is empty"));
    }
    // It travels in an HTTP header.
    if !id.bytes().all(|byte| (32..=126).contains(&byte)) {
        let text = format!("`conversation_id` {} is not printable ASCII", excerpt(id));
        return Some(Diagnostic::error("dataset-conversation-id", text));
    }
    if id.rsplit_once("__repeat_").is_some_and(|(_, n)| super::model::is_digits(n)) {
        let text = format!("`conversation_id` {} ends like a repetition", excerpt(id));
        return Some(
            Diagnostic::error("dataset-conversation-id", text)
                .note("`__repeat_<n>` marks the n-th pass over a conversation")
                .help("give the conversation an id of its own"),
        );
    }
    None
}

/// The finding for a known key that is not used on a row of this role.
fn unused((key, roles): (&'static str, u8), role: Option<Role>) -> Option<Diagnostic> {
    let role = role?;
    let bit = match role {
        Role::User => USER,
        Role::Assistant => ASSISTANT,
        Role::Tool => TOOL,
    };
    let (text, help) = if roles & bit == 0 {
        (format!("`{key}` on {} rows is ignored", role.name()), None)
    } else {
        match key {
            "model" => ("`model` in the data set is not used".to_owned(), Some("model.name")),
            "stream" => ("`stream` in the data set is not used".to_owned(), None),
            "max_new_tokens" | "max_completion_tokens" => (
                format!("`{key}` in the data set is used only where the scenario sets no limit"),
                Some("model.sampling.max_tokens"),
            ),
            "_type" => ("this `_type` is unknown, the row is read as a message".to_owned(), None),
            _ => return None,
        }
    };
    let finding =
        Diagnostic::warning("dataset-unused-key", text).note("reported once for the whole file");
    Some(match help {
        Some(key) => finding.help(format!("the scenario decides: `{key}`")),
        None => finding,
    })
}
