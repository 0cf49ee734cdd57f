//! A reply as it was received.

use serde::{Deserialize, Serialize};

/// A streamed text, split where the first token's chunk ended.
///
/// `first` is what the reply's very first non-empty fragment held, and empty when that fragment
/// belonged to another part of the reply; `rest` is everything after it, joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The text of the first token's chunk.
    pub first: String,
    /// The text of all later chunks.
    pub rest: String,
}

impl Text {
    /// Whether no text was received.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.rest.is_empty()
    }

    /// The whole text.
    pub fn joined(&self) -> String {
        [self.first.as_str(), self.rest.as_str()].concat()
    }
}

/// One tool call, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallDelta {
    /// The position of the call in the reply.
    pub index: u32,
    /// The call's id; sent once.
    pub id: Option<String>,
    /// The function's name; sent once.
    pub name: Option<String>,
    /// A fragment of the arguments' JSON text.
    pub arguments: String,
}

/// Why the server stopped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// A stop token or stop text.
    Stop,
    /// The token limit.
    Length,
    /// Tool calls.
    ToolCalls,
    /// The server's content filter.
    ContentFilter,
    /// The old form of a tool call.
    FunctionCall,
    /// Anything else, as sent.
    Other(String),
}

impl FinishReason {
    /// The reason of a `finish_reason` text.
    pub fn parse(text: &str) -> Self {
        match text {
            "stop" => Self::Stop,
            "length" => Self::Length,
            "tool_calls" => Self::ToolCalls,
            "content_filter" => Self::ContentFilter,
            "function_call" => Self::FunctionCall,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The text as sent.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
            Self::FunctionCall => "function_call",
            Self::Other(text) => text,
        }
    }
}

/// Token counts as the *server* reported them; never official counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the rendered prompt.
    pub prompt_tokens: u64,
    /// Tokens generated.
    pub completion_tokens: u64,
    /// Prompt tokens that the server took from its prefix cache, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Generated tokens that were reasoning, where the server says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

/// A complete reply, whichever way it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The answer's text.
    pub content: Text,
    /// The reasoning text (`reasoning_content` or `reasoning`).
    pub reasoning: Text,
    /// The deltas of the first token's chunk, where that chunk was a tool call; else empty.
    pub first_tool_calls: Vec<ToolCallDelta>,
    /// All later deltas, merged to one entry per call, ordered by index.
    pub tool_calls: Vec<ToolCallDelta>,
    /// Why the server stopped; none when it never said.
    pub finish_reason: Option<FinishReason>,
    /// The server's token counts; none when it sent none.
    pub usage: Option<Usage>,
    /// How many non-empty fragments arrived (1 for a reply that was not streamed).
    pub chunks: u32,
}

impl Reply {
    /// Whether nothing was generated: no content, no reasoning, no tool call.
    pub fn is_empty(&self) -> bool {
        self.content.is_empty()
            && self.reasoning.is_empty()
            && self.first_tool_calls.is_empty()
            && self.tool_calls.is_empty()
    }
}
