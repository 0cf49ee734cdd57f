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

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: &str = r#"[{"type":"function","function":{"name":"search","parameters":{"type":"object",
        "properties":{"query":{"type":"string"},"limit":{"type":"integer"},"deep":{"type":"boolean"},
        "kind":{"type":"string","enum":["code"]},"tags":{"type":["array","null"]},"any":{}}}}}]"#;

    fn scripted(extra: &str, session: &str) -> RecordedReply {
        let body =
            format!(r#"{{"model":"m","messages":[{{"role":"user"}}],"tools":{TOOLS}{extra}}}"#);
        let request = ChatRequest::parse(body.as_bytes()).unwrap();
        reply(&Script::default(), 1, 42, SessionId::parse(session), &request)
    }

    #[test]
    fn the_same_request_gets_the_same_reply() {
        assert_eq!(scripted("", "a"), scripted("", "a"));
        assert_ne!(scripted("", "a"), scripted("", "b"));
        assert_ne!(scripted("", "a"), scripted("", "a__repeat_2"));
    }

    #[test]
    fn lengths_are_as_set() {
        let reply = scripted(r#","tool_choice":"none""#, "a");
        assert_eq!(reply.reasoning.unwrap().len(), 8 * TOKEN_BYTES);
        assert_eq!(reply.content.unwrap().len(), 16 * TOKEN_BYTES);
        assert_eq!(reply.tool_calls, []);
    }

    #[test]
    fn arguments_follow_the_tools_own_schema() {
        let reply = scripted(r#","tool_choice":"required""#, "a");
        let call = &reply.tool_calls[0];
        assert_eq!(call.name, "search");
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        assert!(arguments["query"].is_string() && arguments["any"].is_string());
        assert!(arguments["limit"].is_u64() && arguments["deep"].is_boolean());
        assert_eq!(arguments["kind"], "code");
        assert_eq!(arguments["tags"], Value::Array(Vec::new()));
    }

    #[test]
    fn half_of_the_requests_with_tools_get_calls() {
        let calls = (0..400).filter(|n| !scripted("", &n.to_string()).tool_calls.is_empty());
        let count = calls.count();
        assert!((160..240).contains(&count), "{count}");
    }

    #[test]
    fn tools_that_are_no_tools_are_left_alone() {
        for tools in
            ["7", "[]", "[{}]", r#"[{"function":{"name":"f","parameters":{"properties":[]}}}]"#]
        {
            let body = format!(
                r#"{{"model":"m","messages":[{{"role":"user"}}],"tool_choice":"required","tools":{tools}}}"#
            );
            let request = ChatRequest::parse(body.as_bytes()).unwrap();
            let reply = reply(&Script::default(), 1, 42, SessionId::parse("a"), &request);
            assert_eq!(reply.tool_calls, []);
        }
    }
}
