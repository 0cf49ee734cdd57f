//! HTTP/1.1 as a client speaks it, without a buffer between the socket and whoever reads.
//!
//! Owns the request on its way out, the head of a response and the framing of its body. Requests
//! are written from the memory that they lie in, and what was read is looked at where the socket
//! left it: nothing is copied or queued in between, which is most of what a turn would cost.
//! Uses only `wire`, to quote what a server sent.

mod chunked;
mod framing;
mod head;
mod outgoing;

pub(super) use framing::{Cut, Framing};
pub(super) use head::{Head, HeadReader};
pub(super) use outgoing::Outgoing;

/// Bytes that are no HTTP/1.1; the text says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Malformed(pub(super) String);
