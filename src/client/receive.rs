//! Receiving a reply: from the response head to its last byte.

use std::time::Duration;

use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::Connection;
use super::fault;
use super::model::Progress;
use crate::clock::{Clock, Nanos};
use crate::wire::sse::{Decoder, Event};
use crate::wire::{
    Failure, FailureKind, MAX_REPLY_BYTES, Reply, ReplyBuilder, Step, error_message, excerpt,
};

/// The most of an error body that is read.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;

/// How long an error body may take; its status is known already.
const ERROR_BODY_GRACE: Duration = Duration::from_secs(2);

/// How long the end of the response may lag behind `[DONE]` before the connection is given up. The
/// reply itself is complete by then and its stamps are taken.
const END_GRACE: Duration = Duration::from_millis(250);

/// A reply with the stamp of its last byte.
pub(super) struct Received {
    pub(super) reply: Reply,
    pub(super) completed_at: Nanos,
    /// Whether the response was read to its end, so that the connection can be used again.
    pub(super) to_the_end: bool,
}

/// Why there is no reply, and whether the response was nevertheless read to its end.
pub(super) struct Refused {
    pub(super) failure: Failure,
    pub(super) to_the_end: bool,
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, to_the_end: false }
    }
}

/// Reads the whole response; the first token's stamp goes to `progress` and `on_first_token` as
/// soon as it is known.
pub(super) async fn receive<Io>(
    connection: &mut Connection<Io>,
    response: Response<Incoming>,
    clock: Clock,
    progress: &mut Progress,
    on_first_token: &mut (impl FnMut(Nanos) + Send),
) -> Result<Received, Refused>
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (head, mut body) = response.into_parts();
    if !head.status.is_success() {
        let limit = clock.now().saturating_add(crate::clock::nanos(ERROR_BODY_GRACE));
        let (text, to_the_end) = error_body(connection, &mut body, clock, limit).await;
        return Err(Refused {
            failure: fault::from_status(head.status, &head.headers, &text),
            to_the_end,
        });
    }
    check_encoding(&head.headers)?;
    let mut reading = Reading::new(&head.headers);
    while let Some(frame) = connection.drive(body.frame()).await {
        let frame = frame.map_err(|error| fault::from_hyper(&error, "inside the reply"))?;
        let Some(bytes) = frame.data_ref() else { continue };
        let stamp = connection.reads().last();
        let taken = reading.take(bytes);
        if reading.take_first() {
            progress.first_token_at = Some(stamp);
            on_first_token(stamp);
        }
        taken?;
        if reading.builder.is_done() {
            let end = connection.drive(read_to_end(&mut body));
            let to_the_end = tokio::time::timeout(END_GRACE, end).await.unwrap_or(false);
            let reply = reading.finish().map_err(|failure| Refused { failure, to_the_end })?;
            return Ok(Received { reply, completed_at: stamp, to_the_end });
        }
    }
    let completed_at = connection.reads().last();
    let ended = reading.end();
    if reading.take_first() {
        progress.first_token_at = Some(completed_at);
        on_first_token(completed_at);
    }
    let reply = ended
        .and_then(|()| reading.finish())
        .map_err(|failure| Refused { failure, to_the_end: true })?;
    Ok(Received { reply, completed_at, to_the_end: true })
}

/// A compressed reply cannot be timed by fragment, and none was asked for.
fn check_encoding(headers: &HeaderMap) -> Result<(), Failure> {
    match headers.get(CONTENT_ENCODING) {
        Some(encoding) if !encoding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            let message = format!(
                "the reply is compressed (content-encoding: {}) although the request accepts no \
                 encoding; switch compression off in the server or the proxy before it",
                excerpt(encoding.as_bytes())
            );
            Err(Failure::new(FailureKind::MalformedStream, message))
        }
        _ => Ok(()),
    }
}

async fn read_to_end(body: &mut Incoming) -> bool {
    loop {
        match body.frame().await {
            Some(Ok(_)) => {}
            Some(Err(_)) => return false,
            None => return true,
        }
    }
}

/// As much of an error body as is worth having, and whether that was all of it.
async fn error_body<Io>(
    connection: &mut Connection<Io>,
    body: &mut Incoming,
    clock: Clock,
    until: Nanos,
) -> (Vec<u8>, bool)
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut text = Vec::new();
    loop {
        let frame = connection.drive(body.frame());
        match tokio::time::timeout_at(clock.instant(until), frame).await {
            Ok(None) => return (text, true),
            Ok(Some(Ok(frame))) => {
                let room = MAX_ERROR_BODY_BYTES - text.len();
                let bytes = frame.data_ref().map_or(&[][..], |bytes| bytes);
                text.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if bytes.len() >= room {
                    return (text, false);
                }
            }
            Ok(Some(Err(_))) | Err(_) => return (text, false),
        }
    }
}

