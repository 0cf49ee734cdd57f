//! Builds a reply from its chunks.

use super::again::{Again, Place};
use super::chunk::{Chunk, Delta, ToolCall};
use super::excerpt::{error_message, excerpt};
use super::scan::scan;
use super::{Failure, FailureKind, FinishReason, Reply, Text, ToolCallDelta};

/// The most bytes of chunks that one reply may take: 256 MiB.
pub const MAX_REPLY_BYTES: usize = 256 << 20;

/// What a chunk was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing generated in it: a role, usage, a finish reason.
    Nothing,
    /// It held the first non-empty fragment of the reply.
    FirstFragment,
    /// It held a later fragment.
    Fragment,
    /// The `[DONE]` marker: the reply is over.
    Done,
}

/// Takes the chunks of one reply, or a whole `chat.completion`, and gives the [`Reply`].
#[derive(Debug, Default)]
pub struct ReplyBuilder {
    reply: Reply,
    bytes: usize,
    chunks_seen: u64,
    done: bool,
    whole: bool,
    /// What the last fragment's chunk looked like.
    again: Again,
}

impl ReplyBuilder {
    /// A builder for one reply.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the reply's end marker was seen.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Takes the data of one event, or the body of a reply that is not streamed.
    ///
    /// # Errors
    /// [`FailureKind::MalformedStream`] for anything but chat-completions JSON,
    /// [`FailureKind::ServerError`] for an error object.
    pub fn push(&mut self, data: &[u8]) -> Result<Step, Failure> {
        let data = data.trim_ascii();
        if self.done || data.is_empty() {
            return Ok(Step::Nothing);
        }
        if data == b"[DONE]" {
            self.done = true;
            return Ok(Step::Done);
        }
        self.chunks_seen += 1;
        self.bytes += data.len();
        if self.bytes > MAX_REPLY_BYTES {
            let message = format!("the reply is larger than {MAX_REPLY_BYTES} bytes");
            return Err(Failure::new(FailureKind::MalformedStream, message));
        }
        if let Some((text, place)) = self.again.text(data) {
            match place {
                Place::Content => self.reply.content.rest.push_str(text),
                Place::Reasoning => self.reply.reasoning.rest.push_str(text),
                Place::Arguments(index) => self.call_at(index).arguments.push_str(text),
            }
            self.reply.chunks = self.reply.chunks.saturating_add(1);
            return Ok(Step::Fragment);
        }
        let chunk: Chunk<'_> = match scan(data) {
            Some(chunk) => chunk,
            None => serde_json::from_slice(data).map_err(|error| self.malformed(&error, data))?,
        };
        if chunk.error.is_some() || chunk.object.as_str() == "error" {
            return Err(server_error(&chunk, data));
        }
        if let Some(usage) = chunk.usage() {
            self.reply.usage = Some(usage);
        }
        if let Some((text, place)) = chunk.only_text() {
            self.again.learn(data, text, place);
        }
        let Some(choice) = chunk.choices.first else { return Ok(Step::Nothing) };
        if !choice.finish_reason.is_empty() {
            self.reply.finish_reason = Some(FinishReason::parse(choice.finish_reason.as_str()));
        }
        self.whole |= choice.message.is_some();
        match choice.delta.as_ref().or(choice.message.as_deref()) {
            Some(delta) => self.add(delta).map_err(|error| self.malformed(&error, data)),
            None => Ok(Step::Nothing),
        }
    }

    /// The reply.
    ///
    /// # Errors
    /// [`FailureKind::EmptyReply`] where nothing was generated, [`FailureKind::Reset`] where the
    /// stream ended with neither a finish reason nor `[DONE]`.
    pub fn finish(self) -> Result<Reply, Failure> {
        let ended = self.done || self.whole || self.reply.finish_reason.is_some();
        if !ended && self.chunks_seen > 0 {
            let message = format!(
                "the stream ended after {} chunks without a finish reason or [DONE]: the reply is \
                 incomplete",
                self.chunks_seen
            );
            return Err(Failure::new(FailureKind::Reset, message));
        }
        if self.chunks_seen == 0 && !self.done {
            let message = "the response held nothing: no event and no JSON";
            return Err(Failure::new(FailureKind::EmptyReply, message));
        }
        if self.reply.is_empty() {
            let reason = match &self.reply.finish_reason {
                Some(reason) => format!(" (finish reason {})", reason.as_str()),
                None => String::new(),
            };
            let message =
                format!("the reply held no content, no reasoning and no tool call{reason}");
            return Err(Failure::new(FailureKind::EmptyReply, message));
        }
        Ok(self.reply)
    }

    fn add(&mut self, delta: &Delta<'_>) -> Result<Step, serde_json::Error> {
        let content = delta.content.as_str();
        let reasoning = delta.reasoning();
        let mut any = !content.is_empty() || !reasoning.is_empty();
        let first = self.reply.chunks == 0;
        append(&mut self.reply.content, first, content);
        append(&mut self.reply.reasoning, first, reasoning);
        for call in delta.tool_calls.iter() {
            any |= self.add_call(first, call)?;
        }
        if !any {
            return Ok(Step::Nothing);
        }
        self.reply.chunks = self.reply.chunks.saturating_add(1);
        Ok(if first { Step::FirstFragment } else { Step::Fragment })
    }

    /// Adds one delta of a tool call; says whether it held anything.
    fn add_call(&mut self, first: bool, call: &ToolCall<'_>) -> Result<bool, serde_json::Error> {
        let arguments = call.arguments()?;
        if call.id.is_empty() && call.name().is_empty() && arguments.is_empty() {
            return Ok(false);
        }
        let index = call.index.unwrap_or_else(|| self.index_of(call));
        let id = Some(call.id.as_str()).filter(|id| !id.is_empty());
        let name = Some(call.name()).filter(|name| !name.is_empty());
        if first {
            self.reply.first_tool_calls.push(ToolCallDelta {
                index,
                id: id.map(str::to_owned),
                name: name.map(str::to_owned),
                arguments: arguments.into_owned(),
            });
            return Ok(true);
        }
        let entry = self.call_at(index);
        if let (None, Some(id)) = (&entry.id, id) {
            entry.id = Some(id.to_owned());
        }
        if let (None, Some(name)) = (&entry.name, name) {
            entry.name = Some(name.to_owned());
        }
        entry.arguments.push_str(&arguments);
        Ok(true)
    }

    /// The call at this position, behind the first chunk.
    fn call_at(&mut self, index: u32) -> &mut ToolCallDelta {
        let calls = &mut self.reply.tool_calls;
        let at = match calls.binary_search_by_key(&index, |call| call.index) {
            Ok(at) => at,
            Err(at) => {
                calls.insert(at, ToolCallDelta { index, ..ToolCallDelta::default() });
                at
            }
        };
        &mut calls[at]
    }

    /// The index of a delta that has none: that of the call with its id, else a new one where it
    /// begins a call, else the last one.
    fn index_of(&self, call: &ToolCall<'_>) -> u32 {
        let calls = || self.reply.first_tool_calls.iter().chain(&self.reply.tool_calls);
        let last = calls().map(|call| call.index).max();
        if call.id.is_empty() {
            return last.unwrap_or(0);
        }
        calls()
            .find(|known| known.id.as_deref() == Some(call.id.as_str()))
            .map(|known| known.index)
            .or(last.map(|last| last.saturating_add(1)))
            .unwrap_or(0)
    }

    fn malformed(&self, error: &serde_json::Error, data: &[u8]) -> Failure {
        let message = format!(
            "chunk {} of the reply is not chat-completions JSON ({error}): {}",
            self.chunks_seen,
            excerpt(data)
        );
        Failure::new(FailureKind::MalformedStream, message)
    }
}

