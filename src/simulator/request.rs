//! Reading a chat-completions request without building a JSON tree.
//!
//! A request repeats its whole history, so it may hold hundreds of kilobytes of messages. They are
//! scanned once and kept as slices of the body; only roles are looked at.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A request that was understood.
#[derive(Debug)]
pub(super) struct ChatRequest<'a> {
    /// The model asked for.
    pub(super) model: Cow<'a, str>,
    /// The messages, as they stand in the body.
    pub(super) messages: Vec<&'a RawValue>,
    /// How many of the messages are the assistant's.
    pub(super) assistant_messages: usize,
    /// Whether the first message is the system's.
    pub(super) has_system: bool,
    /// `tools`, as it stands in the body.
    pub(super) tools: Option<&'a RawValue>,
    /// What `tool_choice` says.
    pub(super) tool_choice: ToolChoice,
    /// Whether the reply is to be streamed.
    pub(super) stream: bool,
    /// Whether token counts are asked for.
    pub(super) include_usage: bool,
    /// The limit on generated tokens.
    pub(super) max_tokens: Option<u64>,
}

/// Whether tools may, must or must not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolChoice {
    /// As the model likes.
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
}

/// A request that is refused with status 400.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    /// What is wrong.
    pub(super) message: String,
    /// The key that it is about.
    pub(super) param: Option<&'static str>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    messages: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_choice: Option<&'a RawValue>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    max_completion_tokens: Option<u64>,
    #[serde(default)]
    max_tokens: Option<u64>,
    #[serde(default)]
    n: Option<u64>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Role<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
}

impl<'a> ChatRequest<'a> {
    /// Reads a request body.
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, Refused> {
        let text = std::str::from_utf8(body)
            .map_err(|error| refused(format!("the body is not UTF-8: {error}"), None))?;
        if !is_object(text) {
            return Err(refused("the body is not a JSON object", None));
        }
        let body: Body<'a> = serde_json::from_str(text).map_err(|error| {
            refused(format!("the body is not a chat-completions request: {error}"), None)
        })?;
        let Some(messages) = body.messages else {
            return Err(refused("`messages` is missing", Some("messages")));
        };
        if messages.is_empty() {
            return Err(refused("`messages` is empty; send at least one", Some("messages")));
        }
        let Some(model) = body.model else {
            return Err(refused("`model` is missing", Some("model")));
        };
        if body.n.is_some_and(|n| n != 1) {
            return Err(refused("`n` must be 1: one reply is simulated", Some("n")));
        }
        let stream = body.stream.unwrap_or(false);
        if body.stream_options.is_some() && !stream {
            let message = "`stream_options` is only allowed when `stream` is true";
            return Err(refused(message, Some("stream_options")));
        }
        let max_tokens = body.max_completion_tokens.or(body.max_tokens);
        if max_tokens == Some(0) {
            let message = "`max_completion_tokens` must be at least 1, found 0";
            return Err(refused(message, Some("max_completion_tokens")));
        }
        let (mut assistant_messages, mut has_system) = (0, false);
        for (position, message) in messages.iter().enumerate() {
            let role = role(message, position)?;
            assistant_messages += usize::from(role == "assistant");
            has_system |= position == 0 && role == "system";
        }
        Ok(Self {
            model,
            messages,
            assistant_messages,
            has_system,
            tools: body.tools.filter(|tools| tools.get() != "[]"),
            tool_choice: tool_choice(body.tool_choice),
            stream,
            include_usage: body.stream_options.and_then(|o| o.include_usage).unwrap_or(false),
            max_tokens,
        })
    }
}

fn refused(message: impl Into<String>, param: Option<&'static str>) -> Refused {
    Refused { message: message.into(), param }
}

/// Whether a JSON text is an object, where it is JSON at all; serde reads arrays as structs, too.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// The role of a message. Most clients write it first, which saves reading the whole message.
fn role<'a>(message: &'a RawValue, position: usize) -> Result<Cow<'a, str>, Refused> {
    let text = message.get();
    if let Some((role, _)) = text
        .strip_prefix("{\"role\":\"")
        .and_then(|rest| rest.split_once('"'))
        .filter(|(role, _)| !role.contains('\\'))
    {
        return Ok(Cow::Borrowed(role));
    }
    if !is_object(text) {
        return Err(refused(format!("`messages[{position}]` is not an object"), Some("messages")));
    }
    serde_json::from_str::<Role<'a>>(text)
        .map(|message| message.role)
        .map_err(|error| refused(format!("`messages[{position}]`: {error}"), Some("messages")))
}

fn tool_choice(raw: Option<&RawValue>) -> ToolChoice {
    match raw.map(RawValue::get) {
        None | Some("\"auto\"") => ToolChoice::Auto,
        Some("\"none\"") => ToolChoice::None,
        // "required", or an object that names the function.
        Some(_) => ToolChoice::Required,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &str) -> String {
        ChatRequest::parse(body.as_bytes()).unwrap_err().message
    }

    #[test]
    fn what_matters_is_read() {
        let body = r#"{"model":"m","messages":[
            {"role":"system","content":"s"}, {"content":"u","role":"user"},
            {"role":"assistant","content":null}, {"role":"tool","tool_call_id":"a","content":"{}"}],
            "tools":[{"type":"function"}],"tool_choice":"required","stream":true,
            "stream_options":{"include_usage":true},"max_tokens":7,"max_completion_tokens":5,
            "temperature":1.0,"chat_template_kwargs":{"preserve_thinking":true}}"#;
        let request = ChatRequest::parse(body.as_bytes()).unwrap();
        assert_eq!(request.model, "m");
        assert_eq!((request.messages.len(), request.assistant_messages), (4, 1));
        assert_eq!(request.tools.unwrap().get(), r#"[{"type":"function"}]"#);
        assert_eq!(request.tool_choice, ToolChoice::Required);
        assert!(request.stream && request.include_usage);
        assert_eq!(request.max_tokens, Some(5));
    }

    #[test]
    fn null_is_as_good_as_absent() {
        let body = r#"{"model":"m","messages":[{"role":"user"}],"tools":null,"stream":null,
            "stream_options":null,"max_tokens":null,"tool_choice":null,"n":null}"#;
        let request = ChatRequest::parse(body.as_bytes()).unwrap();
        assert!(request.tools.is_none() && !request.stream && request.max_tokens.is_none());
        assert_eq!(request.tool_choice, ToolChoice::Auto);
    }

    #[test]
    fn nesting_without_bound_is_no_harm() {
        let deep = format!(r#"{{"model":"m","messages":[{}"#, "[".repeat(1_000_000));
        assert!(refusal(&deep).contains("not a chat-completions request"));
        let deep = format!(r#"{{"x":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(refusal(&deep), "`messages` is missing");
    }

    #[test]
    fn roles_are_read_wherever_they_stand() {
        let message = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        assert_eq!(role(&message(r#"{"role":"user","content":"x"}"#), 0).unwrap(), "user");
        assert_eq!(role(&message(r#"{ "content":"x", "role" : "user"}"#), 0).unwrap(), "user");
        assert_eq!(role(&message(r#"{"role":"\u0075ser"}"#), 0).unwrap(), "user");
        assert!(role(&message("[1]"), 3).unwrap_err().message.starts_with("`messages[3]`"));
        assert!(role(&message(r#"{"role":7}"#), 0).is_err());
    }
}