/// How the body is to be read; decided by its first byte, since servers mislabel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    Whole,
}

/// A 2xx body being read.
struct Reading {
    form: Form,
    content_type: String,
    decoder: Decoder,
    builder: ReplyBuilder,
    /// The body so far, where it is one JSON document.
    whole: Vec<u8>,
    /// The first fragment came with the bytes taken last.
    first: bool,
}

impl Reading {
    fn new(headers: &HeaderMap) -> Self {
        let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
        Self {
            form: Form::Unknown,
            content_type: excerpt(content_type),
            decoder: Decoder::new(),
            builder: ReplyBuilder::new(),
            whole: Vec::new(),
            first: false,
        }
    }

    /// Whether the first fragment came with the bytes taken last; true once.
    fn take_first(&mut self) -> bool {
        std::mem::take(&mut self.first)
    }

    /// Takes the next bytes of the body.
    fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.form == Form::Unknown {
            self.form = self.form_of(bytes)?;
        }
        match self.form {
            Form::Unknown => Ok(()),
            Form::Events => self.take_events(Some(bytes)),
            Form::Whole if self.whole.len() + bytes.len() > MAX_REPLY_BYTES => {
                let message = format!("the reply is larger than {MAX_REPLY_BYTES} bytes");
                Err(Failure::new(FailureKind::MalformedStream, message))
            }
            Form::Whole => {
                self.whole.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Takes the end of the body.
    fn end(&mut self) -> Result<(), Failure> {
        match self.form {
            Form::Unknown => Ok(()),
            Form::Events => self.take_events(None),
            Form::Whole => {
                self.first = self.builder.push(&self.whole)? == Step::FirstFragment;
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<Reply, Failure> {
        let ignored = self.decoder.ignored_lines();
        self.builder.finish().map_err(|failure| match failure.kind {
            FailureKind::Reset if self.form == Form::Whole => Failure::new(
                FailureKind::MalformedStream,
                format!("the reply is JSON but no chat completion: {}", excerpt(&self.whole)),
            ),
            FailureKind::Reset | FailureKind::EmptyReply if ignored > 0 => Failure::new(
                FailureKind::MalformedStream,
                format!("{}; {ignored} of its lines were no server-sent events", failure.message),
            ),
            _ => failure,
        })
    }

    /// Decodes the next bytes of an event stream, or its end.
    fn take_events(&mut self, bytes: Option<&[u8]>) -> Result<(), Failure> {
        let Self { decoder, builder, first, .. } = self;
        let mut taken = Ok(());
        let mut sink = |event: Event<'_>| {
            if taken.is_err() {
                return;
            }
            match push_event(builder, event) {
                Ok(step) => *first |= step == Step::FirstFragment,
                Err(failure) => taken = Err(failure),
            }
        };
        let decoded = match bytes {
            Some(bytes) => decoder.push(bytes, &mut sink),
            None => decoder.finish(&mut sink),
        };
        taken?;
        decoded.map_err(|error| Failure::new(FailureKind::MalformedStream, error.to_string()))
    }

    fn form_of(&self, bytes: &[u8]) -> Result<Form, Failure> {
        let is_events = self.content_type.to_ascii_lowercase().starts_with("text/event-stream");
        Ok(match bytes.trim_ascii_start().first() {
            None if is_events => Form::Events,
            None => Form::Unknown,
            Some(b'{') => Form::Whole,
            Some(_) if is_events => Form::Events,
            Some(b':' | b'd' | b'e' | b'i' | b'r' | 0xEF) => Form::Events,
            Some(_) => {
                let message = format!(
                    "expected server-sent events or JSON, got content-type `{}`: {}",
                    self.content_type,
                    excerpt(bytes)
                );
                return Err(Failure::new(FailureKind::MalformedStream, message));
            }
        })
    }
}

fn push_event(builder: &mut ReplyBuilder, event: Event<'_>) -> Result<Step, Failure> {
    if event.name == b"error" && !builder.is_done() {
        let text = error_message(event.data).unwrap_or_else(|| excerpt(event.data));
        let message = format!("the server reported an error: {text}");
        return Err(Failure::new(FailureKind::ServerError, message));
    }
    builder.push(event.data)
}
