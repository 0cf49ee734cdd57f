//! What a probe asks.

use serde_json::{Value, json};

/// Tokens that a reply may have: enough to see it stream, and to see reasoning.
const MAX_TOKENS: u32 = 64;

/// A request that streams a short reply to a prompt of a few hundred tokens. `nonce` begins the
/// prompt, so that nothing of it is in the server's prefix cache.
pub(super) fn chat(model: &str, nonce: &str, usage: bool) -> Value {
    let filler = "You answer in one short sentence and never use any markup. ".repeat(24);
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": format!("[probe {nonce}] {filler}")},
            {"role": "user", "content": "Say hello."},
        ],
        "max_completion_tokens": MAX_TOKENS,
        "stream": true,
    });
    if usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

/// A request that offers a tool.
pub(super) fn tools(model: &str, usage: bool) -> Value {
    let mut body = chat(model, "tools", usage);
    body["messages"] = json!([
        {"role": "system", "content": "You use the tool `bash` to answer."},
        {"role": "user", "content": "Which files are in the current directory?"},
    ]);
    body["tools"] = json!([{
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Run a shell command",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string"}},
                "required": ["command"],
            },
        },
    }]);
    body
}

/// A request whose history holds what recorded trajectories hold: a tool call without content, its
/// result, and reasoning under `reasoning_key`.
pub(super) fn history(model: &str, usage: bool, reasoning_key: Option<&str>) -> Value {
    let mut body = tools(model, usage);
    let mut call = json!({
        "role": "assistant",
        "tool_calls": [{
            "id": "call_1",
            "type": "function",
            "function": {"name": "bash", "arguments": "{\"command\": \"ls\"}"},
        }],
    });
    if let Some(key) = reasoning_key {
        call[key] = json!("I list the directory.");
    }
    let result = json!({"role": "tool", "content": "a.txt", "tool_call_id": "call_1"});
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.extend([call, result]);
    }
    body
}
