//! Writing chat-completions replies: chunks, SSE framing, whole completions, error objects.
//!
//! Everything is appended to a byte buffer directly; no JSON tree is built. The shape is the one
//! that vLLM streams (key order included), so that a recording of either looks alike.

use super::json::push_string;
use super::{FinishReason, Usage};

/// The line that ends a stream.
pub const DONE: &[u8] = b"data: [DONE]\n\n";

/// Writes the chunks of one streamed reply.
#[derive(Clone, Debug)]
pub struct ChunkEncoder {
    /// Everything up to and including `"choices":[`, the same in each chunk.
    head: Vec<u8>,
    /// `"reasoning":` or whatever the field is called, as it stands in a delta.
    reasoning_key: Vec<u8>,
}

/// What follows a delta while the reply goes on.
const GOES_ON: &[u8] = b"},\"logprobs\":null,\"finish_reason\":null}]}\n\n";

/// What precedes the content of a delta.
const DELTA: &[u8] = b"{\"index\":0,\"delta\":{";

impl ChunkEncoder {
    /// An encoder for the reply `id`, made at `created` (seconds since 1970) by `model`, whose
    /// reasoning is sent under the key `reasoning_field`.
    pub fn new(id: &str, created: u64, model: &str, reasoning_field: &str) -> Self {
        let mut head = b"data: {\"id\":".to_vec();
        push_string(&mut head, id);
        head.extend_from_slice(b",\"object\":\"chat.completion.chunk\",\"created\":");
        push_number(&mut head, created);
        head.extend_from_slice(b",\"model\":");
        push_string(&mut head, model);
        head.extend_from_slice(b",\"choices\":[");
        let mut reasoning_key = Vec::new();
        push_string(&mut reasoning_key, reasoning_field);
        reasoning_key.push(b':');
        Self { head, reasoning_key }
    }

    /// Appends the first chunk: the role, and no text.
    pub fn role(&self, out: &mut Vec<u8>) {
        self.delta(out, b"\"role\":\"assistant\",\"content\":\"\"");
        out.extend_from_slice(GOES_ON);
    }

    /// Appends a chunk with a fragment of the answer's text.
    pub fn content(&self, out: &mut Vec<u8>, text: &str) {
        self.delta(out, b"\"content\":");
        push_string(out, text);
        out.extend_from_slice(GOES_ON);
    }

    /// Appends a chunk with a fragment of the reasoning.
    pub fn reasoning(&self, out: &mut Vec<u8>, text: &str) {
        self.delta(out, &self.reasoning_key);
        push_string(out, text);
        out.extend_from_slice(GOES_ON);
    }

    /// Appends the chunk that opens tool call `index`: its id and its function's name.
    pub fn call(&self, out: &mut Vec<u8>, index: usize, id: &str, name: &str) {
        self.delta(out, b"\"content\":null,\"tool_calls\":[{\"id\":");
        push_string(out, id);
        out.extend_from_slice(b",\"type\":\"function\",\"index\":");
        push_number(out, index as u64);
        out.extend_from_slice(b",\"function\":{\"name\":");
        push_string(out, name);
        out.extend_from_slice(b"}}]");
        out.extend_from_slice(GOES_ON);
    }

    /// Appends a chunk with a fragment of the arguments of tool call `index`.
    pub fn arguments(&self, out: &mut Vec<u8>, index: usize, text: &str) {
        self.delta(out, b"\"content\":null,\"tool_calls\":[{\"index\":");
        push_number(out, index as u64);
        out.extend_from_slice(b",\"function\":{\"arguments\":");
        push_string(out, text);
        out.extend_from_slice(b"}}]");
        out.extend_from_slice(GOES_ON);
    }

    /// Appends the chunk that says why the reply ended.
    pub fn finish(&self, out: &mut Vec<u8>, reason: &FinishReason) {
        self.delta(out, b"},\"logprobs\":null,\"finish_reason\":");
        push_string(out, reason.as_str());
        out.extend_from_slice(b",\"stop_reason\":null}]}\n\n");
    }

    /// Appends the chunk with the token counts, which has no choices.
    pub fn usage(&self, out: &mut Vec<u8>, usage: &Usage) {
        out.extend_from_slice(&self.head);
        out.extend_from_slice(b"],\"usage\":");
        push_usage(out, usage);
        out.extend_from_slice(b"}\n\n");
    }

    fn delta(&self, out: &mut Vec<u8>, content: &[u8]) {
        out.extend_from_slice(&self.head);
        out.extend_from_slice(DELTA);
        out.extend_from_slice(content);
    }
}

/// A whole reply, to be sent in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'a> {
    /// The reply's id.
    pub id: &'a str,
    /// When it was made, in seconds since 1970.
    pub created: u64,
    /// The model's name.
    pub model: &'a str,
    /// The key under which the reasoning is sent.
    pub reasoning_field: &'a str,
    /// The text; none is sent as null.
    pub content: Option<&'a str>,
    /// The reasoning; none is left out.
    pub reasoning: Option<&'a str>,
    /// The tool calls: id, function name, arguments.
    pub calls: &'a [(&'a str, &'a str, &'a str)],
    /// Why it ended.
    pub finish: &'a FinishReason,
    /// The token counts.
    pub usage: Usage,
}

