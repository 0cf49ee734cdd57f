//! The inline scorer: replies of the performance run against the recorded answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::actions::Action;
use super::calls;
use super::ground_truth::{Domain, GroundTruth, Truth};
use super::intent;
use super::python::round4;
use super::results_file::InlineFacts;
use super::scores::{Comparison, DomainScore, ExcludedTurn, InlineScores, TurnCounts, TurnScore};
use super::work::Work;
use crate::clock::Nanos;
use crate::events::{Event, EventKind, TurnKey};
use crate::wire::Reply;

/// Follows the events of one replay and scores its turns.
///
/// Takes the events in any order. Of a reply only its actions or its intent are kept, so that
/// memory grows with the number of turns and not with the log.
#[derive(Debug)]
pub struct InlineScorer {
    truth: Arc<GroundTruth>,
    turns: BTreeMap<Key, Turn>,
    work: Work,
    session: Session,
}

/// What the events say of the run as a whole.
#[derive(Debug, Default)]
struct Session {
    issued: u64,
    ended_turns: u64,
    first: Option<Nanos>,
    last: Nanos,
    has_ended: bool,
}

/// Source id, pass and client turn: the order of the report.
type Key = (Arc<str>, u64, u32);

#[derive(Debug, Default)]
struct Turn {
    issued: bool,
    found: Option<Found>,
}

/// What was found in a reply.
#[derive(Debug)]
enum Found {
    /// A reply that nothing is compared with.
    Unscored,
    Actions(Vec<Action>),
    Intent(Option<String>),
}

impl InlineScorer {
    /// A scorer that has seen nothing.
    pub fn new(truth: Arc<GroundTruth>) -> Self {
        Self { truth, turns: BTreeMap::new(), work: Work::default(), session: Session::default() }
    }

    /// Takes one event. Events of turns that no recorded answer follows are passed over.
    pub fn push(&mut self, event: &Event) {
        self.session.push(event);
        match &event.kind {
            EventKind::Issued(key, _) => {
                if let Some((turn, _)) = self.turn(key) {
                    turn.issued = true;
                }
            }
            EventKind::Complete(key, Some(reply)) => self.complete(key, reply),
            _ => {}
        }
    }

    fn complete(&mut self, key: &TurnKey, reply: &Reply) {
        let mut work = self.work;
        if let Some((turn, compared)) = self.turn(key) {
            turn.found = Some(match compared {
                None => Found::Unscored,
                Some(Domain::Coding) => Found::Actions(calls::of_reply(reply, &mut work)),
                Some(Domain::Workflow) => {
                    let (reasoning, content) = (reply.reasoning.joined(), reply.content.joined());
                    Found::Intent(intent::of_reply(&reasoning, &content, &mut work))
                }
            });
        }
        self.work = work;
    }

    /// The entry of an expected turn, and its domain where there is something to compare.
    fn turn(&mut self, key: &TurnKey) -> Option<(&mut Turn, Option<Domain>)> {
        let (id, pass) = source_and_pass(&key.session);
        let (domain, expected) = self.truth.expected(id, key.turn)?;
        let compared = expected.truth.as_ref().map(|_| domain);
        let id: Arc<str> =
            if id.len() == key.session.len() { Arc::clone(&key.session) } else { id.into() };
        Some((self.turns.entry((id, pass, key.turn)).or_default(), compared))
    }

    /// What the entry of the run says beside the score. Complete are the events of a session that
    /// ended with every issued turn; whether that was all that was planned they do not tell.
    pub fn facts(&self) -> InlineFacts {
        let Session { issued, ended_turns, first, last, has_ended } = self.session;
        InlineFacts {
            unit_samples: self.truth.client_turns(),
            total_samples: issued,
            duration_ns: last.saturating_sub(first.unwrap_or(last)),
            complete: has_ended && issued == ended_turns,
        }
    }

