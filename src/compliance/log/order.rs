//! One turn of a conversation at a time, every event where it can be, and no more turns in flight
//! than there are slots.

use std::collections::HashSet;
use std::sync::Arc;

use super::evidence::{Evidence, Fault, seconds};
use super::sessions::Session;
use crate::clock::Nanos;
use crate::events::{SampleId, TurnKey};

/// A turn that was issued and has not ended.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) place: usize,
    pub(super) session: Arc<str>,
    pub(super) issued_at: Nanos,
    pub(super) sent: bool,
    pub(super) failed: bool,
}

/// Follows the order of events.
#[derive(Debug, Default)]
pub(super) struct Order {
    seen: HashSet<SampleId>,
    sent: u64,
    most: (u64, u64),
    turns: Evidence,
    events: Evidence,
    ids: Evidence,
}

impl Order {
    /// Looks at a turn that is issued; false when it was issued before.
    pub(super) fn issued(&mut self, key: &TurnKey, line: u64) -> bool {
        if self.seen.insert(key.sample) {
            return true;
        }
        self.events.add(Some(line), || format!("{} is issued again (line {line})", shown(key)));
        false
    }

    /// Looks at a turn that is sent; `session` is as it was before.
    pub(super) fn sent(&mut self, key: &TurnKey, session: &Session, line: u64, at: Nanos) {
        self.sent += 1;
        if self.sent > self.most.0 {
            self.most = (self.sent, line);
        }
        let turn = shown(key);
        if let Some(waiting) = session.waiting {
            self.turns
                .add(Some(line), || format!("{turn} while turn {waiting} waits (line {line})"));
        } else if session.last_turn.is_some_and(|last| key.turn <= last) {
            let last = session.last_turn.unwrap_or_default();
            self.turns.add(Some(line), || format!("{turn} after turn {last} (line {line})"));
        } else if let Some(ended) = session.ended_at.filter(|ended| at < *ended) {
            let early = seconds(ended - at);
            self.turns.add(Some(line), || format!("{turn}, {early} too early (line {line})"));
        }
    }

    /// Looks at a later event of a turn; `turn` is none when it is not in flight.
    pub(super) fn later(&mut self, key: &TurnKey, turn: Option<&InFlight>, line: u64, at: Nanos) {
        let Some(turn) = turn else {
            let text = || format!("{} is not in flight (line {line})", shown(key));
            return self.events.add(Some(line), text);
        };
        if turn.session != key.session {
            let text = || format!("{} was issued as {} (line {line})", shown(key), turn.session);
            self.ids.add(Some(line), text);
        }
        if at < turn.issued_at {
            let text = || format!("{} before it is issued (line {line})", shown(key));
            self.events.add(Some(line), text);
        }
    }

    /// Looks at a turn that ends.
    pub(super) fn ended(&mut self, key: &TurnKey, turn: &InFlight, replied: bool, line: u64) {
        if turn.sent {
            self.sent = self.sent.saturating_sub(1);
        }
        if turn.failed == replied {
            let what = if replied { "failed and has a reply" } else { "ends without a reason" };
            self.events.add(Some(line), || format!("{} {what} (line {line})", shown(key)));
        }
    }

    /// Notes a turn that never ends.
    pub(super) fn open(&mut self, session: &Session) {
        let text = || format!("{} never ends", session.id);
        self.events.add(None, text);
    }

    /// Notes that the log has no end.
    pub(super) fn no_end(&mut self) {
        self.events.add(None, || "there is no session.ended".to_owned());
    }

    /// Faults; `slots` is the point's concurrency.
    pub(super) fn faults(&self, slots: Option<u64>, faults: &mut Vec<Fault>) {
        faults.extend(self.events.fault("x-log-order", "fail"));
        faults.extend(self.turns.fault("x-turn-order", "fail"));
        faults.extend(self.ids.fault("x-session-id", "fail"));
        let (most, line) = self.most;
        if let Some(slots) = slots.filter(|slots| most > *slots) {
            let fault = Fault::new("x-slots", "fail").with("found", most).with("slots", slots);
            faults.push(fault.at(Some(line)));
        }
    }
}

/// A turn for a message.
pub(super) fn shown(key: &TurnKey) -> String {
    format!("{} turn {}", key.session, key.turn)
}
