//! What goes into an exchange and what comes out.

use std::future::Future;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::clock::Nanos;
use crate::wire::{Failure, Reply};

/// Opens byte streams to an endpoint's URLs.
pub trait Connect: Send + Sync + 'static {
    /// The byte stream.
    type Io: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Opens a stream to the URL with this index in `endpoint.urls`. A failure is of kind
    /// [`crate::wire::FailureKind::Connect`] or [`crate::wire::FailureKind::Tls`].
    fn connect(&self, url: usize) -> impl Future<Output = Result<Self::Io, Failure>> + Send;
}

/// A request body as slices of shared buffers; cloning or sending it copies no text.
#[derive(Clone, Debug, Default)]
pub struct Rope {
    slices: Vec<Bytes>,
    len: u64,
}

impl Rope {
    /// Appends a slice.
    pub fn push(&mut self, slice: Bytes) {
        self.len += slice.len() as u64;
        if !slice.is_empty() {
            self.slices.push(slice);
        }
    }

    /// The length of the whole body in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the body is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slices in order; none is empty.
    pub fn slices(&self) -> &[Bytes] {
        &self.slices
    }

    /// The slices in order, by value.
    pub fn into_slices(self) -> Vec<Bytes> {
        self.slices
    }

    /// The whole body in one buffer; for tests and `log.prompts`.
    pub fn to_vec(&self) -> Vec<u8> {
        self.slices.concat()
    }
}

/// One finished exchange. Every stamp is taken next to the socket, before anything is parsed.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// When the first non-empty fragment of the reply arrived.
    pub first_token_at: Option<Nanos>,
    /// When the last byte of the reply arrived, or the failure was noticed.
    pub completed_at: Nanos,
    /// Time spent connecting, within the turn; none when an open connection was used. Where
    /// `resent` is set it runs from the start of the exchange.
    pub connect: Option<Nanos>,
    /// The request went out twice: the server had closed the idle connection just then, before any
    /// byte of a reply.
    pub resent: bool,
    /// The reply, or why there is none.
    pub outcome: Result<Reply, Failure>,
}

/// What is known of an exchange before it is over; it outlives a timeout.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) first_token_at: Option<Nanos>,
    pub(super) connect: Option<Nanos>,
    pub(super) resent: bool,
}

impl Progress {
    /// The exchange that has ended so.
    pub(super) fn exchange(self, completed_at: Nanos, outcome: Result<Reply, Failure>) -> Exchange {
        let Self { first_token_at, connect, resent } = self;
        Exchange { first_token_at, completed_at, connect, resent, outcome }
    }
}
