//! Faults on demand.

use std::time::Duration;

use super::hash;

/// One fault and the requests that it hits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What goes wrong.
    pub kind: FaultKind,
    /// Which requests are hit: all selectors must agree; none hits every request.
    pub selectors: Vec<Selector>,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// An HTTP status instead of a reply.
    Status {
        /// The status, 400 to 599.
        code: u16,
        /// `Retry-After`, in whole seconds.
        retry_after: Option<u64>,
        /// The body; an `error` object when none is given.
        body: Option<String>,
    },
    /// The connection is reset.
    Reset(When),
    /// The stream stops after so many fragments and the connection stays open.
    Stall {
        /// Fragments sent before.
        after: u64,
        /// How long; for ever when not given.
        resume: Option<Duration>,
    },
    /// After so many fragments comes an event that is not JSON; then the stream goes on.
    Malformed {
        /// Fragments sent before.
        after: u64,
    },
    /// After so many fragments the connection is closed inside a UTF-8 character.
    Cut {
        /// Fragments sent before.
        after: u64,
    },
    /// After so many fragments comes an `error` object, inside a reply with status 200.
    Error {
        /// Fragments sent before.
        after: u64,
    },
    /// The head of the reply, and with it everything else, comes so much later.
    Slow(Duration),
    /// A complete reply without any content.
    Empty,
    /// The server closes connections that were idle for this long. Takes no selector.
    Idle(Duration),
    /// The endpoint goes away once it got so many requests: those are answered, idle connections
    /// are closed, new ones refused. Takes `after:N` only.
    Refuse,
    /// The endpoint is killed by the request after so many: every connection is reset, whatever
    /// goes on there, and new ones are refused. Takes `after:N` only.
    Die,
}

/// When a connection is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the head of the reply.
    BeforeHead,
    /// After so many fragments.
    After(u64),
}

/// A condition on a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    /// Each Nth request that the endpoint gets.
    Every(u64),
    /// The Nth request, counted from 1.
    Request(u64),
    /// The first N requests.
    First(u64),
    /// All but the first N requests.
    After(u64),
    /// The Nth request of a conversation, counted from 1: its history has N-1 assistant messages.
    Turn(u64),
    /// A conversation, by its id with or without the pass.
    Session(String),
    /// A seeded share of requests, from 0 to 1.
    Share(f64),
}

/// What selectors look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestFacts<'a> {
    /// The request's number at this endpoint, from 1.
    pub(super) number: u64,
    /// The request's number in its conversation, from 1.
    pub(super) turn: u64,
    /// Messages in the request.
    pub(super) messages: usize,
    /// The session id as sent.
    pub(super) logical: &'a str,
    /// The session id without the pass.
    pub(super) source: &'a str,
    /// The endpoint's seed.
    pub(super) seed: u64,
}

impl Fault {
    /// Whether the request gets this fault.
    pub(super) fn hits(&self, request: &RequestFacts<'_>) -> bool {
        let of_connection =
            matches!(self.kind, FaultKind::Idle(_) | FaultKind::Refuse | FaultKind::Die);
        !of_connection && self.selectors.iter().all(|selector| selector.takes(request))
    }
}

impl Selector {
    fn takes(&self, request: &RequestFacts<'_>) -> bool {
        match self {
            Self::Every(n) => request.number.is_multiple_of(*n),
            Self::Request(n) => request.number == *n,
            Self::First(n) => request.number <= *n,
            Self::After(n) => request.number > *n,
            Self::Turn(n) => request.turn == *n,
            Self::Session(id) => *id == request.logical || *id == request.source,
            Self::Share(share) => {
                let turn = (request.messages as u64).to_le_bytes();
                let parts: [&[u8]; 3] = [b"fault", request.logical.as_bytes(), &turn];
                hash::unit(hash::of(request.seed, &parts)) < *share
            }
        }
    }
}
