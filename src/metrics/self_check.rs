//! Counters that prove a replay did what it planned, independent of the metrics.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::client::ClientLoad;
use crate::events::{Event, EventKind, SampleMap, SampleSet, TurnKey};

/// What the plan says must be found in the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Turns that the plan holds.
    pub planned: u64,
    /// Turns that were left out on purpose (`load.tail: stop`).
    pub skipped: u64,
    /// Whether the replay was interrupted; any number of turns may be missing then.
    pub interrupted: bool,
    /// The point's concurrency: turns in flight may never exceed it.
    pub concurrency: u32,
    /// Salt markers that every sent body must hold: two when salted, else none.
    pub salt_markers: u8,
}

/// Follows the events of one replay and counts.
#[derive(Clone, Debug, Default)]
pub struct SelfCheck {
    in_flight: SampleMap<InFlight>,
    seen: SampleSet,
    sent_in_flight: u64,
    by_conversation: HashMap<Arc<str>, u32, foldhash::fast::RandomState>,
    issued: u64,
    sent: u64,
    completed: u64,
    failed: u64,
    max_in_flight: u64,
    max_per_conversation: u32,
    markers: BTreeMap<u8, u64>,
    odd: BTreeMap<OddEvent, u64>,
}

#[derive(Clone, Debug)]
struct InFlight {
    sent: bool,
    failed: bool,
}

/// An event that cannot be where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum OddEvent {
    IssuedTwice,
    NotIssued,
    FailedWithReply,
    EndedWithoutReason,
}

/// What `self_check.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfCheckReport {
    /// Turns that the plan holds.
    pub planned: u64,
    /// Turns with an issued event.
    pub issued: u64,
    /// Planned turns that were never issued, such as those behind an interrupt.
    pub skipped: u64,
    /// Issued turns that were really sent; the others were given up after an earlier failure.
    pub sent: u64,
    /// Turns with a whole reply.
    pub completed: u64,
    /// Turns that failed or were given up.
    pub failed: u64,
    /// The most turns ever in flight at once.
    pub max_in_flight: u64,
    /// The most turns of one conversation ever in flight at once.
    pub max_in_flight_per_conversation: u32,
    /// How many sent bodies held how many salt markers.
    pub salt_markers: BTreeMap<u8, u64>,
    /// SHA-256 over session, turn and body digest of every planned turn in plan order.
    pub replay_digest: String,
    /// Turns whose request was sent a second time because the server had closed the idle
    /// connection while the first was on its way; known only where the replay was recorded.
    #[serde(default)]
    pub resent: u64,
    /// What the client took; known only where the replay was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientLoad>,
    /// What does not add up; empty for a sound replay.
    pub violations: Vec<Violation>,
}

impl SelfCheckReport {
    /// Whether nothing was violated.
    pub fn passed(&self) -> bool {
        self.violations.is_empty()
    }
}

/// One thing that does not add up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Stable kebab-case name of the check.
    pub check: String,
    /// What was expected and what was found.
    pub message: String,
}