fn append(text: &mut Text, first: bool, fragment: &str) {
    if first { &mut text.first } else { &mut text.rest }.push_str(fragment);
}

fn server_error(chunk: &Chunk<'_>, data: &[u8]) -> Failure {
    let text = chunk
        .error
        .or(chunk.message)
        .and_then(|raw| error_message(raw.get().as_bytes()))
        .unwrap_or_else(|| excerpt(data));
    Failure::new(FailureKind::ServerError, format!("the server reported an error: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Usage;

    /// The reply of deltas, each in a chunk of its own, ended by `[DONE]`.
    fn built(deltas: &[&str]) -> (Reply, Vec<Step>) {
        let mut builder = ReplyBuilder::new();
        let mut steps = Vec::new();
        for delta in deltas {
            let chunk = format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
            steps.push(builder.push(chunk.as_bytes()).unwrap());
        }
        assert_eq!(builder.push(b" [DONE]\r").unwrap(), Step::Done);
        assert_eq!(builder.push(b"never read").unwrap(), Step::Nothing);
        (builder.finish().unwrap(), steps)
    }

    fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> ToolCallDelta {
        ToolCallDelta {
            index,
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments: arguments.to_owned(),
        }
    }

    #[test]
    fn the_first_fragment_is_the_first_that_is_not_empty() {
        use Step::{FirstFragment, Fragment, Nothing};
        let (reply, steps) = built(&[
            r#"{"role":"assistant"}"#,
            r#"{"content":null,"reasoning":null,"tool_calls":null}"#,
            r#"{"content":"","tool_calls":[]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":""}}]}"#,
            r#"{"content":" "}"#,
            r#"{"content":"a\nb"}"#,
            "{}",
            r#"{"reasoning_content":"r"}"#,
        ]);
        let expected =
            [Nothing, Nothing, Nothing, Nothing, FirstFragment, Fragment, Nothing, Fragment];
        assert_eq!(steps, expected);
        assert_eq!((reply.content.first.as_str(), reply.content.rest.as_str()), (" ", "a\nb"));
        assert_eq!((reply.reasoning.first.as_str(), reply.reasoning.rest.as_str()), ("", "r"));
        assert_eq!(reply.chunks, 3);
    }

    #[test]
    fn reasoning_sent_under_both_keys_counts_once() {
        let (reply, _) = built(&[
            r#"{"reasoning":"a","reasoning_content":"a"}"#,
            r#"{"reasoning":"b","reasoning_content":""}"#,
            r#"{"reasoning_content":"c","content":"d"}"#,
        ]);
        assert_eq!((reply.reasoning.joined().as_str(), reply.content.rest.as_str()), ("abc", "d"));
    }

    #[test]
    fn tool_calls_are_put_together_by_index() {
        let (reply, _) = built(&[
            r#"{"content":"x"}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},
                              {"index":0,"function":{"arguments":"[1"}},
                              {"index":1,"function":{"arguments":"}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":"\u00e9]"}}]}"#,
        ]);
        assert_eq!(reply.first_tool_calls, []);
        assert_eq!(
            reply.tool_calls,
            [call(0, Some("a"), Some("f"), "[1é]"), call(1, Some("b"), Some("g"), "{}")]
        );
    }

    #[test]
    fn arguments_in_many_fragments_are_joined_call_by_call() {
        let fragment = |index: u32, text: &str| {
            let text = serde_json::to_string(text).unwrap();
            format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":{text}}}}}]}}"#)
        };
        let begin = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},
                       {"index":1,"id":"b","function":{"name":"g"}}]}"#;
        let mut deltas = vec![r#"{"content":"x"}"#.to_owned(), begin.to_owned()];
        for (index, text) in
            [(0, "{\""), (0, "a"), (0, "b"), (1, "c"), (1, "\n"), (1, "d"), (0, "e"), (1, "\"}")]
        {
            deltas.push(fragment(index, text));
        }
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let (reply, _) = built(&deltas);
        let expected =
            [call(0, Some("a"), Some("f"), "{\"abe"), call(1, Some("b"), Some("g"), "c\nd\"}")];
        assert_eq!(reply.tool_calls, expected);
        assert_eq!(reply.chunks, 10);
    }

    #[test]
    fn a_first_chunk_of_tool_calls_keeps_its_deltas_apart() {
        let (reply, _) = built(&[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}},
                              {"index":0,"function":{"arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#,
        ]);
        assert_eq!(
            reply.first_tool_calls,
            [call(0, Some("a"), Some("f"), ""), call(0, None, None, "{")]
        );
        assert_eq!(reply.tool_calls, [call(0, None, None, "}")]);
    }

    #[test]
    fn calls_without_index_are_told_apart_by_id() {
        let (reply, _) = built(&[
            r#"{"content":"x"}"#,
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"1"}}]}"#,
            r#"{"tool_calls":[{"function":{"arguments":"2"}}]}"#,
            r#"{"tool_calls":[{"id":"b","function":{"name":"g","arguments":{"k":[1, 2]}}}]}"#,
            r#"{"tool_calls":[{"id":"a","function":{"arguments":"3"}}]}"#,
        ]);
        assert_eq!(
            reply.tool_calls,
            [
                call(0, Some("a"), Some("f"), "123"),
                call(1, Some("b"), Some("g"), r#"{"k":[1, 2]}"#)
            ]
        );
    }

    #[test]
    fn usage_is_taken_from_wherever_it_stands() {
        let usage = |json: &str| {
            let mut builder = ReplyBuilder::new();
            builder.push(br#"{"choices":[{"delta":{"content":"x"}}],"usage":null}"#).unwrap();
            builder.push(format!(r#"{{"choices":[],"usage":{json}}}"#).as_bytes()).unwrap();
            builder.push(b"[DONE]").unwrap();
            builder.finish().unwrap().usage
        };
        let counts = Usage { prompt_tokens: 3, completion_tokens: 5, ..Usage::default() };
        assert_eq!(
            usage(r#"{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}"#),
            Some(counts)
        );
        assert_eq!(
            usage(
                r#"{"prompt_tokens":3,"completion_tokens":5,"reasoning_tokens":2,
                    "prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":null}"#
            ),
            Some(Usage { cached_tokens: Some(1), reasoning_tokens: Some(2), ..counts })
        );
        assert_eq!(usage("null"), None);
        assert_eq!(usage("{}"), None);
    }

    #[test]
    fn a_whole_reply_is_one_first_fragment() {
        let mut builder = ReplyBuilder::new();
        let body = br#"{"object":"chat.completion","choices":[{"message":{"content":null,
            "reasoning_content":"r","tool_calls":[{"id":"a","type":"function",
            "function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
        assert_eq!(builder.push(body).unwrap(), Step::FirstFragment);
        let reply = builder.finish().unwrap();
        assert_eq!(reply.reasoning.first, "r");
        assert_eq!(reply.first_tool_calls, [call(0, Some("a"), Some("f"), "{}")]);
        assert_eq!((reply.finish_reason, reply.chunks), (Some(FinishReason::ToolCalls), 1));
    }

    #[test]
    fn a_stream_without_its_end_marker_needs_a_finish_reason() {
        let mut builder = ReplyBuilder::new();
        builder.push(br#"{"choices":[{"delta":{"content":"x"}}]}"#).unwrap();
        assert_eq!(builder.finish().unwrap_err().kind, FailureKind::Reset);
        let mut builder = ReplyBuilder::new();
        builder.push(br#"{"choices":[{"delta":{"content":"x"},"finish_reason":"odd"}]}"#).unwrap();
        let reply = builder.finish().unwrap();
        assert_eq!(reply.finish_reason, Some(FinishReason::Other("odd".to_owned())));
    }
}
