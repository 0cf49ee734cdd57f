//! Think and tool times: no turn before the end of the one before it and its recorded delay.

use std::collections::HashMap;
use std::sync::Arc;

use super::evidence::{Evidence, Fault, seconds};
use super::order::shown;
use super::sessions::Session;
use super::workload::Workload;
use crate::clock::Nanos;
use crate::events::TurnKey;

/// What a timer of milliseconds may be early by.
const TOLERANCE: Nanos = 2_000_000;

/// Follows the delays.
#[derive(Debug)]
pub(super) struct Delays<'a> {
    /// Recorded delays by source id and turn.
    recorded: HashMap<(&'a str, u32), Nanos>,
    started: Option<Nanos>,
    early: Evidence,
    worst: Nanos,
}

impl<'a> Delays<'a> {
    /// A watcher of the delays that the workload records.
    pub(super) fn new(workload: &'a Workload) -> Self {
        let conversations = workload.library.conversations();
        let recorded = conversations.iter().flat_map(|conversation| {
            let id: &Arc<str> = &conversation.id;
            conversation.turns.iter().map(move |turn| ((&**id, turn.turn), turn.delay))
        });
        let recorded = recorded.filter(|(_, delay)| *delay > 0).collect();
        Self { recorded, started: None, early: Evidence::default(), worst: 0 }
    }

    /// The replay starts.
    pub(super) fn starts(&mut self, at: Nanos) {
        self.started.get_or_insert(at);
    }

    /// Looks at a turn that is sent; `session` is as it was before. A trajectory's first turn
    /// cannot come before the replay's start and its delay.
    pub(super) fn sent(&mut self, key: &TurnKey, session: &Session, line: u64, at: Nanos) {
        let Some(delay) = self.recorded.get(&(session.source(), key.turn)) else { return };
        let Some(from) = session.ended_at.or(self.started) else { return };
        let due = from.saturating_add(*delay);
        if at.saturating_add(TOLERANCE) < due {
            self.worst = self.worst.max(due - at);
            let text = || {
                let (waited, delay) = (seconds(at.saturating_sub(from)), seconds(*delay));
                format!("{} after {waited} instead of {delay} (line {line})", shown(key))
            };
            self.early.add(Some(line), text);
        }
    }

    /// Faults.
    pub(super) fn faults(&self, faults: &mut Vec<Fault>) {
        let fault = self.early.fault("x-tool-delays", "fail");
        faults.extend(fault.map(|fault| fault.with("worst", seconds(self.worst))));
    }
}
