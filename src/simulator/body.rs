//! The bodies of replies, as hyper polls them.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::stream::Stream;
use super::ticket::Ticket;

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
        /// What is left to send; never empty.
        bytes: Option<Bytes>,
        /// Ends with the reply.
        ticket: Ticket,
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
    pub(super) fn poll(&mut self, ticket: &Ticket, cx: &mut Context<'_>) -> Poll<BrokenOff> {
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

impl ReplyBody {
    /// A body in one piece.
    pub(super) fn whole(bytes: Bytes, mut ticket: Ticket) -> Self {
        if bytes.is_empty() {
            ticket.complete();
        }
        Self::Whole { bytes: Some(bytes).filter(|bytes| !bytes.is_empty()), ticket }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        let frame = match self.get_mut() {
            Self::Whole { bytes, ticket } => {
                let bytes = bytes.take();
                if bytes.is_some() {
                    ticket.complete();
                }
                bytes.map(Ok)
            }
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
            Self::Stream(stream) => stream.is_over(),
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
