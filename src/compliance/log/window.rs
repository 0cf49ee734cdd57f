//! The performance window: it closes when the first slot finds no trajectory left.

use super::evidence::{Evidence, Fault, seconds};
use super::sessions::Session;
use crate::clock::Nanos;

/// By how much two clocks' readings of one moment may differ: the client stamps the end of a turn
/// and the end of the window one after the other.
const EARLY: Nanos = 100_000_000;
/// How much later than its cause the window's end may be noted on a busy machine.
const LATE: Nanos = 1_000_000_000;

/// Follows the performance window.
#[derive(Debug, Default)]
pub(super) struct Window {
    opened: bool,
    closed: Option<(u64, Nanos)>,
    /// Trajectories whose first turn comes after the close.
    after: Evidence,
    odd: Evidence,
}

impl Window {
    /// The window opens.
    pub(super) fn opens(&mut self, line: u64) {
        if self.opened {
            self.odd.add(Some(line), || format!("it opens again (line {line})"));
        }
        self.opened = true;
    }

    /// The window closes.
    pub(super) fn closes(&mut self, line: u64, at: Nanos) {
        if self.closed.is_some() {
            return self.odd.add(Some(line), || format!("it closes again (line {line})"));
        }
        self.closed = Some((line, at));
    }

    /// A trajectory's first turn is issued.
    pub(super) fn trajectory(&mut self, id: &str, line: u64) {
        if !self.opened {
            self.odd.add(Some(line), || format!("{id} starts before it opens (line {line})"));
        } else if let Some((closed, _)) = self.closed {
            let text = || format!("it closes (line {closed}) before {id} starts (line {line})");
            self.after.add(Some(closed), text);
        }
    }

    /// Faults of a replay that came to its end with these trajectories on so many slots.
    pub(super) fn faults(
        mut self,
        sessions: &[Session],
        slots: Option<u64>,
        faults: &mut Vec<Fault>,
    ) {
        if let (Some(slots), 0) = (slots, self.odd.count()) {
            // Every slot but one may have taken its last trajectory and wait for its first turn.
            if self.after.count() >= slots {
                self.odd = self.after;
            } else {
                self.moment(sessions, slots);
            }
        }
        faults.extend(self.odd.fault("x-window", "fail"));
    }

    /// Compares the moment at which it closed with the one at which it should have.
    fn moment(&mut self, sessions: &[Session], slots: u64) {
        let mut ends: Vec<Nanos> = sessions.iter().filter_map(|session| session.ended_at).collect();
        ends.sort_unstable();
        let slots = usize::try_from(slots).unwrap_or(usize::MAX).min(ends.len());
        // As many trajectories as slots are open to the end; the first of them to end finds none.
        let Some(due) = slots.checked_sub(1).map(|others| ends[ends.len() - 1 - others]) else {
            return;
        };
        let Some((line, at)) = self.closed else {
            return self.odd.add(None, || "it never closes".to_owned());
        };
        let due_text = seconds(due.saturating_sub(first(sessions)));
        let at_text = seconds(at.saturating_sub(first(sessions)));
        if at.saturating_add(EARLY) < due || due.saturating_add(LATE) < at {
            let text = || {
                format!(
                    "it closes at {at_text} after the first turn (line {line}), but the first slot \
                     without a trajectory is free at {due_text}"
                )
            };
            self.odd.add(Some(line), text);
        }
    }
}

fn first(sessions: &[Session]) -> Nanos {
    sessions.iter().map(|session| session.started_at).min().unwrap_or_default()
}
