//! One event of a replay.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::clock::Nanos;
use crate::wire::{Failure, Reply};

/// The id of one issued turn: 128 bits, written as 32 hex digits. Derived from the run's seed, so
/// that the same scenario gives the same log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId(pub u128);

/// A map by sample id. Ids are digests, or another client's random numbers; a hash of full strength
/// costs more than everything else that is done with them.
pub type SampleMap<V> = HashMap<SampleId, V, foldhash::fast::RandomState>;

/// A set of sample ids, hashed as in [`SampleMap`].
pub type SampleSet = HashSet<SampleId, foldhash::fast::RandomState>;

impl fmt::Display for SampleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Which turn an event is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnKey {
    /// The issued turn's id.
    pub sample: SampleId,
    /// The logical conversation id: the source id, with `__repeat_<n>` in pass n >= 2.
    pub session: Arc<str>,
    /// The `turn` of the client row in the data set.
    pub turn: u32,
}

/// What is known of a prompt without repeating it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFacts {
    /// SHA-256 of the request body; none only in the log of another client.
    pub digest: Option<[u8; 32]>,
    /// Length of the request body in bytes; none only in the log of another client.
    pub bytes: Option<u64>,
    /// Salt markers found in the body as sent (two when salted, else none).
    pub salt_markers: u8,
    /// The whole body, only when `log.prompts` is set. It is written in the reference client's
    /// shape, from which a reader cannot get it back.
    pub body: Option<bytes::Bytes>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The replay began.
    SessionStarted,
    /// The performance window opened.
    StartTracking,
    /// The performance window closed for turns issued from here on.
    StopTracking,
    /// The replay ended.
    SessionEnded,
    /// A turn was sent, or, with no prompt, given up because an earlier one failed.
    Issued(TurnKey, Option<PromptFacts>),
    /// The first non-empty fragment of the reply arrived.
    FirstToken(TurnKey),
    /// The turn failed; a `Complete` without reply follows.
    Failed(TurnKey, Failure),
    /// The turn is over: with its reply, or without when it failed.
    Complete(TurnKey, Option<Box<Reply>>),
}

/// One line of the event log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in nanoseconds since the replay's clock started.
    pub at: Nanos,
    /// What.
    pub kind: EventKind,
}
