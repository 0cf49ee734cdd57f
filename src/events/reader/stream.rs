//! The reader itself.

use std::collections::HashSet;
use std::io::BufRead;
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::error::{ReadError, ReadErrorKind};
use super::line::{Line, Prompt, PromptMessage};
use super::reply;
use crate::events::format::{
    COMPLETE, FAILED, FIRST_TOKEN, FORMAT_VERSION, ISSUED, SessionEvent, classify,
    session_event_name,
};
use crate::events::model::{Event, EventKind, PromptFacts, SampleId, TurnKey};
use crate::wire::{Failure, FailureKind};

/// The longest line that is read. A line holds one reply, or with `log.prompts` one prompt.
const MAX_LINE: usize = 64 * 1024 * 1024;
/// How many conversation ids are kept so that equal ones share their text.
const MAX_SESSIONS: usize = 65_536;

/// Reads an event log line by line; the log is never in memory as a whole.
///
/// Reads our own logs and the reference client's. What the latter does not say is left out: the
/// prompt's digest and length, the server's usage, the number of chunks. Event types that a replay
/// does not have (the reference client can log every chunk) are passed over and counted.
#[derive(Debug)]
pub struct Reader<R: BufRead> {
    inner: R,
    buffer: Vec<u8>,
    line: u64,
    max_line: usize,
    sessions: HashSet<Arc<str>>,
    passed_over: u64,
    /// Bytes before the line in the buffer, and behind it.
    span: Range<u64>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader at the start of a log.
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            buffer: Vec::new(),
            line: 0,
            max_line: MAX_LINE,
            sessions: HashSet::new(),
            passed_over: 0,
            span: 0..0,
            ended: false,
        }
    }

    /// Refuses lines longer than `limit` bytes instead of 64 MiB.
    #[must_use]
    pub fn with_max_line(mut self, limit: usize) -> Self {
        self.max_line = limit;
        self
    }

    /// Lines so far whose event type a replay does not have.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Where the line of the last event stands in the log, in bytes, its end included: that part of
    /// the log is a log of this one event.
    pub fn span(&self) -> Range<u64> {
        self.span.clone()
    }

    /// The 1-based line of the last event.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The text of the last event's line, without its end.
    pub fn text(&self) -> &[u8] {
        &self.buffer
    }

    fn next_event(&mut self) -> Result<Option<Event>, ReadErrorKind> {
        loop {
            self.line += 1;
            let whole = match self.read_line()? {
                LineEnd::Nothing => return Ok(None),
                LineEnd::Newline => true,
                LineEnd::EndOfFile => false,
            };
            match self.buffer.trim_ascii().first() {
                None => continue,
                Some(b'{') => {}
                Some(_) => return Err(not_an_object(&self.buffer)),
            }
            let buffer = std::mem::take(&mut self.buffer);
            let event = match serde_json::from_slice(&buffer) {
                Ok(line) => self.event(&line),
                Err(_) if !whole => Err(ReadErrorKind::Truncated),
                Err(error) => Err(error.into()),
            };
            self.buffer = buffer;
            match event? {
                Some(event) => return Ok(Some(event)),
                None => self.passed_over += 1,
            }
        }
    }

    /// Reads one line without its end into the buffer.
    fn read_line(&mut self) -> Result<LineEnd, ReadErrorKind> {
        self.buffer.clear();
        self.span = self.span.end..self.span.end;
        loop {
            let available = self.inner.fill_buf()?;
            if available.is_empty() {
                let nothing = self.buffer.is_empty();
                return Ok(if nothing { LineEnd::Nothing } else { LineEnd::EndOfFile });
            }
            let end = memchr::memchr(b'\n', available);
            let taken = end.unwrap_or(available.len());
            if self.buffer.len() + taken > self.max_line {
                return Err(ReadErrorKind::TooLong { limit: self.max_line });
            }
            self.buffer.extend_from_slice(&available[..taken]);
            let consumed = taken + usize::from(end.is_some());
            self.inner.consume(consumed);
            self.span.end += consumed as u64;
            if end.is_some() {
                return Ok(LineEnd::Newline);
            }
        }
    }

    /// The event of a line; none for a type that a replay does not have.
    fn event(&mut self, line: &Line<'_>) -> Result<Option<Event>, ReadErrorKind> {
        if let Some(format) = &line.format
            && format.version > FORMAT_VERSION
        {
            return Err(ReadErrorKind::Version { found: format.version, known: FORMAT_VERSION });
        }
        let kind = match line.event_type.as_ref() {
            ISSUED => EventKind::Issued(self.key(line)?, prompt(line)?),
            FIRST_TOKEN => EventKind::FirstToken(self.key(line)?),
            FAILED => EventKind::Failed(self.key(line)?, failure(line)?),
            COMPLETE => EventKind::Complete(
                self.key(line)?,
                line.data.map(|data| reply::parse(line, data)).transpose()?.map(Box::new),
            ),
            other => match session_event(other) {
                Some(kind) => kind,
                None => return Ok(None),
            },
        };
        Ok(Some(Event { at: line.timestamp_ns, kind }))
    }

    fn key(&mut self, line: &Line<'_>) -> Result<TurnKey, ReadErrorKind> {
        let sample = sample_id(&line.sample_uuid).ok_or_else(|| {
            ReadErrorKind::Shape(format!(
                "sample_uuid is {:?}, expected 32 hex digits",
                line.sample_uuid
            ))
        })?;
        let turn = line
            .turn
            .ok_or_else(|| ReadErrorKind::Shape(format!("a {} without a turn", line.event_type)))?;
        Ok(TurnKey { sample, session: self.session(&line.conversation_id), turn })
    }

    fn session(&mut self, id: &str) -> Arc<str> {
        if let Some(known) = self.sessions.get(id) {
            return Arc::clone(known);
        }
        if self.sessions.len() >= MAX_SESSIONS {
            self.sessions.clear();
        }
        let id: Arc<str> = id.into();
        self.sessions.insert(Arc::clone(&id));
        id
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, ReadError>;

    /// The next event. After an error there is no further one.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_event();
        self.ended = !matches!(next, Ok(Some(_)));
        next.map_err(|kind| ReadError { line: self.line, kind }).transpose()
    }
}