    /// The scores.
    pub fn finish(self) -> InlineScores {
        let mut passes = BTreeSet::new();
        let mut turns = TurnCounts::default();
        let (mut total, mut domains) = (Mean::default(), [Mean::default(), Mean::default()]);
        let mut per_turn = Vec::new();
        for ((conversation, pass, client_turn), Turn { issued, found }) in self.turns {
            let Some((domain, expected)) = self.truth.expected(&conversation, client_turn) else {
                continue;
            };
            if !issued {
                continue;
            }
            turns.issued += 1;
            passes.insert(pass);
            let Some(truth) = &expected.truth else { continue };
            let missing = found.is_none();
            turns.missing += usize::from(missing);
            let (found, score) = compare(truth, found);
            total.add(score);
            domains[domain as usize].add(score);
            per_turn.push(TurnScore {
                conversation: conversation.to_string(),
                pass,
                turn: expected.turn,
                client_turn,
                missing,
                found,
                score: round4(score),
            });
        }
        turns.expected = per_turn.len();
        turns.scored = per_turn.len();
        turns.observed = turns.expected - turns.missing;
        let domain = |domain: Domain| {
            let mean = &domains[domain as usize];
            mean.rounded().map(|score| DomainScore { domain, score, scored: mean.count })
        };
        InlineScores {
            score: total.rounded(),
            turns,
            domains: Domain::ALL.into_iter().filter_map(domain).collect(),
            per_turn,
            excluded: excluded(&self.truth),
            passes: passes.len(),
        }
    }
}

impl Session {
    fn push(&mut self, event: &Event) {
        self.first = Some(self.first.map_or(event.at, |first| first.min(event.at)));
        self.last = self.last.max(event.at);
        match &event.kind {
            EventKind::Issued(..) => self.issued += 1,
            EventKind::Complete(..) => self.ended_turns += 1,
            EventKind::SessionEnded => self.has_ended = true,
            _ => {}
        }
    }
}

/// The logged id without `__repeat_<n>`, and the pass n, which is 1 where there is none.
fn source_and_pass(session: &str) -> (&str, u64) {
    let split = session.rsplit_once("__repeat_").and_then(|(id, pass)| {
        let digits = !pass.is_empty() && pass.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| pass.parse().ok()).flatten().map(|pass| (id, pass))
    });
    split.unwrap_or((session, 1))
}

/// A mean in plain floating point, added in the order of the report as the reference does.
#[derive(Clone, Copy, Default)]
struct Mean {
    total: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, score: f64) {
        self.total += score;
        self.count += 1;
    }

    #[expect(clippy::cast_precision_loss, reason = "turns stay below 2^53")]
    fn rounded(&self) -> Option<f64> {
        (self.count > 0).then(|| round4(self.total / self.count as f64))
    }
}

/// Puts expected and found side by side and scores them.
fn compare(truth: &Truth, found: Option<Found>) -> (Comparison, f64) {
    match truth {
        Truth::Intents(expected) => {
            let found = match found {
                Some(Found::Intent(found)) => found,
                _ => None,
            };
            let right = found.as_ref().is_some_and(|found| expected.contains(found));
            let comparison = Comparison::Intents { expected: Arc::clone(expected), found };
            (comparison, if right { 1.0 } else { 0.0 })
        }
        Truth::Actions(expected) => {
            let found = match found {
                Some(Found::Actions(found)) => found,
                _ => Vec::new(),
            };
            let score = jaccard(expected, &found);
            (Comparison::Actions { expected: expected.clone(), found }, score)
        }
    }
}

/// Multiset Jaccard: the sum of the smaller counts over the sum of the greater ones.
fn jaccard(expected: &[Action], found: &[Action]) -> f64 {
    let count = |actions: &[Action]| {
        let mut counts = [0_u32; Action::COUNT];
        for action in actions {
            counts[action.index()] += 1;
        }
        counts
    };
    let (expected, found) = (count(expected), count(found));
    let pairs = || expected.iter().zip(&found);
    let common: u32 = pairs().map(|(a, b)| a.min(b)).sum();
    let all: u32 = pairs().map(|(a, b)| a.max(b)).sum();
    if all == 0 { 0.0 } else { f64::from(common) / f64::from(all) }
}

