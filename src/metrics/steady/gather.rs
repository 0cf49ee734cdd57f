//! From events to a few numbers per turn.

use std::collections::hash_map::Entry;

use super::analysis::{Analysis, analyze};
use crate::clock::Nanos;
use crate::events::{Event, EventKind, SampleId, SampleMap};
use crate::metrics::tokens::TokenSource;

/// What the detector keeps of one turn issued while tracking was on; all times in nanoseconds of
/// the log's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// When it was issued; a second issue of the same turn refreshes this.
    pub issued_at: Nanos,
    /// When its first fragment arrived.
    pub first_at: Option<Nanos>,
    /// When its whole reply was there; none for a failed turn.
    pub completed_at: Option<Nanos>,
    /// Output tokens; none where nobody counted them.
    pub output: Option<u64>,
    /// Tokens behind the first chunk.
    pub after_first: u64,
}

impl TurnRecord {
    /// Issue to first fragment.
    pub(super) fn ttft(&self) -> Option<Nanos> {
        self.first_at.map(|first| first.saturating_sub(self.issued_at))
    }

    /// Issue to the end of the reply.
    pub(super) fn latency(&self) -> Option<Nanos> {
        self.completed_at.map(|end| end.saturating_sub(self.issued_at))
    }

    /// First chunk to end, per token behind the first chunk.
    #[expect(clippy::cast_precision_loss, reason = "a turn's time and tokens stay below 2^53")]
    pub(super) fn tpot(&self) -> Option<f64> {
        let nanos = self.completed_at?.checked_sub(self.first_at?)?;
        (self.after_first > 0).then(|| nanos as f64 / self.after_first as f64)
    }
}

/// Gathers the turns of a replay in the order of their issue.
///
/// Only turns issued between the start and the stop of tracking count. Failed turns keep their
/// place in the order but give no times, as in the summary.
#[derive(Debug, Default)]
pub struct Detector {
    tokens: TokenSource,
    tracking: Option<bool>,
    turns: Vec<TurnRecord>,
    places: SampleMap<usize>,
}

impl Detector {
    /// A detector that has seen nothing and counts tokens by `tokens`.
    pub fn new(tokens: TokenSource) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// Takes the next event of the log.
    pub fn push(&mut self, event: &Event) {
        match &event.kind {
            EventKind::StartTracking => self.tracking = self.tracking.or(Some(true)),
            EventKind::StopTracking => self.tracking = Some(false),
            EventKind::SessionStarted | EventKind::SessionEnded | EventKind::Failed(..) => {}
            EventKind::Issued(key, _) => self.issued(key.sample, event.at),
            EventKind::FirstToken(key) => {
                if let Some(turn) = self.turn(key.sample) {
                    turn.first_at.get_or_insert(event.at);
                }
            }
            EventKind::Complete(key, reply) => {
                let Some(reply) = reply else { return };
                let tokens = self.tokens.of(key.sample, reply);
                let Some(turn) = self.turn(key.sample) else { return };
                turn.completed_at = Some(event.at);
                turn.output = tokens.map(|tokens| tokens.output);
                turn.after_first = tokens.map_or(0, |tokens| tokens.after_first);
            }
        }
    }

    /// The turns in the order of their issue.
    pub fn turns(&self) -> &[TurnRecord] {
        &self.turns
    }

    /// The outcome for super-passes of `super_pass_size` turns, the turns of one pass over the
    /// data sets.
    pub fn finish(&self, super_pass_size: u64) -> Analysis {
        analyze(&self.turns, super_pass_size)
    }

    fn issued(&mut self, sample: SampleId, at: Nanos) {
        match self.places.entry(sample) {
            Entry::Occupied(place) => {
                if let Some(turn) = self.turns.get_mut(*place.get()) {
                    turn.issued_at = at;
                }
            }
            Entry::Vacant(place) if self.tracking == Some(true) => {
                place.insert(self.turns.len());
                self.turns.push(TurnRecord { issued_at: at, ..TurnRecord::default() });
            }
            Entry::Vacant(_) => {}
        }
    }

    fn turn(&mut self, sample: SampleId) -> Option<&mut TurnRecord> {
        self.turns.get_mut(*self.places.get(&sample)?)
    }
}
