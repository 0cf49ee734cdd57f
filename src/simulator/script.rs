//! Made-up replies: the same for the same request.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::config::Script;
use super::hash::{self, Sequence};
use super::replies::{RecordedReply, SessionId, TOKEN_BYTES, ToolCall};
use super::request::{ChatRequest, ToolChoice};

/// Three letters and a blank are one simulated token each.
const WORDS: [&str; 32] = [
    "add", "all", "and", "any", "ask", "bit", "can", "cut", "day", "end", "few", "fix", "for",
    "get", "has", "how", "key", "let", "log", "map", "new", "not", "now", "out", "put", "run",
    "set", "the", "try", "use", "way", "yes",
];

/// The most tools, and properties of one tool, that are looked at.
const MAX_TOOLS: usize = 256;

#[derive(Deserialize)]
struct Tool {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(default)]
    properties: BTreeMap<String, Property>,
}

#[derive(Deserialize)]
struct Property {
    #[serde(default, rename = "type")]
    kind: Option<Value>,
    #[serde(default, rename = "enum")]
    choices: Option<Vec<Value>>,
}

/// The reply to `request`: reasoning, then either text, or a short text and tool calls.
pub(super) fn reply(
    script: &Script,
    chunk_tokens: u32,
    seed: u64,
    session: SessionId<'_>,
    request: &ChatRequest<'_>,
) -> RecordedReply {
    let turn = (request.messages.len() as u64).to_le_bytes();
    let hash = hash::of(seed, &[b"script", session.logical.as_bytes(), &turn]);
    let mut numbers = Sequence::new(hash);
    let chunk = chunk_tokens as usize;
    let calls = calls(script, hash, &mut numbers, request);
    RecordedReply {
        reasoning: text(&mut numbers, script.reasoning_chunks as usize * chunk),
        content: text(&mut numbers, script.content_chunks as usize * chunk),
        tool_calls: calls,
    }
}

/// A text of this many simulated tokens; none for none.
fn text(numbers: &mut Sequence, tokens: usize) -> Option<String> {
    let tokens = tokens.min(1 << 20);
    let mut text = String::with_capacity(tokens * TOKEN_BYTES);
    for _ in 0..tokens {
        text.push(' ');
        text.push_str(WORDS[numbers.below(WORDS.len())]);
    }
    (tokens > 0).then_some(text)
}

fn calls(
    script: &Script,
    hash: u64,
    numbers: &mut Sequence,
    request: &ChatRequest<'_>,
) -> Vec<ToolCall> {
    let wanted = match request.tool_choice {
        ToolChoice::None => false,
        ToolChoice::Required => true,
        ToolChoice::Auto => hash::unit(hash) < script.tool_call_share,
    };
    let Some(raw) = request.tools.filter(|_| wanted) else { return Vec::new() };
    let Ok(mut tools) = serde_json::from_str::<Vec<Tool>>(raw.get()) else { return Vec::new() };
    tools.truncate(MAX_TOOLS);
    if tools.is_empty() {
        return Vec::new();
    }
    // One reply in four calls two tools at once.
    let count = if numbers.below(4) == 0 { 2 } else { 1 };
    (0..count)
        .map(|_| {
            let function = &tools[numbers.below(tools.len())].function;
            ToolCall {
                id: format!("chatcmpl-tool-{:016x}", numbers.next()),
                name: function.name.clone(),
                arguments: arguments(function, numbers),
            }
        })
        .collect()
}

/// An argument for each property, of its type or from its `enum`.
fn arguments(function: &Function, numbers: &mut Sequence) -> String {
    let properties = function.parameters.as_ref().map(|parameters| &parameters.properties);
    let mut object = serde_json::Map::new();
    for (name, property) in properties.into_iter().flatten().take(MAX_TOOLS) {
        object.insert(name.clone(), argument(property, numbers));
    }
    Value::Object(object).to_string()
}

fn argument(property: &Property, numbers: &mut Sequence) -> Value {
    if let Some(choices) = property.choices.as_ref().filter(|choices| !choices.is_empty()) {
        return choices[numbers.below(choices.len())].clone();
    }
    let kind = match &property.kind {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str).unwrap_or("string"),
        _ => "string",
    };
    match kind {
        "integer" | "number" => Value::from(numbers.below(100)),
        "boolean" => Value::from(numbers.below(2) == 0),
        "array" => Value::Array(Vec::new()),
        "object" => Value::Object(serde_json::Map::new()),
        "null" => Value::Null,
        _ => Value::from(text(numbers, 4).unwrap_or_default().trim_start()),
    }
}
