//! Events to lines.
//!
//! One thread writes the log of a whole replay, so a line is put together by hand in one reused
//! buffer: no intermediate JSON values, one `write_all` per event.

use std::io;

use serde::Serialize;

use super::format::{
    ABANDONED_DATA, FORMAT_VERSION, SessionEvent, error_type, session_event_name, turn_event_name,
};
use super::model::{Event, EventKind, PromptFacts, TurnKey};
use super::prompt_data;
use crate::digest::push_hex;
use crate::wire::{Failure, FinishReason, Reply, Text, ToolCallDelta};

/// Writes an event log, one JSON line per event.
///
/// The same events give the same bytes. Nothing is buffered between events: give it a
/// [`io::BufWriter`], and call [`Writer::finish`] at the end so that a late error is not lost.
#[derive(Debug)]
pub struct Writer<W: io::Write> {
    inner: W,
    line: Vec<u8>,
}

impl<W: io::Write> Writer<W> {
    /// A writer at the start of a log.
    pub fn new(inner: W) -> Self {
        Self { inner, line: Vec::with_capacity(4096) }
    }

    /// Appends one event.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        self.line.clear();
        match &event.kind {
            EventKind::SessionStarted => self.session(event, SessionEvent::Started)?,
            EventKind::StartTracking => self.session(event, SessionEvent::StartTracking)?,
            EventKind::StopTracking => self.session(event, SessionEvent::StopTracking)?,
            EventKind::SessionEnded => self.session(event, SessionEvent::Ended)?,
            EventKind::Issued(key, prompt) => {
                self.head(event, key)?;
                self.issued(prompt.as_ref())?;
            }
            EventKind::FirstToken(key) => {
                self.head(event, key)?;
                self.raw("null");
            }
            EventKind::Failed(key, failure) => {
                self.head(event, key)?;
                self.failed(failure)?;
            }
            EventKind::Complete(key, reply) => {
                self.head(event, key)?;
                match reply {
                    Some(reply) => self.reply(reply)?,
                    None => self.raw("null"),
                }
            }
        }
        self.line.extend_from_slice(b"}\n");
        self.inner.write_all(&self.line)
    }

    /// Flushes and returns what was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.flush()?;
        Ok(self.inner)
    }

    fn raw(&mut self, text: &str) {
        self.line.extend_from_slice(text.as_bytes());
    }

    fn hex(&mut self, bytes: &[u8]) {
        push_hex(&mut self.line, bytes);
    }

    fn json(&mut self, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        serde_json::to_writer(&mut self.line, value).map_err(io::Error::from)
    }

    fn session(&mut self, event: &Event, kind: SessionEvent) -> io::Result<()> {
        self.start(session_event_name(kind), event.at)?;
        self.raw(r#","sample_uuid":"","conversation_id":"","turn":null,"data":null"#);
        if kind == SessionEvent::Started {
            self.raw(r#","format":{"version":"#);
            self.json(&FORMAT_VERSION)?;
            self.raw("}");
        }
        Ok(())
    }

    fn start(&mut self, name: &str, at: u64) -> io::Result<()> {
        self.raw(r#"{"event_type":""#);
        self.raw(name);
        self.raw(r#"","timestamp_ns":"#);
        self.json(&at)
    }

    fn head(&mut self, event: &Event, key: &TurnKey) -> io::Result<()> {
        self.start(turn_event_name(&event.kind), event.at)?;
        self.raw(r#","sample_uuid":""#);
        self.hex(&key.sample.0.to_be_bytes());
        self.raw(r#"","conversation_id":"#);
        self.json(&*key.session)?;
        self.raw(r#","turn":"#);
        self.json(&key.turn)?;
        self.raw(r#","data":"#);
        Ok(())
    }

    fn issued(&mut self, prompt: Option<&PromptFacts>) -> io::Result<()> {
        let Some(prompt) = prompt else {
            self.raw(ABANDONED_DATA);
            return Ok(());
        };
        match &prompt.body {
            Some(body) => prompt_data::write(&mut self.line, body)?,
            None => self.raw("null"),
        }
        self.raw(r#","prompt":{"sha256":"#);
        match prompt.digest {
            Some(digest) => {
                self.raw("\"");
                self.hex(&digest);
                self.raw("\"");
            }
            None => self.raw("null"),
        }
        self.raw(r#","bytes":"#);
        self.json(&prompt.bytes)?;
        self.raw(r#","salt_markers":"#);
        self.json(&prompt.salt_markers)?;
        self.raw("}");
        Ok(())
    }

    fn failed(&mut self, failure: &Failure) -> io::Result<()> {
        self.raw(r#"["ErrorData","#);
        self.json(error_type(failure.kind))?;
        self.raw(",");
        self.json(&failure.message)?;
        self.raw(r#"],"failure":{"kind":"#);
        self.json(&failure.kind)?;
        self.raw(r#","status":"#);
        self.json(&failure.status)?;
        self.raw("}");
        Ok(())
    }

    fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        self.raw(r#"["TextModelOutput","#);
        self.output(reply)?;
        self.raw(",");
        self.reasoning(&reply.reasoning)?;
        self.raw(",");
        self.tool_calls(reply)?;
        self.raw(r#"],"finish_reason":"#);
        self.json(&reply.finish_reason.as_ref().map(FinishReason::as_str))?;
        if let Some(usage) = &reply.usage {
            self.raw(r#","usage":"#);
            self.json(usage)?;
        }
        self.raw(r#","chunks":"#);
        self.json(&reply.chunks)?;
        if first_calls_need_a_count(reply) {
            self.raw(r#","first_tool_calls":"#);
            self.json(&reply.first_tool_calls.len())?;
        }
        Ok(())
    }

    /// The content: a list where it held the first chunk, `[]` where there is none and no
    /// reasoning came first either, else one text.
    fn output(&mut self, reply: &Reply) -> io::Result<()> {
        let content = &reply.content;
        if !content.first.is_empty() {
            self.chunk_list(content)
        } else if content.rest.is_empty() && reply.reasoning.first.is_empty() {
            self.raw("[]");
            Ok(())
        } else {
            self.json(&content.rest)
        }
    }

    fn reasoning(&mut self, reasoning: &Text) -> io::Result<()> {
        if !reasoning.first.is_empty() {
            self.chunk_list(reasoning)
        } else if reasoning.rest.is_empty() {
            self.raw("null");
            Ok(())
        } else {
            self.json(&reasoning.rest)
        }
    }

    fn chunk_list(&mut self, text: &Text) -> io::Result<()> {
        self.raw("[");
        self.json(&text.first)?;
        if !text.rest.is_empty() {
            self.raw(",");
            self.json(&text.rest)?;
        }
        self.raw("]");
        Ok(())
    }

    fn tool_calls(&mut self, reply: &Reply) -> io::Result<()> {
        let (first, rest) = (&reply.first_tool_calls, &reply.tool_calls);
        if first.is_empty() && rest.is_empty() {
            self.raw("null");
            return Ok(());
        }
        self.raw("[");
        if !first.is_empty() {
            self.call_group(first)?;
        }
        for (at, call) in rest.iter().enumerate() {
            if at > 0 || !first.is_empty() {
                self.raw(",");
            }
            self.call_group(std::slice::from_ref(call))?;
        }
        self.raw("]");
        Ok(())
    }

    fn call_group(&mut self, calls: &[ToolCallDelta]) -> io::Result<()> {
        self.raw("[");
        for (at, call) in calls.iter().enumerate() {
            if at > 0 {
                self.raw(",");
            }
            self.raw(r#"{"function":{"arguments":"#);
            self.json(&call.arguments)?;
            if let Some(name) = &call.name {
                self.raw(r#","name":"#);
                self.json(name)?;
            }
            self.raw("}");
            if let Some(id) = &call.id {
                self.raw(r#","id":"#);
                self.json(id)?;
            }
            self.raw(r#","index":"#);
            self.json(&call.index)?;
            // The first delta of a call carries its type, as servers send it.
            if call.id.is_some() {
                self.raw(r#","type":"function""#);
            }
            self.raw("}");
        }
        self.raw("]");
        Ok(())
    }
}

/// Whether the log line must say how many tool-call deltas the first chunk held. It does not where
/// no text claims to be first: then the first group of calls is the first chunk.
fn first_calls_need_a_count(reply: &Reply) -> bool {
    let text_is_first = !reply.content.first.is_empty() || !reply.reasoning.first.is_empty();
    text_is_first != reply.first_tool_calls.is_empty()
}
