//! Counting replies.

use serde_json::{Map, Value as Json, json};

use crate::tokens::error::{CountError, TemplateError, TokenizeError};
use crate::tokens::reference::Reference;
use crate::wire::{Reply, ToolCallDelta};

/// How a reply was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// As the rules say (rules/agentic §8): through the template, less the empty reply.
    Template,
    /// By plain encoding of its texts, because the template refused the reply (tool-call arguments
    /// that are no JSON object, mostly); the template's message.
    Plain(TemplateError),
}

/// The counts of one reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyCounts {
    /// The output length (OSL): everything that the server generated.
    pub output: u64,
    /// The tokens behind the first chunk, which TPOT divides by; 0 means that the reply has none.
    pub after_first: u64,
    /// How `output` was counted.
    pub method: Method,
}

/// Counts replies.
#[derive(Debug)]
pub struct ReplyCounter<'r> {
    reference: &'r Reference,
    /// `T([user "", assistant ""])`, or why the template refuses even that.
    empty: Result<u64, TemplateError>,
}

impl<'r> ReplyCounter<'r> {
    /// Counts the empty reply once.
    ///
    /// # Errors
    /// When the tokenizer fails on it.
    pub fn new(reference: &'r Reference) -> Result<Self, TokenizeError> {
        let mut counter = Self { reference, empty: Ok(0) };
        counter.empty = match counter.template_tokens(&Payload::default()) {
            Ok(tokens) => Ok(tokens),
            Err(CountError::Tokenize(error)) => return Err(error),
            Err(CountError::Template(error)) => Err(error),
            Err(other) => Err(TemplateError::Render { line: 0, message: other.to_string() }),
        };
        Ok(counter)
    }

    /// The counts of a reply: reasoning, content and tool calls, each counted once and as a whole.
    ///
    /// # Errors
    /// When the tokenizer fails.
    pub fn count(&self, reply: &Reply) -> Result<ReplyCounts, TokenizeError> {
        let whole = Payload {
            content: reply.content.joined(),
            reasoning: reply.reasoning.joined(),
            calls: merged(reply.first_tool_calls.iter().chain(&reply.tool_calls)),
        };
        let rest = Payload {
            content: reply.content.rest.clone(),
            reasoning: reply.reasoning.rest.clone(),
            calls: merged(&reply.tool_calls),
        };
        let (output, method) = self.payload(&whole)?;
        let (after_first, _) = self.payload(&rest)?;
        Ok(ReplyCounts { output, after_first, method })
    }

    /// `max(0, T([user "", assistant payload]) - T([user "", assistant ""]))`.
    fn payload(&self, payload: &Payload) -> Result<(u64, Method), TokenizeError> {
        if payload.is_empty() {
            return Ok((0, Method::Template));
        }
        let refused = match &self.empty {
            Err(error) => error.clone(),
            Ok(empty) => match self.template_tokens(payload) {
                Ok(tokens) => return Ok((tokens.saturating_sub(*empty), Method::Template)),
                Err(CountError::Tokenize(error)) => return Err(error),
                Err(CountError::Template(error)) => error,
                Err(other) => TemplateError::Render { line: 0, message: other.to_string() },
            },
        };
        let mut tokens = 0;
        for text in payload.texts() {
            tokens += self.reference.tokenizer().count(text)?;
        }
        Ok((tokens, Method::Plain(refused)))
    }

    fn template_tokens(&self, payload: &Payload) -> Result<u64, CountError> {
        let messages = [json!({"role": "user", "content": ""}), payload.message()];
        let template = self.reference.template();
        let conversation = template.prepare(&messages, None, &Map::new());
        let text = template.render_prefix(&conversation, messages.len(), false)?;
        Ok(self.reference.tokenizer().count(&text)?)
    }
}

/// What of a reply is counted.
#[derive(Debug, Default)]
struct Payload {
    content: String,
    reasoning: String,
    calls: Vec<ToolCallDelta>,
}

impl Payload {
    fn is_empty(&self) -> bool {
        self.texts().all(str::is_empty)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let calls = self
            .calls
            .iter()
            .flat_map(|call| [call.name.as_deref().unwrap_or_default(), call.arguments.as_str()]);
        [self.reasoning.as_str(), self.content.as_str()].into_iter().chain(calls)
    }

    /// The payload as an assistant's message; parts that are empty are left out, except for
    /// `content`.
    fn message(&self) -> Json {
        let mut message = json!({"role": "assistant", "content": self.content});
        if !self.reasoning.is_empty() {
            message["reasoning_content"] = json!(self.reasoning);
        }
        if !self.calls.is_empty() {
            let call = |call: &ToolCallDelta| {
                json!({
                    "id": call.id.as_deref().unwrap_or_default(),
                    "type": "function",
                    "function": {
                        "name": call.name.as_deref().unwrap_or_default(),
                        "arguments": call.arguments,
                    },
                })
            };
            message["tool_calls"] = self.calls.iter().map(call).collect();
        }
        message
    }
}

/// The calls of some deltas: one for each index, in the order of the indices.
fn merged<'d>(deltas: impl IntoIterator<Item = &'d ToolCallDelta>) -> Vec<ToolCallDelta> {
    let mut calls: Vec<ToolCallDelta> = Vec::new();
    for delta in deltas {
        match calls.iter_mut().find(|call| call.index == delta.index) {
            None => calls.push(delta.clone()),
            Some(call) => {
                call.id = call.id.take().or_else(|| delta.id.clone());
                call.name = match (call.name.take(), &delta.name) {
                    (Some(name), Some(more)) => Some(name + more),
                    (name, more) => name.or_else(|| more.clone()),
                };
                call.arguments.push_str(&delta.arguments);
            }
        }
    }
    calls.sort_by_key(|call| call.index);
    calls
}
