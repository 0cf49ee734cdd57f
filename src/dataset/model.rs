//! A trajectory as the data set holds it.

use std::time::Duration;

/// One recorded conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The source id, unique in its file: printable ASCII.
    pub id: String,
    /// The system prompt: the first one found in turn order.
    pub system: Option<String>,
    /// `tools` of the first user row, as compact JSON; the default of every later row.
    pub tools: Option<String>,
    /// `max_new_tokens` or `max_completion_tokens` of the first user row; used only where the
    /// scenario sets no limit.
    pub max_tokens: Option<u64>,
    /// The rows in turn order, first a user row.
    pub rows: Vec<Row>,
}

/// One row: one message, or the tool results that answer one assistant message.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// 1-based line in the file.
    pub line: u64,
    /// 1-based position in the conversation.
    pub turn: u32,
    /// What was said.
    pub message: Message,
    /// Think or tool time before this row's request; none for assistant rows.
    pub delay: Option<Duration>,
    /// The row's own `tools`, as compact JSON.
    pub tools: Option<String>,
}

/// The content of a row. JSON values are kept as compact JSON text, number by number as recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A client request in words.
    User {
        /// The text.
        content: String,
    },
    /// A recorded answer.
    Assistant {
        /// The text; absent and null are the same.
        content: Option<String>,
        /// The recorded reasoning.
        reasoning: Option<String>,
        /// `tool_calls`, a compact JSON array.
        tool_calls: Option<String>,
        /// Workflow ground truth.
        intent_codes: Vec<String>,
    },
    /// A client request that carries tool results.
    Tool {
        /// One entry per OpenAI `tool` message; never empty.
        results: Vec<ToolResult>,
    },
}

/// The result of one tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub tool_call_id: String,
    /// The text.
    pub content: String,
}

impl Row {
    /// Whether this row is a request that the client sends (a user or tool row).
    pub fn is_client_turn(&self) -> bool {
        !matches!(self.message, Message::Assistant { .. })
    }
}

impl Trajectory {
    /// Whether this is an agentic-workflow conversation (its id is `sim_` and digits), as the
    /// benchmark tells them from coding conversations (rules/agentic §9.1).
    pub fn is_workflow(&self) -> bool {
        self.id.strip_prefix("sim_").is_some_and(is_digits)
    }
}

/// Whether `text` is one or more ASCII digits.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
