//! Times of turns, as the client saw them and as the endpoint recorded them.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use crate::clock::Nanos;
use crate::events::{Event, EventKind, Observer};

/// The first-token times of a replay, by session in turn order; none for a turn without one.
#[derive(Debug, Default)]
pub(super) struct FirstTokens {
    issued: BTreeMap<Arc<str>, Nanos>,
    times: BTreeMap<Arc<str>, Vec<Option<Nanos>>>,
}

impl Observer for FirstTokens {
    fn observe(&mut self, event: &Event) -> io::Result<()> {
        match &event.kind {
            EventKind::Issued(key, Some(_)) => {
                self.issued.insert(Arc::clone(&key.session), event.at);
                self.times.entry(Arc::clone(&key.session)).or_default().push(None);
            }
            EventKind::FirstToken(key) => {
                let issued = self.issued.get(&key.session);
                let last = self.times.get_mut(&key.session).and_then(|times| times.last_mut());
                if let (Some(issued), Some(last)) = (issued, last) {
                    *last = Some(event.at.saturating_sub(*issued));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What is needed of a line of the endpoint's record.
#[derive(Deserialize)]
struct Line {
    session_id: Option<String>,
    arrival_ns: Nanos,
    first_fragment_ns: Option<Nanos>,
}

impl FirstTokens {
    /// The times in ascending order.
    pub(super) fn plain(&self) -> Vec<Nanos> {
        let mut times: Vec<Nanos> = self.times.values().flatten().flatten().copied().collect();
        times.sort_unstable();
        times
    }

    /// By how much the times exceed those that the endpoint recorded, in ascending order; without
    /// the first turn of each session, since that may have opened the slot's connection, unless no
    /// session got any further.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub(super) fn added(&self, record: &Path) -> io::Result<Vec<Nanos>> {
        let mut answered = BTreeMap::<String, Vec<(Nanos, Option<Nanos>)>>::new();
        for line in BufReader::new(std::fs::File::open(record)?).lines() {
            let line: Line = serde_json::from_str(&line?)?;
            let Some(session) = line.session_id else { continue };
            let first = line.first_fragment_ns.map(|at| at.saturating_sub(line.arrival_ns));
            answered.entry(session).or_default().push((line.arrival_ns, first));
        }
        let (mut opening, mut added) = (Vec::new(), Vec::new());
        for (session, times) in &self.times {
            let Some(answers) = answered.get_mut(&**session) else { continue };
            // A session's turns arrive in their order; records are written as replies end.
            answers.sort_unstable();
            for (index, (time, (_, first))) in times.iter().zip(answers).enumerate() {
                if let (Some(time), Some(first)) = (time, first) {
                    let turns = if index == 0 { &mut opening } else { &mut added };
                    turns.push(time.saturating_sub(*first));
                }
            }
        }
        if added.is_empty() {
            added = opening;
        }
        added.sort_unstable();
        Ok(added)
    }
}

/// The nearest-rank percentile of ascending values; 0 of none.
pub(super) fn percentile(ascending: &[Nanos], percent: usize) -> Nanos {
    let rank = (ascending.len() * percent).div_ceil(100).max(1);
    ascending.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{PromptFacts, SampleId, TurnKey};

    fn key(session: &str, turn: u32) -> TurnKey {
        TurnKey { sample: SampleId(u128::from(turn)), session: session.into(), turn }
    }

    fn observe(seen: &mut FirstTokens, at: Nanos, kind: EventKind) {
        seen.observe(&Event { at, kind }).unwrap();
    }

    #[test]
    fn times_are_compared_turn_by_turn() {
        let facts = || PromptFacts { digest: None, bytes: None, salt_markers: 0, body: None };
        let mut seen = FirstTokens::default();
        for (turn, issued, first) in [(1, 100, 150), (3, 1_000, 1_070)] {
            observe(&mut seen, issued, EventKind::Issued(key("a", turn), Some(facts())));
            observe(&mut seen, first, EventKind::FirstToken(key("a", turn)));
        }
        // A turn that failed without a token has no time.
        observe(&mut seen, 2_000, EventKind::Issued(key("b", 1), Some(facts())));
        assert_eq!(seen.plain(), [50, 70]);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.jsonl");
        let lines = [
            r#"{"session_id":"a","arrival_ns":9000,"first_fragment_ns":9060,"body":{}}"#,
            r#"{"session_id":"b","arrival_ns":9000,"first_fragment_ns":null}"#,
            r#"{"session_id":null,"arrival_ns":1,"first_fragment_ns":2}"#,
            r#"{"session_id":"a","arrival_ns":500,"first_fragment_ns":545}"#,
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        // The first turn is left out: it may have opened the connection.
        assert_eq!(seen.added(&path).unwrap(), [10]);
        // As far as a machine gets that has far too many slots.
        std::fs::write(&path, lines[3]).unwrap();
        assert_eq!(seen.added(&path).unwrap(), [5]);
        std::fs::write(&path, "{").unwrap();
        assert!(seen.added(&path).is_err());
    }

    #[test]
    fn percentiles_are_of_nearest_rank() {
        let values: Vec<Nanos> = (1..=200).collect();
        assert_eq!([0, 50, 99, 100].map(|p| percentile(&values, p)), [1, 100, 198, 200]);
        assert_eq!(percentile(&[], 99), 0);
        assert_eq!(percentile(&[7], 50), 7);
    }
}