enum LineEnd {
    Nothing,
    Newline,
    EndOfFile,
}

fn not_an_object(line: &[u8]) -> ReadErrorKind {
    let found: String = String::from_utf8_lossy(line).chars().take(40).collect();
    ReadErrorKind::Shape(format!("expected one JSON object per line, found {found:?}"))
}

fn session_event(name: &str) -> Option<EventKind> {
    [
        (SessionEvent::Started, EventKind::SessionStarted),
        (SessionEvent::StartTracking, EventKind::StartTracking),
        (SessionEvent::StopTracking, EventKind::StopTracking),
        (SessionEvent::Ended, EventKind::SessionEnded),
    ]
    .into_iter()
    .find_map(|(event, kind)| (session_event_name(event) == name).then_some(kind))
}

fn sample_id(text: &str) -> Option<SampleId> {
    let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u128::from_str_radix(text, 16).ok().map(SampleId) } else { None }
}

/// The prompt of an issued line: our own facts where they stand there, else what the reference
/// client's `PromptData` tells. None for a turn that was given up before it was sent.
fn prompt(line: &Line<'_>) -> Result<Option<PromptFacts>, ReadErrorKind> {
    if let Some(Prompt { sha256, bytes, salt_markers }) = &line.prompt {
        let digest = sha256.as_deref().map(digest).transpose()?;
        let (bytes, salt_markers) = (*bytes, *salt_markers);
        return Ok(Some(PromptFacts { digest, bytes, salt_markers, body: None }));
    }
    let Some(data) = line.data else { return Ok(None) };
    let parts: Vec<&RawValue> = serde_json::from_str(data.get())?;
    let is_set = |at: usize| parts.get(at).is_some_and(|part| part.get() != "null");
    // Text, token ids or messages: a prompt that was sent has one of them.
    if !(1..=3).any(is_set) {
        return Ok(None);
    }
    let salt_markers = parts.get(3).map_or(Ok(0), |messages| salt_markers(messages))?;
    Ok(Some(PromptFacts { digest: None, bytes: None, salt_markers, body: None }))
}

fn digest(hex: &str) -> Result<[u8; 32], ReadErrorKind> {
    let wrong = || ReadErrorKind::Shape(format!("sha256 is {hex:?}, expected 64 hex digits"));
    if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).map_err(|_| wrong())?;
    }
    Ok(digest)
}

/// Salt markers at the two ends of the first system message.
fn salt_markers(messages: &RawValue) -> Result<u8, ReadErrorKind> {
    let messages: Option<Vec<PromptMessage<'_>>> = serde_json::from_str(messages.get())?;
    let system = messages.into_iter().flatten().find(|message| message.role == "system");
    let Some(content) = system.and_then(|message| message.content) else { return Ok(0) };
    // Content in parts is not text, and is not salted.
    let Ok(text) = serde_json::from_str::<String>(content.get()) else { return Ok(0) };
    let head = text.split_once("\n\n").is_some_and(|(head, _)| is_marker(head));
    let tail = text.rsplit_once("\n\n").is_some_and(|(_, tail)| is_marker(tail));
    Ok(u8::from(head) + u8::from(tail))
}

fn is_marker(text: &str) -> bool {
    let hex = text.strip_prefix("[salt: ").and_then(|rest| rest.strip_suffix(']'));
    hex.is_some_and(|hex| hex.len() == 4 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn failure(line: &Line<'_>) -> Result<Failure, ReadErrorKind> {
    let (error_type, message) = match line.data {
        Some(data) => {
            let (_, error_type, message): (String, String, String) =
                serde_json::from_str(data.get())?;
            (error_type, message)
        }
        None => (String::new(), String::new()),
    };
    let (kind, status): (FailureKind, _) = match &line.failure {
        Some(class) => (class.kind, class.status),
        None => classify(&error_type, &message),
    };
    Ok(Failure { kind, status, message })
}
