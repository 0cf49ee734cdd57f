//! Where the prompts of a log come from.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::error::RecountError;
use super::index::{LogIndex, Session, Turn};
use crate::events::LoggedPrompt;
use crate::prompt::{BodyDigest, Library};
use crate::tokens::count;

/// Where prompts come from.
#[derive(Debug)]
pub struct Prompts(Origin);

#[derive(Debug)]
enum Origin {
    Log,
    Library { library: Arc<Library>, by_id: HashMap<Arc<str>, u32> },
}

impl Prompts {
    /// Whether the log itself holds its prompts.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn are_logged(index: &LogIndex) -> Result<bool, RecountError> {
        let sessions = index.conversations.iter().flat_map(|source| &source.sessions);
        let Some(turn) = sessions.flat_map(|session| &session.turns).next() else {
            return Ok(true);
        };
        let path = index.path();
        let mut log = File::open(path).map_err(RecountError::read(path))?;
        let line = read_span(&mut log, &turn.issued).map_err(RecountError::read(path))?;
        // What is wrong with a line was told when the log was indexed.
        Ok(LoggedPrompt::of_line(&line).is_ok_and(|prompt| prompt.is_some()))
    }

    /// Out of the log.
    pub fn logged() -> Self {
        Self(Origin::Log)
    }

    /// Out of the data sets' prompts, which must be the ones that were sent: every body's digest
    /// is compared with the logged one.
    pub fn library(library: Arc<Library>) -> Self {
        let ids = library.conversations().iter().map(|source| Arc::clone(&source.id));
        let by_id = ids.zip(0..).collect();
        Self(Origin::Library { library, by_id })
    }

    /// The prompts of a session's completed turns, in their order: cut into conversations that
    /// each only grow.
    pub(super) fn of(
        &self,
        source: &str,
        session: &Session,
        log: &mut File,
        path: &Path,
    ) -> Result<Vec<count::Session>, String> {
        match &self.0 {
            Origin::Log => logged(session, log, path),
            Origin::Library { library, by_id } => {
                let conversation = by_id.get(source).ok_or_else(|| {
                    format!(
                        "the data sets hold no conversation `{source}`, of which the log has turns; \
                         give the data sets of the run with --dataset"
                    )
                })?;
                from_library(library, *conversation, session)
            }
        }
    }
}

/// The bytes of one line of the log.
pub(super) fn read_span(log: &mut File, span: &Range<u64>) -> std::io::Result<Vec<u8>> {
    log.seek(SeekFrom::Start(span.start))?;
    let mut line = Vec::new();
    log.take(span.end - span.start).read_to_end(&mut line)?;
    Ok(line)
}

/// A prompt that grows turn after turn, as texts.
struct Growing {
    last: LoggedPrompt,
    lengths: Vec<usize>,
}

impl Growing {
    /// Whether `next` holds the same messages and then further ones, and all else is the same.
    fn grows_into(&self, next: &LoggedPrompt) -> bool {
        let same = self.last.tools == next.tools
            && self.last.chat_template_kwargs == next.chat_template_kwargs;
        let open = self.last.messages.trim_end().strip_suffix(']').map(str::trim_end);
        let grown = open.and_then(|open| next.messages.strip_prefix(open));
        same && grown.is_some_and(|rest| rest.trim_start().starts_with([',', ']']))
    }

    fn finish(self) -> serde_json::Result<count::Session> {
        let parse = |text: Option<String>| text.map(|text| serde_json::from_str(&text)).transpose();
        let kwargs = self.last.chat_template_kwargs;
        Ok(count::Session {
            messages: serde_json::from_str(&self.last.messages)?,
            tools: parse(self.last.tools)?,
            kwargs: kwargs.map_or_else(|| Ok(Map::new()), |text| serde_json::from_str(&text))?,
            prompts: self.lengths,
            replies: Vec::new(),
        })
    }
}

fn logged(session: &Session, log: &mut File, path: &Path) -> Result<Vec<count::Session>, String> {
    let mut growing: Option<Growing> = None;
    let mut finished = Vec::new();
    for turn in &session.turns {
        let broken = |reason: &dyn Display| {
            let (path, id, number) = (path.display(), &session.id, turn.number);
            format!("`{path}`: the prompt of `{id}` turn {number} cannot be used: {reason}")
        };
        let line = read_span(log, &turn.issued).map_err(|error| broken(&error))?;
        let prompt = LoggedPrompt::of_line(&line).map_err(|error| broken(&error))?;
        let prompt = prompt.ok_or_else(|| broken(&"it is not in the log, unlike others"))?;
        let messages: Vec<&serde_json::value::RawValue> =
            serde_json::from_str(&prompt.messages).map_err(|error| broken(&error))?;
        let length = messages.len();
        if growing.as_ref().is_some_and(|growing| !growing.grows_into(&prompt))
            && let Some(growing) = growing.take()
        {
            finished.push(growing.finish().map_err(|error| broken(&error))?);
        }
        let mut lengths = growing.take().map_or_else(Vec::new, |growing| growing.lengths);
        lengths.push(length);
        growing = Some(Growing { last: prompt, lengths });
    }
    if let Some(growing) = growing {
        finished.push(growing.finish().map_err(|error| error.to_string())?);
    }
    Ok(finished)
}

/// What of a request body is counted.
#[derive(Deserialize)]
struct Request {
    messages: Vec<Value>,
    #[serde(default)]
    tools: Option<Value>,
    #[serde(default)]
    chat_template_kwargs: Map<String, Value>,
}

fn from_library(
    library: &Arc<Library>,
    conversation: u32,
    session: &Session,
) -> Result<Vec<count::Session>, String> {
    let prompts = library.session(conversation, session.pass);
    let other = |turn: u32| {
        format!(
            "`{}` turn {turn}: the data sets give another prompt than the one that was sent; give \
             the data sets of the run with --dataset",
            session.id
        )
    };
    let mut wanted = session.turns.iter().peekable();
    let mut digest = BodyDigest::default();
    let mut finished: Vec<count::Session> = Vec::new();
    let mut last: Option<(usize, Vec<usize>)> = None;
    for (index, turn) in prompts.turns().iter().enumerate() {
        let Some(next) = wanted.peek() else { break };
        let body = prompts.body(index);
        let sent = digest.next(&body);
        if next.number != turn.turn {
            continue;
        }
        if next.digest.is_some_and(|logged| logged != sent) {
            return Err(other(turn.turn));
        }
        wanted.next();
        let mut lengths = match last.take() {
            Some((before, lengths)) if prompts.body(before).tail() == body.tail() => lengths,
            Some((before, lengths)) => {
                finished.push(request(&prompts.body(before), lengths)?);
                Vec::new()
            }
            None => Vec::new(),
        };
        lengths.push(turn.messages as usize);
        last = Some((index, lengths));
    }
    if let Some(Turn { number, .. }) = wanted.next() {
        return Err(other(*number));
    }
    if let Some((index, lengths)) = last {
        finished.push(request(&prompts.body(index), lengths)?);
    }
    Ok(finished)
}

fn request(body: &crate::prompt::Body, lengths: Vec<usize>) -> Result<count::Session, String> {
    let request: Request = serde_json::from_slice(&body.to_bytes())
        .map_err(|error| format!("a prompt of the data sets is no request: {error}"))?;
    Ok(count::Session {
        messages: request.messages,
        tools: request.tools,
        kwargs: request.chat_template_kwargs,
        prompts: lengths,
        replies: Vec::new(),
    })
}