impl Completion<'_> {
    /// The `chat.completion` object.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = b"{\"id\":".to_vec();
        push_string(&mut out, self.id);
        out.extend_from_slice(b",\"object\":\"chat.completion\",\"created\":");
        push_number(&mut out, self.created);
        out.extend_from_slice(b",\"model\":");
        push_string(&mut out, self.model);
        out.extend_from_slice(
            b",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":",
        );
        match self.content {
            Some(text) => push_string(&mut out, text),
            None => out.extend_from_slice(b"null"),
        }
        if let Some(text) = self.reasoning {
            out.push(b',');
            push_string(&mut out, self.reasoning_field);
            out.push(b':');
            push_string(&mut out, text);
        }
        self.push_calls(&mut out);
        out.extend_from_slice(b"},\"logprobs\":null,\"finish_reason\":");
        push_string(&mut out, self.finish.as_str());
        out.extend_from_slice(b",\"stop_reason\":null}],\"usage\":");
        push_usage(&mut out, &self.usage);
        out.push(b'}');
        out
    }

    fn push_calls(&self, out: &mut Vec<u8>) {
        if self.calls.is_empty() {
            return;
        }
        out.extend_from_slice(b",\"tool_calls\":[");
        for (position, (id, name, arguments)) in self.calls.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"id\":");
            push_string(out, id);
            out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
            push_string(out, name);
            out.extend_from_slice(b",\"arguments\":");
            push_string(out, arguments);
            out.extend_from_slice(b"}}");
        }
        out.push(b']');
    }
}

/// An `error` object as OpenAI-compatible servers send it: message, type (such as
/// `BadRequestError`), the offending request key, and the status as code.
pub fn error_object(message: &str, kind: &str, param: Option<&str>, code: u16) -> Vec<u8> {
    let mut out = b"{\"error\":{\"message\":".to_vec();
    push_string(&mut out, message);
    out.extend_from_slice(b",\"type\":");
    push_string(&mut out, kind);
    out.extend_from_slice(b",\"param\":");
    match param {
        Some(param) => push_string(&mut out, param),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"code\":");
    push_number(&mut out, u64::from(code));
    out.extend_from_slice(b"}}");
    out
}

/// Appends one SSE event with this data, which must hold no line break.
pub fn push_event(out: &mut Vec<u8>, data: &[u8]) {
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
}

fn push_usage(out: &mut Vec<u8>, usage: &Usage) {
    out.extend_from_slice(b"{\"prompt_tokens\":");
    push_number(out, usage.prompt_tokens);
    out.extend_from_slice(b",\"total_tokens\":");
    push_number(out, usage.prompt_tokens.saturating_add(usage.completion_tokens));
    out.extend_from_slice(b",\"completion_tokens\":");
    push_number(out, usage.completion_tokens);
    if let Some(cached) = usage.cached_tokens {
        out.extend_from_slice(b",\"prompt_tokens_details\":{\"cached_tokens\":");
        push_number(out, cached);
        out.push(b'}');
    }
    if let Some(reasoning) = usage.reasoning_tokens {
        out.extend_from_slice(b",\"completion_tokens_details\":{\"reasoning_tokens\":");
        push_number(out, reasoning);
        out.push(b'}');
    }
    out.push(b'}');
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut left = number;
    loop {
        at -= 1;
        digits[at] = b"0123456789"[usize::try_from(left % 10).expect("a digit is below ten")];
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chunk_is_one_event_with_json() {
        let encoder = ChunkEncoder::new("a\"b", 7, "m\n", "reasoning");
        let usage = Usage { prompt_tokens: u64::MAX, completion_tokens: 1, ..Usage::default() };
        let mut out = Vec::new();
        encoder.role(&mut out);
        encoder.reasoning(&mut out, "\u{1}\r\n");
        encoder.content(&mut out, "é\"");
        encoder.call(&mut out, 12, "call", "bash");
        encoder.arguments(&mut out, 0, "{\"a\":");
        encoder.finish(&mut out, &FinishReason::Length);
        encoder.usage(&mut out, &usage);
        let text = String::from_utf8(out).unwrap();
        let events: Vec<serde_json::Value> = text
            .split_terminator("\n\n")
            .map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap())
            .collect();
        let delta = |at: usize| &events[at]["choices"][0]["delta"];
        assert_eq!(delta(0)["role"], "assistant");
        assert_eq!(delta(1)["reasoning"], "\u{1}\r\n");
        assert_eq!(delta(2)["content"], "é\"");
        assert_eq!(delta(3)["tool_calls"][0]["index"], 12);
        assert_eq!(delta(3)["tool_calls"][0]["function"]["name"], "bash");
        assert_eq!(delta(4)["tool_calls"][0]["function"]["arguments"], "{\"a\":");
        assert_eq!(events[5]["choices"][0]["finish_reason"], "length");
        assert_eq!(events[6]["choices"], serde_json::json!([]));
        assert_eq!(events[6]["usage"]["total_tokens"], u64::MAX);
        assert_eq!(events[6]["usage"].get("prompt_tokens_details"), None);
        assert!(events.iter().all(|event| event["id"] == "a\"b" && event["model"] == "m\n"));
    }

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 1_234_567_890, u64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
