//! The parts of a request body that do not depend on the conversation.

use crate::wire::json;

/// The order in which the reference client writes the keys after `messages`
/// (rules/agentic, "a request on the wire"); keys that it does not know follow in the given order.
const KEY_ORDER: [&str; 16] = [
    "temperature",
    "max_completion_tokens",
    "stream",
    "seed",
    "top_p",
    "top_k",
    "repetition_penalty",
    "n",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "user",
    "chat_template",
    "chat_template_kwargs",
    "tools",
];

/// How prompts are prepared.
#[derive(Clone, Debug)]
pub struct PromptOptions {
    /// Whether the two salt markers are put around the system prompt.
    pub salt: bool,
    /// Whether recorded assistant texts get a leading space, so that a server cannot reuse KV
    /// blocks that it generated itself.
    pub clear_generated: bool,
    /// The key under which recorded reasoning is sent.
    pub reasoning_field: String,
}

impl Default for PromptOptions {
    fn default() -> Self {
        Self { salt: true, clear_generated: true, reasoning_field: "reasoning_content".to_owned() }
    }
}

/// Model, sampling and stream settings, as JSON text.
#[derive(Clone, Debug)]
pub struct RequestTemplate {
    head: Vec<u8>,
    fields: Vec<(String, String)>,
    limits_tokens: bool,
    usage: bool,
}

impl RequestTemplate {
    /// A streaming request to `model` with `fields` (key and compact JSON value) sent as given and
    /// nothing else; `usage` asks the server for token counts with `stream_options`.
    pub fn new(model: &str, fields: Vec<(String, String)>, usage: bool) -> Self {
        let mut head = b"{\"model\":".to_vec();
        json::push_string(&mut head, model);
        head.extend_from_slice(b",\"messages\":[");
        let mut fields = fields;
        fields.retain(|(key, _)| key != "stream");
        fields.push(("stream".to_owned(), "true".to_owned()));
        fields.sort_by_key(|(key, _)| rank(key));
        let limits_tokens = fields.iter().any(|(key, _)| key == "max_completion_tokens");
        Self { head, fields, limits_tokens, usage }
    }

    /// The body up to the opening bracket of `messages`.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The body from the closing bracket of `messages` on. `max_tokens` is the data set's own
    /// limit, sent only where the scenario sets none.
    pub(super) fn tail(&self, tools: Option<&str>, max_tokens: Option<u64>) -> Vec<u8> {
        let mut tail = b"]".to_vec();
        let limit = max_tokens.filter(|_| !self.limits_tokens).map(|limit| limit.to_string());
        let mut limit = limit.as_deref();
        let mut tools = tools;
        for (key, value) in &self.fields {
            if rank(key) > rank("max_completion_tokens")
                && let Some(limit) = limit.take()
            {
                push_field(&mut tail, "max_completion_tokens", limit);
            }
            if rank(key) > rank("tools")
                && let Some(tools) = tools.take()
            {
                push_field(&mut tail, "tools", tools);
            }
            push_field(&mut tail, key, value);
        }
        if let Some(tools) = tools {
            push_field(&mut tail, "tools", tools);
        }
        if self.usage {
            push_field(&mut tail, "stream_options", "{\"include_usage\":true}");
        }
        tail.push(b'}');
        tail
    }
}

fn rank(key: &str) -> usize {
    KEY_ORDER.iter().position(|known| *known == key).unwrap_or(KEY_ORDER.len())
}

fn push_field(out: &mut Vec<u8>, key: &str, value: &str) {
    out.push(b',');
    json::push_string(out, key);
    out.push(b':');
    out.extend_from_slice(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn keys_stand_in_the_reference_order_and_nothing_is_added() {
        let fields = vec![
            field("top_k", "20"),
            field("min_p", "0"),
            field("max_completion_tokens", "8192"),
            field("temperature", "1.0"),
        ];
        let template = RequestTemplate::new("m\"1", fields, false);
        assert_eq!(template.head(), br#"{"model":"m\"1","messages":["#);
        assert_eq!(
            String::from_utf8(template.tail(Some("[]"), Some(5))).unwrap(),
            r#"],"temperature":1.0,"max_completion_tokens":8192,"stream":true,"top_k":20,"tools":[],"min_p":0}"#
        );
    }

    #[test]
    fn usage_is_asked_for_last_and_a_recorded_limit_fills_a_gap() {
        let template = RequestTemplate::new("m", vec![field("temperature", "0")], true);
        assert_eq!(
            String::from_utf8(template.tail(None, Some(5))).unwrap(),
            r#"],"temperature":0,"max_completion_tokens":5,"stream":true,"stream_options":{"include_usage":true}}"#
        );
    }
}
