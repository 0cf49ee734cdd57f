//! The body of a 2xx response: server-sent events or one JSON document.

use crate::wire::sse::{Decoder, Event};
use crate::wire::{
    Failure, FailureKind, MAX_REPLY_BYTES, Reply, ReplyBuilder, Step, error_message, excerpt,
};

/// How the body is to be read; decided by its first byte, since servers mislabel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    Whole,
}

/// A 2xx body being read.
pub(super) struct Reading {
    form: Form,
    /// Whether the head says that the body is an event stream.
    events: bool,
    /// What it says otherwise.
    content_type: String,
    decoder: Decoder,
    builder: ReplyBuilder,
    /// The body so far, where it is one JSON document.
    whole: Vec<u8>,
    /// The first fragment came with the bytes taken last.
    first: bool,
}

impl Reading {
    /// A body of which nothing was read. `events` and `content_type` are what the head says of it.
    pub(super) fn new(events: bool, content_type: String) -> Self {
        Self {
            form: Form::Unknown,
            events,
            content_type,
            decoder: Decoder::new(),
            builder: ReplyBuilder::new(),
            whole: Vec::new(),
            first: false,
        }
    }

    /// Whether the reply's end marker was read.
    pub(super) fn is_done(&self) -> bool {
        self.builder.is_done()
    }

    /// Whether the first fragment came with the bytes taken last; true once.
    pub(super) fn take_first(&mut self) -> bool {
        std::mem::take(&mut self.first)
    }

    /// Takes the next bytes of the body.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<(), Failure> {
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
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        match self.form {
            Form::Unknown => Ok(()),
            Form::Events => self.take_events(None),
            Form::Whole => {
                self.first = self.builder.push(&self.whole)? == Step::FirstFragment;
                Ok(())
            }
        }
    }

    /// The reply, or why the body is none.
    pub(super) fn finish(self) -> Result<Reply, Failure> {
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
        Ok(match bytes.trim_ascii_start().first() {
            None if self.events => Form::Events,
            None => Form::Unknown,
            Some(b'{') => Form::Whole,
            Some(_) if self.events => Form::Events,
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
