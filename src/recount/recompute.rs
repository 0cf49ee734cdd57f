//! The second pass: events to numbers, as a live replay makes them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::error::RecountError;
use super::index::{each_event, source_and_pass};
use crate::events::EventKind;
use crate::metrics::steady::Detector;
use crate::metrics::{Collector, Expected, Metrics, SelfCheck, SelfCheckReport, TokenSource};

/// The numbers of a log.
#[derive(Debug)]
pub struct Recomputed {
    /// All metrics.
    pub metrics: Metrics,
    /// The steady-state detector, which still has to be told the size of a super-pass.
    pub detector: Detector,
    self_check: SelfCheck,
    salt_markers: u8,
    turns_per_pass: u64,
    ended: bool,
}

impl Recomputed {
    /// Whether the log tells the end of the session.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Different turns of source conversations in the whole log, whichever pass they were issued
    /// in: the turns of one pass over the data sets, where at least one whole pass was issued.
    pub fn turns_per_pass(&self) -> u64 {
        self.turns_per_pass
    }

    /// The self-check of a log of which the plan is not known: what was issued counts as planned,
    /// and every prompt must be salted as the first one was.
    pub fn self_check(&self, concurrency: u32) -> SelfCheckReport {
        let expected = Expected {
            planned: self.metrics.total.issued,
            skipped: 0,
            interrupted: !self.ended,
            concurrency,
            salt_markers: self.salt_markers,
        };
        self.self_check.clone().finish(expected, String::new())
    }
}

/// Reads a log and makes its numbers, with token counts from `tokens`.
///
/// # Errors
/// When it cannot be read, or `cancel` became true.
pub fn recompute(
    log: &Path,
    tokens: &TokenSource,
    cancel: &AtomicBool,
) -> Result<Recomputed, RecountError> {
    let mut collector = Collector::with_tokens(tokens.clone());
    let mut detector = Detector::new(tokens.clone());
    let mut self_check = SelfCheck::new();
    let (mut salt_markers, mut ended) = (None, false);
    let mut pass = Pass::default();
    each_event(log, cancel, |event, _| {
        collector.push(event);
        detector.push(event);
        self_check.push(event);
        match &event.kind {
            EventKind::Issued(key, prompt) => {
                pass.see(&key.session, key.turn);
                if let Some(prompt) = prompt {
                    salt_markers.get_or_insert(prompt.salt_markers);
                }
            }
            EventKind::SessionEnded => ended = true,
            _ => {}
        }
    })?;
    let metrics = collector.finish();
    Ok(Recomputed {
        metrics,
        detector,
        self_check,
        salt_markers: salt_markers.unwrap_or(0),
        turns_per_pass: pass.turns(),
        ended,
    })
}

/// The turns of each source conversation.
#[derive(Default)]
struct Pass(HashMap<Box<str>, HashSet<u32>>);

impl Pass {
    fn see(&mut self, session: &str, turn: u32) {
        let (source, _) = source_and_pass(session);
        match self.0.get_mut(source) {
            Some(turns) => {
                turns.insert(turn);
            }
            None => {
                self.0.insert(source.into(), [turn].into());
            }
        }
    }

    fn turns(&self) -> u64 {
        self.0.values().map(|turns| turns.len() as u64).sum()
    }
}