fn excluded(truth: &GroundTruth) -> Vec<ExcludedTurn> {
    let mut excluded = Vec::new();
    for (id, conversation) in truth.conversations() {
        let without = conversation.turns.values().filter(|expected| expected.truth.is_none());
        excluded.extend(without.map(|expected| ExcludedTurn {
            conversation: id.to_owned(),
            turn: expected.turn,
            domain: conversation.domain,
        }));
    }
    excluded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dataset::{Message, Row, Trajectory};
    use crate::events::SampleId;
    use crate::wire::{Text, ToolCallDelta};

    fn row(turn: u32, message: Message) -> Row {
        Row { line: u64::from(turn), turn, message, delay: None, tools: None }
    }

    /// A conversation with a client turn before each answer.
    fn trajectory(id: &str, answers: &[(&str, &[&str])]) -> Trajectory {
        let mut rows = Vec::new();
        for (turn, (command, intents)) in (1..).step_by(2).zip(answers) {
            rows.push(row(turn, Message::User { content: String::new() }));
            let call = serde_json::json!({ "command": command }).to_string();
            let calls = serde_json::json!([{ "function": { "name": "bash", "arguments": call } }]);
            rows.push(row(
                turn + 1,
                Message::Assistant {
                    content: None,
                    reasoning: None,
                    tool_calls: Some(calls.to_string()),
                    intent_codes: intents.iter().map(|code| (*code).to_owned()).collect(),
                },
            ));
        }
        Trajectory { id: id.to_owned(), system: None, tools: None, max_tokens: None, rows }
    }

    fn truth() -> Arc<GroundTruth> {
        let mut truth = GroundTruth::default();
        truth.add(&trajectory("a__repeat_x", &[("ls; ls; cat x", &[]), ("cd x", &["I001"])]));
        truth.add(&trajectory("sim_1", &[("ls", &["i001", ""]), ("ls", &[]), ("", &["I002"])]));
        Arc::new(truth)
    }

    fn key(session: &str, turn: u32) -> TurnKey {
        TurnKey { sample: SampleId(0), session: session.into(), turn }
    }

    fn issued(session: &str, turn: u32) -> Event {
        Event { at: 0, kind: EventKind::Issued(key(session, turn), None) }
    }

    fn reply(content: &str, command: &str) -> Reply {
        let arguments = serde_json::json!({ "cmd": command }).to_string();
        Reply {
            content: Text { first: String::new(), rest: content.to_owned() },
            tool_calls: vec![ToolCallDelta {
                index: 0,
                id: None,
                name: Some("bash".to_owned()),
                arguments,
            }],
            ..Reply::default()
        }
    }

    fn complete(session: &str, turn: u32, reply: Option<Reply>) -> Event {
        Event { at: 0, kind: EventKind::Complete(key(session, turn), reply.map(Box::new)) }
    }

    fn scores(events: &[Event]) -> InlineScores {
        let mut scorer = InlineScorer::new(truth());
        for event in events {
            scorer.push(event);
        }
        scorer.finish()
    }

    #[test]
    fn passes_missing_replies_and_exclusions() {
        let scores = scores(&[
            issued("a__repeat_x", 1),
            complete("a__repeat_x", 1, Some(reply("", "ls | wc"))),
            issued("a__repeat_x__repeat_12", 1),
            complete("a__repeat_x__repeat_12", 1, None),
            issued("a__repeat_x", 3),
            complete("a__repeat_x", 3, Some(reply("", "ls"))),
            issued("sim_1", 1),
            complete("sim_1", 1, Some(reply("intent: i001", ""))),
            issued("sim_1__repeat_2", 5),
            // Never issued, or not expected: no part of the score.
            complete("sim_1", 5, Some(reply("I002", ""))),
            issued("sim_1", 7),
            issued("nobody", 1),
            issued("sim_1__repeat_99999999999999999999999", 1),
        ]);
        let rows: Vec<_> = scores
            .per_turn
            .iter()
            .map(|turn| (&*turn.conversation, turn.pass, turn.turn, turn.missing, turn.score))
            .collect();
        assert_eq!(
            rows,
            [
                ("a__repeat_x", 1, 2, false, 0.25),
                ("a__repeat_x", 12, 2, true, 0.0),
                ("sim_1", 1, 2, false, 1.0),
                ("sim_1", 2, 6, true, 0.0),
            ]
        );
        assert_eq!(scores.score, Some(0.3125));
        let counts = scores.turns;
        assert_eq!((counts.issued, counts.expected, counts.observed, counts.missing), (5, 4, 2, 2));
        assert_eq!((scores.passes, scores.excluded.len()), (3, 2));
        let domains: Vec<_> =
            scores.domains.iter().map(|d| (d.domain, d.score, d.scored)).collect();
        assert_eq!(domains, [(Domain::Coding, 0.125, 2), (Domain::Workflow, 0.5, 2)]);
    }

    #[test]
    fn without_scorable_turns_there_is_no_score() {
        let scores = scores(&[issued("a__repeat_x", 3)]);
        assert_eq!((scores.score, scores.turns.issued, scores.domains.len()), (None, 1, 0));
        assert!(String::from_utf8(scores.to_json()).unwrap().contains("\"score\": null"));
    }

    #[test]
    fn a_later_failure_does_not_hide_a_reply() {
        let right = || complete("sim_1", 1, Some(reply("I001", "")));
        let failed = || complete("sim_1", 1, None);
        for events in [[right(), failed()], [failed(), right()]] {
            let mut all = vec![issued("sim_1", 1)];
            all.extend(events);
            assert_eq!(scores(&all).score, Some(1.0));
        }
    }

    /// A long reply costs a small multiple of its length, whatever it holds.
    #[test]
    fn huge_replies_cost_linear_work() {
        let units = ["\\\"", "'a\"", "ls;", "intent: I", "\"\\\"`'\\\n", "A=1 sudo ", "I00 ", "é|"];
        let sizes = units.iter().map(|unit| (*unit, 300_000));
        for (unit, size) in sizes.chain([(units[0], 10_000_000)]) {
            let text = unit.repeat(size / unit.len());
            for (session, reply) in [("a__repeat_x", reply("", &text)), ("sim_1", reply(&text, ""))]
            {
                let bytes = (reply.content.rest.len() + reply.tool_calls[0].arguments.len()) as u64;
                let mut scorer = InlineScorer::new(truth());
                scorer.push(&complete(session, 1, Some(reply)));
                assert!(scorer.work.total() <= 8 * bytes, "{unit:?}: {:?}", scorer.work);
            }
        }
    }

    fn event() -> impl Strategy<Value = Event> {
        let session =
            prop::sample::select(vec!["a__repeat_x", "sim_1", "sim_1__repeat_2", "x", ""]);
        let texts =
            prop::option::of(("\\PC{0,20}|intent: I00[12]", "\\PC{0,20}|(ls|cat|;| ){0,8}"));
        (session, 0_u32..8, any::<bool>(), texts).prop_map(|(session, turn, is_issue, texts)| {
            if is_issue {
                issued(session, turn)
            } else {
                complete(session, turn, texts.map(|(text, command)| reply(&text, &command)))
            }
        })
    }

    proptest! {
        #[test]
        fn scores_are_fractions_and_counts_add_up(events in prop::collection::vec(event(), 0..40)) {
            let scores = scores(&events);
            for score in scores.per_turn.iter().map(|turn| turn.score).chain(scores.score) {
                prop_assert!((0.0..=1.0).contains(&score));
            }
            let counts = scores.turns;
            prop_assert_eq!(counts.observed + counts.missing, counts.expected);
            prop_assert_eq!(counts.scored, scores.per_turn.len());
            prop_assert!(counts.expected <= counts.issued);
            prop_assert_eq!(scores.score.is_some(), counts.scored > 0);
            let by_domain: usize = scores.domains.iter().map(|domain| domain.scored).sum();
            prop_assert_eq!(by_domain, counts.scored);
        }

        #[test]
        fn jaccard_is_symmetric_and_one_only_for_equal_bags(
            a in "(ls ;|cat ;|wc ;){0,6}", b in "(ls ;|cat ;|wc ;){0,6}",
        ) {
            let actions = |text: &str| {
                let mut actions = Vec::new();
                super::super::actions::of_command(text, &mut actions, &mut Work::default());
                actions.sort();
                actions
            };
            let (a, b) = (actions(&a), actions(&b));
            let score = jaccard(&a, &b);
            prop_assert_eq!(score.to_bits(), jaccard(&b, &a).to_bits());
            prop_assert_eq!(score >= 1.0, a == b && !a.is_empty());
        }
    }
}
