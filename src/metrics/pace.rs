//! How fast one conversation's turns were answered.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::clock::Nanos;
use crate::events::{Event, EventKind, SampleId, TurnKey};
use crate::wire::Reply;

/// Gathers the turns of one conversation, in whichever passes, from the events of a replay.
#[derive(Debug)]
pub struct Pace {
    source: Arc<str>,
    issued: HashMap<SampleId, Nanos>,
    report: PaceReport,
    uncounted: u64,
    bytes: u64,
}

/// The turns of one conversation and the time that they took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PaceReport {
    /// Answered turns.
    pub turns: u64,
    /// Turns that failed or were given up.
    pub failed: u64,
    /// What was generated: tokens as the server counts them, or bytes of text.
    pub output: u64,
    /// `tokens`, or `bytes` where the server does not tell.
    pub unit: String,
    /// Seconds from issue to the last byte, over all answered turns.
    pub seconds: f64,
}

impl Pace {
    /// Watches the conversation with this source id.
    pub fn of(source: &Arc<str>) -> Self {
        let (issued, report) = Default::default();
        Self { source: Arc::clone(source), issued, report, uncounted: 0, bytes: 0 }
    }

    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Issued(key, _) if self.is_of(key) => {
                self.issued.insert(key.sample, event.at);
            }
            EventKind::Complete(key, reply) => {
                let Some(issued) = self.issued.remove(&key.sample) else { return };
                match reply {
                    Some(reply) => self.answered(reply, event.at.saturating_sub(issued)),
                    None => self.report.failed += 1,
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a turn takes far fewer than 2^53 ns")]
    fn answered(&mut self, reply: &Reply, nanos: Nanos) {
        self.report.turns += 1;
        self.report.seconds += nanos as f64 / 1e9;
        let texts = [&reply.content, &reply.reasoning];
        let texts: usize = texts.iter().map(|text| text.first.len() + text.rest.len()).sum();
        let calls = reply.first_tool_calls.iter().chain(&reply.tool_calls);
        let calls: usize = calls.map(|call| call.arguments.len()).sum();
        self.bytes += (texts + calls) as u64;
        match reply.usage {
            Some(usage) => self.report.output += usage.completion_tokens,
            None => self.uncounted += 1,
        }
    }

    /// The source id itself, or with the mark of a later pass.
    fn is_of(&self, key: &TurnKey) -> bool {
        let rest = key.session.strip_prefix(&*self.source);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("__repeat_"))
    }

    /// What was gathered.
    pub fn finish(mut self) -> PaceReport {
        let counted = self.uncounted == 0;
        if !counted {
            self.report.output = self.bytes;
        }
        PaceReport { unit: if counted { "tokens" } else { "bytes" }.to_owned(), ..self.report }
    }
}

impl PaceReport {
    /// By how many percent this is faster than another pace; none where a turn failed, nothing was
    /// generated, or the two count different things.
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn faster_than(&self, other: &Self) -> Option<f64> {
        let rate = |pace: &Self| {
            let sound = pace.failed == 0 && pace.output > 0 && pace.seconds > 0.0;
            sound.then(|| pace.output as f64 / pace.seconds)
        };
        let (own, other_rate) = (rate(self)?, rate(other)?);
        (self.unit == other.unit).then(|| 100.0 * (own / other_rate - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::PromptFacts;
    use crate::wire::{Text, Usage};

    fn key(session: &str, sample: u128) -> TurnKey {
        TurnKey { sample: SampleId(sample), session: session.into(), turn: 1 }
    }

    fn turn(pace: &mut Pace, session: &str, sample: u128, took: Nanos, usage: Option<u64>) {
        let prompt = Some(PromptFacts { digest: None, bytes: None, salt_markers: 2, body: None });
        let usage = usage.map(|completion_tokens| Usage { completion_tokens, ..Usage::default() });
        let content = Text { first: "ab".to_owned(), rest: "cde".to_owned() };
        let reply = Reply { content, usage, ..Reply::default() };
        pace.push(&Event { at: 5, kind: EventKind::Issued(key(session, sample), prompt) });
        let complete = EventKind::Complete(key(session, sample), Some(Box::new(reply)));
        pace.push(&Event { at: 5 + took, kind: complete });
    }

    #[test]
    fn only_the_conversation_counts_in_all_its_passes() {
        let mut pace = Pace::of(&"a".into());
        turn(&mut pace, "a", 1, 1_000_000_000, Some(10));
        turn(&mut pace, "a__repeat_3", 2, 500_000_000, Some(20));
        turn(&mut pace, "ab", 3, 1, Some(99));
        let report = pace.finish();
        assert_eq!((report.turns, report.output, report.unit.as_str()), (2, 30, "tokens"));
        assert!((report.seconds - 1.5).abs() < 1e-9);
    }

    #[test]
    fn without_the_server_s_counts_bytes_are_compared() {
        let of = |took| {
            let mut pace = Pace::of(&"a".into());
            turn(&mut pace, "a", 1, took, None);
            pace.finish()
        };
        let (slow, fast) = (of(1_000_000_000), of(800_000_000));
        assert_eq!((slow.output, slow.unit.as_str()), (5, "bytes"));
        assert!((fast.faster_than(&slow).unwrap() - 25.0).abs() < 1e-6);
        let failed = PaceReport { failed: 1, ..fast.clone() };
        assert_eq!((failed.faster_than(&slow), slow.faster_than(&failed)), (None, None));
    }
}
