//! The body of a reply, produced on time.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::clock::Nanos;
use crate::wire::encode::{ChunkEncoder, DONE, error_object, push_event};
use crate::wire::{FinishReason, Usage};

use super::answer::{Answer, Cursor};
use super::ticket::Ticket;

/// Fragments that are due together are sent together, up to about this many bytes.
const FRAME_BYTES: usize = 32 * 1024;

/// The reply was broken off on purpose; the connection ends.
#[derive(Debug)]
pub(super) struct BrokenOff;

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken off on purpose")
    }
}

impl std::error::Error for BrokenOff {}

/// The body of a reply.
pub(super) enum ReplyBody {
    /// In one piece.
    Whole {
        /// What is left to send.
        bytes: Option<Bytes>,
        /// Ends with the reply.
        ticket: Option<Ticket>,
    },
    /// Part of a piece, and then what a fault says.
    Broken {
        /// What is left to send.
        bytes: Option<Bytes>,
        /// How it ends.
        end: Break,
        /// Ends with the reply.
        ticket: Ticket,
    },
    /// Streamed.
    Stream(Box<Stream>),
}

/// How a reply ends before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Break {
    /// By a reset.
    Reset,
    /// By an orderly end of the connection.
    Close,
    /// Never.
    Stall,
    /// What was to be written is out; the next poll breaks off.
    Now,
}

impl Break {
    /// Moves towards the end. Pending once, so that what was sent is flushed before the end.
    fn poll(&mut self, ticket: &Ticket, cx: &mut Context<'_>) -> Poll<BrokenOff> {
        match self {
            Self::Stall => return Poll::Pending,
            Self::Now => return Poll::Ready(BrokenOff),
            Self::Reset => ticket.connection().reset(),
            Self::Close => {}
        }
        *self = Self::Now;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// What a fault does inside a stream, once `after` fragments were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interrupt {
    pub(super) after: u64,
    pub(super) action: Action,
}

/// What happens to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The connection is reset.
    Reset,
    /// The connection is closed inside a character.
    Cut,
    /// Nothing more is sent, or not for a time.
    Stall(Option<Nanos>),
    /// An event that is not JSON.
    Malformed,
    /// An `error` object, and the end.
    Error,
}

/// A streamed reply. Fragment `k` is due at the first one's time plus `k` steps, whatever the
/// delay of earlier ones was.
pub(super) struct Stream {
    pub(super) answer: Answer,
    pub(super) encoder: ChunkEncoder,
    /// Sent at the end, where asked for.
    pub(super) usage: Option<Usage>,
    pub(super) interrupt: Option<Interrupt>,
    pub(super) ticket: Ticket,
    /// When the next fragment is to be sent.
    pub(super) due: Nanos,
    pub(super) progress: Progress,
}

/// How far a stream is.
#[derive(Default)]
pub(super) struct Progress {
    cursor: Cursor,
    sent: u64,
    opened: bool,
    end: Option<Option<Break>>,
    out: Vec<u8>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BrokenOff>>> {
        loop {
            let late = self.progress.end.is_some() || self.due > self.ticket.now();
            if (late || self.progress.out.len() >= FRAME_BYTES) && !self.progress.out.is_empty() {
                return Poll::Ready(Some(Ok(std::mem::take(&mut self.progress.out).into())));
            }
            match &mut self.progress.end {
                Some(Some(end)) => return end.poll(&self.ticket, cx).map(|end| Some(Err(end))),
                Some(None) => return Poll::Ready(None),
                None if late => ready!(self.poll_due(cx)),
                None => self.step(),
            }
        }
    }

    /// Waits until the next fragment is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = self.ticket.clock().instant(self.due);
        let sleep =
            self.progress.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx)
    }

    /// Appends what is due now: the next fragment, or what a fault puts in its place, and after
    /// the last one the end of the stream.
    fn step(&mut self) {
        if !self.progress.opened {
            self.progress.opened = true;
            self.encoder.role(&mut self.progress.out);
        }
        if self.interrupt.is_some_and(|i| i.after <= self.progress.sent || self.at_end()) {
            let interrupt = self.interrupt.take().expect("looked at just now");
            return self.interrupted(interrupt.action);
        }
        if let Some(fragment) = self.answer.next(&mut self.progress.cursor) {
            fragment.encode(&self.encoder, &mut self.progress.out);
            self.progress.sent += 1;
            self.ticket.fragment();
        }
        if !self.at_end() {
            self.due = self.due.saturating_add(self.ticket.step());
        } else if self.interrupt.is_none() {
            self.finish();
        }
    }

    fn at_end(&self) -> bool {
        self.answer.next(&mut self.progress.cursor.clone()).is_none()
    }

    fn finish(&mut self) {
        let out = &mut self.progress.out;
        self.encoder.finish(out, &self.answer.finish);
        if let Some(usage) = &self.usage {
            self.encoder.usage(out, usage);
        }
        out.extend_from_slice(DONE);
        self.progress.end = Some(None);
        self.ticket.finished(&self.answer.finish, self.answer.completion_tokens());
    }

    fn interrupted(&mut self, action: Action) {
        let out = &mut self.progress.out;
        match action {
            Action::Reset => self.progress.end = Some(Some(Break::Reset)),
            Action::Stall(None) => self.progress.end = Some(Some(Break::Stall)),
            Action::Stall(Some(time)) => self.due = self.due.saturating_add(time),
            Action::Cut => {
                self.encoder.content(out, "日");
                let character = out.iter().rposition(|byte| !byte.is_ascii());
                out.truncate(character.expect("just written"));
                self.progress.end = Some(Some(Break::Close));
            }
            Action::Malformed => push_event(out, br#"{"id":"chatcmpl-broken","choices":[{"del"#),
            Action::Error => {
                push_event(out, &fault_error());
                out.extend_from_slice(DONE);
                self.progress.end = Some(None);
                self.ticket.finished(&FinishReason::Other("error".to_owned()), 0);
            }
        }
    }
}

/// The `error` object that a fault sends.
pub(super) fn fault_error() -> Vec<u8> {
    error_object("simulated fault: the engine died", "InternalServerError", None, 500)
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let frame = match self.get_mut() {
            Self::Whole { bytes, .. } => bytes.take().map(Ok),
            Self::Broken { bytes, end, ticket } => match bytes.take() {
                Some(bytes) => Some(Ok(bytes)),
                None => Some(Err(ready!(end.poll(ticket, cx)))),
            },
            Self::Stream(stream) => ready!(stream.poll(cx)),
        };
        Poll::Ready(frame.map(|frame| frame.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole { bytes, .. } => bytes.is_none(),
            Self::Broken { .. } => false,
            Self::Stream(stream) => {
                stream.progress.end == Some(None) && stream.progress.out.is_empty()
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole { bytes, .. } => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            _ => SizeHint::default(),
        }
    }
}
