//! Rows of one conversation, written as they come.

use std::io::{self, Write};

use super::draw::Draw;
use super::set::Summary;
use crate::wire::json::push_string;

/// A tool call with its result.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: &'static str,
    /// A JSON object's text.
    pub(super) arguments: String,
    pub(super) result: String,
}

/// A recorded answer.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) reasoning: String,
    pub(super) content: String,
    pub(super) calls: Vec<Call>,
    pub(super) intents: Vec<&'static str>,
}

/// What all conversations of a kind start with.
pub(super) struct Preamble {
    pub(super) system: String,
    /// Tool definitions, JSON.
    pub(super) tools: String,
}

/// Writes one conversation.
pub(super) struct Rows<'a, W> {
    out: &'a mut W,
    id: String,
    preamble: &'a Preamble,
    turn: u64,
    row: Vec<u8>,
    bytes: u64,
    summary: &'a mut Summary,
}

impl<'a, W: Write> Rows<'a, W> {
    pub(super) fn new(
        out: &'a mut W,
        id: String,
        preamble: &'a Preamble,
        summary: &'a mut Summary,
    ) -> Self {
        summary.trajectories += 1;
        Self { out, id, preamble, turn: 0, row: Vec::new(), bytes: 0, summary }
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A request in words, `delay` milliseconds after the answer before it.
    pub(super) fn user(&mut self, content: &str, delay: Option<u64>) -> io::Result<()> {
        self.begin("user");
        self.member("content", content);
        if self.turn == 1 {
            let preamble = self.preamble;
            self.member("system", &preamble.system);
            self.raw("tools", &preamble.tools);
        }
        self.delay(delay);
        self.summary.client_turns += 1;
        self.end()
    }

    /// A request with the results of these calls.
    pub(super) fn results(&mut self, calls: &[Call], delay: u64) -> io::Result<()> {
        self.begin("tool");
        self.row.extend_from_slice(b",\"tool_results\":[");
        for (n, call) in calls.iter().enumerate() {
            self.row.extend_from_slice(if n == 0 { b"{" } else { b",{" });
            self.row.extend_from_slice(b"\"tool_call_id\":");
            push_string(&mut self.row, &call.id);
            self.member("content", &call.result);
            self.row.push(b'}');
        }
        self.row.push(b']');
        self.delay(Some(delay));
        self.summary.client_turns += 1;
        self.end()
    }

    /// A recorded answer.
    pub(super) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        self.begin("assistant");
        if !answer.content.is_empty() {
            self.member("content", &answer.content);
        }
        if !answer.reasoning.is_empty() {
            self.member("reasoning_content", &answer.reasoning);
        }
        if !answer.calls.is_empty() {
            self.row.extend_from_slice(b",\"tool_calls\":[");
            for (n, call) in answer.calls.iter().enumerate() {
                self.row.extend_from_slice(if n == 0 { b"{\"id\":" } else { b",{\"id\":" });
                push_string(&mut self.row, &call.id);
                self.row.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
                push_string(&mut self.row, call.name);
                self.member("arguments", &call.arguments);
                self.row.extend_from_slice(b"}}");
            }
            self.row.push(b']');
        }
        if !answer.intents.is_empty() {
            let codes = answer.intents.join("\",\"");
            self.raw("intent_codes", &format!("[\"{codes}\"]"));
        }
        self.summary.assistant_turns += 1;
        self.summary.tool_calls += answer.calls.len() as u64;
        self.end()
    }

    fn begin(&mut self, role: &str) {
        self.turn += 1;
        self.row.clear();
        self.row.extend_from_slice(b"{\"conversation_id\":");
        push_string(&mut self.row, &self.id);
        let turn = self.turn.to_string();
        self.raw("turn", &turn);
        self.member("role", role);
    }

    fn member(&mut self, key: &str, text: &str) {
        self.raw(key, "");
        push_string(&mut self.row, text);
    }

    fn raw(&mut self, key: &str, json: &str) {
        self.row.extend_from_slice(b",\"");
        self.row.extend_from_slice(key.as_bytes());
        self.row.extend_from_slice(b"\":");
        self.row.extend_from_slice(json.as_bytes());
    }

    fn delay(&mut self, millis: Option<u64>) {
        if let Some(millis) = millis {
            let text = format!("{}.{:03}", millis / 1000, millis % 1000);
            self.raw("delay_seconds", &text);
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.row.extend_from_slice(b"}\n");
        self.bytes += self.row.len() as u64;
        self.summary.rows += 1;
        self.summary.bytes += self.row.len() as u64;
        self.out.write_all(&self.row)
    }
}

/// How a recorded model names its calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum CallIds {
    /// `functions.bash:0`, counted through the conversation.
    Counted,
    /// `call_` and 24 letters and digits.
    Letters,
    /// `chatcmpl-tool-` and 32 hex digits.
    Hex,
}

impl CallIds {
    pub(super) const ALL: [Self; 3] = [Self::Counted, Self::Letters, Self::Hex];

    /// The id of the `n`-th call of a conversation.
    pub(super) fn id(self, draw: &mut Draw, tool: &str, n: u64) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        match self {
            Self::Counted => format!("functions.{tool}:{n}"),
            Self::Letters => {
                let letters = (0..24).map(|_| char::from(draw.pick(LETTERS)));
                format!("call_{}", letters.collect::<String>())
            }
            Self::Hex => {
                let (high, low) = (draw.below(u64::MAX), draw.below(u64::MAX));
                format!("chatcmpl-tool-{high:016x}{low:016x}")
            }
        }
    }
}

/// How many bytes the next turn may take, so that the rest of the budget lasts for the rest of
/// the turns.
pub(super) fn next_share(draw: &mut Draw, budget: u64, used: u64, turns_left: u64) -> usize {
    let fair = budget.saturating_sub(used) / turns_left.max(1);
    // The skewed draw's mean is a quarter above its middle.
    usize::try_from(draw.skewed(fair * 4 / 5)).unwrap_or(usize::MAX).min(1 << 28)
}
