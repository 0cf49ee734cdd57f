//! Builds a reply from its chunks.

use super::chunk::{Chunk, Delta, ToolCall};
use super::excerpt::{error_message, excerpt};
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
        let chunk: Chunk<'_> =
            serde_json::from_slice(data).map_err(|error| self.malformed(&error, data))?;
        if chunk.error.is_some() || chunk.object.as_str() == "error" {
            return Err(server_error(&chunk, data));
        }
        if let Some(usage) = chunk.usage() {
            self.reply.usage = Some(usage);
        }
        let Some(choice) = chunk.choices.0 else { return Ok(Step::Nothing) };
        if !choice.finish_reason.is_empty() {
            self.reply.finish_reason = Some(FinishReason::parse(choice.finish_reason.as_str()));
        }
        self.whole |= choice.message.is_some();
        match choice.delta.as_ref().or(choice.message.as_ref()) {
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
        for call in delta.tool_calls.iter().flatten() {
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
        let calls = &mut self.reply.tool_calls;
        let at = match calls.binary_search_by_key(&index, |call| call.index) {
            Ok(at) => at,
            Err(at) => {
                calls.insert(at, ToolCallDelta { index, ..ToolCallDelta::default() });
                at
            }
        };
        let entry = &mut calls[at];
        if let (None, Some(id)) = (&entry.id, id) {
            entry.id = Some(id.to_owned());
        }
        if let (None, Some(name)) = (&entry.name, name) {
            entry.name = Some(name.to_owned());
        }
        entry.arguments.push_str(&arguments);
        Ok(true)
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