impl SelfCheck {
    /// A check that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event of the log.
    pub fn push(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Issued(key, prompt) => {
                self.issue(key, prompt.as_ref().map(|prompt| prompt.salt_markers));
            }
            EventKind::FirstToken(key) => {
                if !self.in_flight.contains_key(&key.sample) {
                    self.note(OddEvent::NotIssued);
                }
            }
            EventKind::Failed(key, _) => match self.in_flight.get_mut(&key.sample) {
                Some(turn) => turn.failed = true,
                None => self.note(OddEvent::NotIssued),
            },
            EventKind::Complete(key, reply) => self.end(key, reply.is_some()),
            EventKind::SessionStarted
            | EventKind::StartTracking
            | EventKind::StopTracking
            | EventKind::SessionEnded => {}
        }
    }

    /// The report, with `replay_digest` (hex) as it stands in the run folder.
    pub fn finish(self, expected: Expected, replay_digest: String) -> SelfCheckReport {
        let violations = self.violations(expected);
        SelfCheckReport {
            planned: expected.planned,
            issued: self.issued,
            skipped: expected.planned.saturating_sub(self.issued),
            sent: self.sent,
            completed: self.completed,
            failed: self.failed,
            max_in_flight: self.max_in_flight,
            max_in_flight_per_conversation: self.max_per_conversation,
            salt_markers: self.markers,
            replay_digest,
            resent: 0,
            client: None,
            violations,
        }
    }

    fn note(&mut self, odd: OddEvent) {
        *self.odd.entry(odd).or_default() += 1;
    }

    fn issue(&mut self, key: &TurnKey, markers: Option<u8>) {
        let sent = markers.is_some();
        if !self.seen.insert(key.sample) {
            self.note(OddEvent::IssuedTwice);
            return;
        }
        self.in_flight.insert(key.sample, InFlight { sent, failed: false });
        self.issued += 1;
        if let Some(markers) = markers {
            self.sent += 1;
            *self.markers.entry(markers).or_default() += 1;
            self.sent_in_flight += 1;
            self.max_in_flight = self.max_in_flight.max(self.sent_in_flight);
            let of_conversation = self.by_conversation.entry(Arc::clone(&key.session)).or_default();
            *of_conversation += 1;
            self.max_per_conversation = self.max_per_conversation.max(*of_conversation);
        }
    }

    fn end(&mut self, key: &TurnKey, replied: bool) {
        let Some(turn) = self.in_flight.remove(&key.sample) else {
            return self.note(OddEvent::NotIssued);
        };
        match (turn.failed, replied) {
            (false, true) => self.completed += 1,
            (true, false) => self.failed += 1,
            (true, true) => {
                self.failed += 1;
                self.note(OddEvent::FailedWithReply);
            }
            (false, false) => {
                self.failed += 1;
                self.note(OddEvent::EndedWithoutReason);
            }
        }
        if turn.sent {
            self.sent_in_flight = self.sent_in_flight.saturating_sub(1);
            if let Some(left) = self.by_conversation.get_mut(&key.session) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    self.by_conversation.remove(&key.session);
                }
            }
        }
    }

    fn violations(&self, expected: Expected) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut add = |check: &str, message: String| {
            found.push(Violation { check: check.to_owned(), message });
        };
        let Expected { planned, skipped, interrupted, concurrency, salt_markers } = expected;
        let accounted = self.issued + skipped;
        if accounted > planned || (accounted < planned && !interrupted) {
            let issued = self.issued;
            add(
                "planned-turns",
                format!("{issued} turns issued and {skipped} skipped, but {planned} planned"),
            );
        }
        let ended = self.completed + self.failed;
        if self.issued != ended {
            add(
                "turns-ended",
                format!("{} turns issued, but {ended} completed or failed", self.issued),
            );
        }
        if self.max_in_flight > u64::from(concurrency) {
            let most = self.max_in_flight;
            add("turns-in-flight", format!("{most} turns in flight at concurrency {concurrency}"));
        }
        if self.max_per_conversation > 1 {
            let most = self.max_per_conversation;
            add("turns-per-conversation", format!("{most} turns of one conversation in flight"));
        }
        for (&markers, &bodies) in &self.markers {
            if markers != salt_markers {
                add(
                    "salt-markers",
                    format!(
                        "{bodies} bodies with {markers} salt markers instead of {salt_markers}"
                    ),
                );
            }
        }
        for (&odd, &events) in &self.odd {
            let (check, what) = match odd {
                OddEvent::IssuedTwice => ("issued-once", "turns issued again"),
                OddEvent::NotIssued => ("issued-first", "events of turns that are not in flight"),
                OddEvent::FailedWithReply => ("failed-or-replied", "failed turns with a reply"),
                OddEvent::EndedWithoutReason => {
                    ("failed-or-replied", "turns without a reply that did not fail")
                }
            };
            add(check, format!("{events} {what}"));
        }
        found
    }
}
