//! The data sets' own replies, as the table that the simulated endpoint answers from.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

use super::library::{Library, Turn};
use crate::simulator::{RecordedReplies, RecordedReply, ToolCall};

/// Answers each recorded turn with the assistant message that follows it in the data set.
#[derive(Debug)]
pub struct RecordedTable {
    library: Arc<Library>,
    by_id: HashMap<Arc<str>, usize>,
}

impl RecordedTable {
    /// The table of all recorded replies of `library`.
    pub fn new(library: Arc<Library>) -> Self {
        let by_id = library.conversations().iter().enumerate();
        let by_id = by_id.map(|(index, conversation)| (Arc::clone(&conversation.id), index));
        Self { by_id: by_id.collect(), library }
    }

    fn message(&self, range: Range<usize>) -> Option<RecordedReply> {
        let message: Message = serde_json::from_slice(&self.library.arena[range]).ok()?;
        let field = &self.library.options.reasoning_field;
        let reasoning = message.other.get(field).and_then(|value| value.as_str());
        let has_calls = !message.tool_calls.is_empty();
        Some(RecordedReply {
            content: message.content.and_then(|text| self.unclear(&text, has_calls)),
            reasoning: reasoning.and_then(|text| self.unclear(text, false)),
            tool_calls: message.tool_calls.into_iter().map(ToolCall::from).collect(),
        })
    }

    /// Takes away the space that clearing put before a generated text.
    fn unclear(&self, text: &str, has_calls: bool) -> Option<String> {
        if !self.library.options.clear_generated {
            return Some(text.to_owned());
        }
        match text.strip_prefix(' ').unwrap_or(text) {
            "" if has_calls => None,
            original => Some(original.to_owned()),
        }
    }
}

impl RecordedReplies for RecordedTable {
    fn reply(&self, source_id: &str, messages: usize) -> Option<RecordedReply> {
        let conversation = &self.library.conversations()[*self.by_id.get(source_id)?];
        let position = |turn: &Turn| turn.messages as usize;
        let index = conversation.turns.binary_search_by_key(&messages, position).ok()?;
        self.message(conversation.turns[index].reply.clone()?)
    }
}

/// An assistant message as the arena holds it. The reasoning's key is configurable, so it is
/// looked up among the other keys.
#[derive(Deserialize)]
#[serde(from = "serde_json::Map<String, serde_json::Value>")]
struct Message {
    content: Option<String>,
    tool_calls: Vec<Call>,
    other: serde_json::Map<String, serde_json::Value>,
}

impl From<serde_json::Map<String, serde_json::Value>> for Message {
    fn from(mut other: serde_json::Map<String, serde_json::Value>) -> Self {
        let content = other.get("content").and_then(|value| value.as_str()).map(str::to_owned);
        let tool_calls = other.remove("tool_calls").unwrap_or_default();
        let tool_calls = serde_json::from_value(tool_calls).unwrap_or_default();
        Self { content, tool_calls, other }
    }
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: serde_json::Value,
}

impl From<Call> for ToolCall {
    fn from(call: Call) -> Self {
        let arguments = match call.function.arguments {
            serde_json::Value::String(text) => text,
            serde_json::Value::Null => String::new(),
            other => other.to_string(),
        };
        Self { id: call.id, name: call.function.name, arguments }
    }
}
