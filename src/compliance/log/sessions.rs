//! Which trajectories a log holds, and where each of them is.

use std::collections::HashMap;
use std::sync::Arc;

use crate::clock::Nanos;
use crate::digest::salt_hex;
use crate::events::{SampleId, TurnKey};
use crate::recount::source_and_pass;

/// One trajectory: a conversation in one pass.
#[derive(Debug)]
pub(super) struct Session {
    /// The logical id.
    pub(super) id: Arc<str>,
    /// The length of the source id at its start.
    source: usize,
    /// The pass, from 1.
    pub(super) pass: u32,
    /// The line of its first event.
    pub(super) line: u64,
    /// When its first turn was issued.
    pub(super) started_at: Nanos,
    /// When its last turn ended; none before one has.
    pub(super) ended_at: Option<Nanos>,
    /// The turn that was sent last.
    pub(super) last_turn: Option<u32>,
    /// The turn that waits for its reply.
    pub(super) waiting: Option<u32>,
    /// Whether a turn failed.
    pub(super) failed: bool,
    /// Turns issued, and a number that stands for which.
    pub(super) turns: (u32, u64),
    /// The most prompt tokens of an answered turn, and of prompt and reply together.
    pub(super) tokens: Option<(u64, u64)>,
    /// The sent turns with their bodies' digests.
    pub(super) digests: Vec<(u32, [u8; 32])>,
    /// The sample of its first issued turn.
    pub(super) first_sample: SampleId,
}

impl Session {
    /// The source conversation's id.
    pub(super) fn source(&self) -> &str {
        &self.id[..self.source]
    }

    /// Counts an issued turn.
    pub(super) fn count(&mut self, turn: u32) {
        let (count, mark) = self.turns;
        self.turns = (count + 1, mark.rotate_left(7).wrapping_mul(0x9e37_79b9) ^ u64::from(turn));
    }
}

/// All trajectories, in the order in which they first appear.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    list: Vec<Session>,
    places: HashMap<Arc<str>, usize>,
    /// How many trajectories have the same two salt markers, which are of 16 bits each.
    salted: HashMap<[String; 2], u32>,
}

impl Sessions {
    /// The place of the trajectory that an issued turn belongs to, made when it is new.
    pub(super) fn place(&mut self, key: &TurnKey, line: u64, at: Nanos) -> usize {
        if let Some(place) = self.places.get(&key.session) {
            return *place;
        }
        let (source, pass) = source_and_pass(&key.session);
        *self.salted.entry(markers(pass, source)).or_default() += 1;
        self.list.push(Session {
            id: Arc::clone(&key.session),
            source: source.len(),
            pass,
            line,
            started_at: at,
            ended_at: None,
            last_turn: None,
            waiting: None,
            failed: false,
            turns: (0, 0),
            tokens: None,
            digests: Vec::new(),
            first_sample: key.sample,
        });
        self.places.insert(Arc::clone(&key.session), self.list.len() - 1);
        self.list.len() - 1
    }

    /// The trajectory of a logical id.
    pub(super) fn named(&self, id: &str) -> Option<&Session> {
        self.places.get(id).map(|place| &self.list[*place])
    }

    /// Whether no other trajectory so far has the same two salt markers.
    pub(super) fn is_salted_alone(&self, place: usize) -> bool {
        let session = &self.list[place];
        self.salted.get(&markers(session.pass, session.source())) == Some(&1)
    }

    /// The trajectory at a place.
    pub(super) fn at(&mut self, place: usize) -> &mut Session {
        &mut self.list[place]
    }

    /// All of them.
    pub(super) fn list(&self) -> &[Session] {
        &self.list
    }
}

/// What stands in the salt markers of a trajectory: the pass's, the conversation's.
fn markers(pass: u32, source: &str) -> [String; 2] {
    [salt_hex(&pass.to_string()), salt_hex(source)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trajectories_whose_markers_read_the_same_are_told() {
        let mut sessions = Sessions::default();
        let mut place = |id: &str| {
            let key = TurnKey { sample: SampleId(1), session: id.into(), turn: 1 };
            sessions.place(&key, 1, 0)
        };
        // Both ids have the salt 1770.
        let (one, other) = (place("sim_0079"), place("sim_0154"));
        let (later, alone) = (place("sim_0079__repeat_2"), place("sim_0080"));
        assert!(!sessions.is_salted_alone(one) && !sessions.is_salted_alone(other));
        assert!(sessions.is_salted_alone(later) && sessions.is_salted_alone(alone));
    }
}
