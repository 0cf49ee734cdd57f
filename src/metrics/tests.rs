//! The numbers of made-up replays, and every violation that the self-check must catch.

use proptest::prelude::*;

use super::{Collector, Expected, Metrics, SelfCheck, Stats, TokenCounts};
use crate::events::{Event, EventKind, PromptFacts, SampleId, TurnKey};
use crate::wire::{Failure, FailureKind, FinishReason, Reply, Text, Usage};

fn key(sample: u128, session: &str) -> TurnKey {
    TurnKey { sample: SampleId(sample), session: session.into(), turn: 1 }
}

fn issued(at: u64, key: &TurnKey) -> Event {
    let prompt =
        PromptFacts { digest: Some([1; 32]), bytes: Some(10), salt_markers: 2, body: None };
    Event { at, kind: EventKind::Issued(key.clone(), Some(prompt)) }
}

fn given_up(at: u64, key: &TurnKey) -> Event {
    Event { at, kind: EventKind::Issued(key.clone(), None) }
}

fn first_token(at: u64, key: &TurnKey) -> Event {
    Event { at, kind: EventKind::FirstToken(key.clone()) }
}

fn failed(at: u64, key: &TurnKey, kind: FailureKind) -> Event {
    Event { at, kind: EventKind::Failed(key.clone(), Failure::new(kind, "why")) }
}

fn ended(at: u64, key: &TurnKey) -> Event {
    Event { at, kind: EventKind::Complete(key.clone(), None) }
}

fn reply(tokens: u64, chunks: u32) -> Reply {
    let usage = Usage {
        prompt_tokens: 100,
        completion_tokens: tokens,
        cached_tokens: Some(60),
        reasoning_tokens: None,
    };
    Reply {
        content: Text { first: "a".to_owned(), rest: "b".to_owned() },
        finish_reason: Some(FinishReason::Stop),
        usage: Some(usage),
        chunks,
        ..Reply::default()
    }
}

fn complete(at: u64, key: &TurnKey, reply: Reply) -> Event {
    Event { at, kind: EventKind::Complete(key.clone(), Some(Box::new(reply))) }
}

fn session(at: u64, kind: EventKind) -> Event {
    Event { at, kind }
}

fn metrics(events: &[Event]) -> Metrics {
    let mut collector = Collector::new();
    for event in events {
        collector.push(event);
    }
    collector.finish()
}

const MS: u64 = 1_000_000;

/// Two turns of 1 s each inside the window, one after it.
fn replay() -> Vec<Event> {
    let (a, b, c) = (key(1, "a"), key(2, "b"), key(3, "b"));
    vec![
        session(0, EventKind::SessionStarted),
        session(0, EventKind::StartTracking),
        issued(0, &a),
        issued(0, &b),
        first_token(100 * MS, &a),
        first_token(200 * MS, &b),
        complete(1000 * MS, &a, reply(10, 9)),
        session(1000 * MS, EventKind::StopTracking),
        complete(2000 * MS, &b, reply(37, 9)),
        issued(2500 * MS, &c),
        first_token(2600 * MS, &c),
        complete(4000 * MS, &c, reply(1000, 9)),
        session(4000 * MS, EventKind::SessionEnded),
    ]
}

#[test]
fn the_window_holds_what_was_issued_in_it() {
    let metrics = metrics(&replay());
    assert_eq!((metrics.tracked.issued, metrics.total.issued), (2, 3));
    assert_eq!(metrics.window.duration_ns, Some(2000 * MS), "to the last tracked end");
    assert_eq!(metrics.total_duration_ns, Some(4000 * MS));
    assert_eq!(metrics.qps(), Some(1.0));
    assert_eq!(metrics.system_tps(), Some(47.0 / 2.0));
    assert_eq!(metrics.e2e_avg_interactivity(), Some(47.0 / 3.0));
    let tpot = metrics.window.tpot.as_ref().unwrap();
    assert_eq!((tpot.min.as_f64(), tpot.max.as_f64()), (50e6, 100e6));
    assert_eq!(metrics.tps_per_user(), Some(1e9 / 50e6), "p90 of two values is the lower one");
    assert_eq!(metrics.full_run_output_tokens.as_ref().unwrap().count, 3);
    assert_eq!(metrics.token_counts, TokenCounts::ServerReported);
    let cache = metrics.window.prefix_cache;
    assert_eq!((cache.turns, cache.prompt_tokens, cache.cached_tokens), (2, 200, 120));
}

#[test]
fn interactivity_is_left_out_with_failures() {
    let mut events = replay();
    let d = key(4, "d");
    let failing = [issued(10, &d), failed(20, &d, FailureKind::Reset), ended(20, &d)];
    events.splice(4..4, failing);
    let metrics = metrics(&events);
    assert_eq!((metrics.tracked.failed, metrics.tracked.completed), (1, 2));
    assert_eq!(metrics.e2e_avg_interactivity(), None);
    assert!(metrics.system_tps().is_some());
    assert_eq!(metrics.window.latency.unwrap().count, 2, "latencies are of completed turns");
    assert_eq!(metrics.failures_by_kind.get(&FailureKind::Reset), Some(&1));
}

#[test]
fn one_turn_without_usage_leaves_no_token_numbers() {
    let mut events = replay();
    let d = key(4, "d");
    let silent = Reply { usage: None, ..reply(5, 3) };
    events.splice(4..4, [issued(10, &d), first_token(15, &d), complete(20, &d, silent)]);
    let metrics = metrics(&events);
    assert_eq!(metrics.token_counts, TokenCounts::Missing { turns: 1 });
    assert_eq!((metrics.system_tps(), metrics.tps_per_user()), (None, None));
    assert!(metrics.window.output_tokens.is_none() && metrics.window.tpot.is_none());
    assert_eq!(metrics.window.ttft.unwrap().count, 3);
}

#[test]
fn replies_in_one_piece_have_no_time_per_token() {
    let a = key(1, "a");
    let events = [
        session(0, EventKind::StartTracking),
        issued(0, &a),
        first_token(5, &a),
        complete(5, &a, reply(10, 1)),
    ];
    let metrics = metrics(&events);
    assert!(metrics.window.tpot.is_none());
    assert_eq!(metrics.tps_per_user(), None);
}

#[test]
fn an_empty_log_gives_no_numbers() {
    let metrics = metrics(&[]);
    assert_eq!(metrics.window.duration_ns, None);
    assert_eq!((metrics.qps(), metrics.system_tps()), (None, None));
    assert_eq!(metrics.total_duration_ns, None);
}

#[test]
fn a_log_that_stops_in_the_middle_leaves_turns_pending() {
    let a = key(1, "a");
    let metrics = metrics(&[session(0, EventKind::StartTracking), issued(3, &a)]);
    assert_eq!((metrics.tracked.issued, metrics.tracked.pending()), (1, 1));
    assert_eq!(metrics.window.duration_ns, None);
}

#[test]
fn absurd_stamps_do_not_break_the_numbers() {
    let a = key(1, "a");
    let events = [
        session(u64::MAX, EventKind::StartTracking),
        issued(u64::MAX, &a),
        first_token(0, &a),
        complete(1, &a, reply(u64::MAX, 2)),
    ];
    let metrics = metrics(&events);
    assert_eq!(metrics.window.duration_ns, Some(0));
    assert_eq!(metrics.qps(), None, "no rate over no time");
}

#[test]
fn percentiles_are_lower_neighbours() {
    let stats = Stats::of_ints((1..=101).rev().collect(), false).unwrap();
    let values: Vec<f64> = stats.percentiles.iter().map(|&(_, value)| value).collect();
    assert_eq!(values, [100.0, 100.0, 98.0, 96.0, 91.0, 81.0, 76.0, 51.0, 26.0, 11.0, 6.0, 2.0]);
    assert_eq!((stats.median(), stats.avg), (51.0, 51.0));
    assert!((stats.std_dev - 29.300_170_6).abs() < 1e-7);
    assert!(stats.early_stopping.is_none());
}

#[test]
fn one_value_has_no_deviation() {
    let stats = Stats::of_ints(vec![0], true).unwrap();
    assert!(stats.std_dev.abs() < f64::EPSILON);
    // Buckets begin at 1, and what lies below counts in the first.
    assert!((stats.histogram[0].0.0 - 1.0).abs() < 1e-12);
    assert_eq!(stats.histogram[0].1, 1);
}

prop_compose! {
    fn any_turn()(
        issued_at in 0..1_000_000_u64, to_first in 0..1_000_000_u64, to_end in 0..1_000_000_u64,
        tokens in 0..5000_u64, chunks in 1..5_u32, fails in prop::bool::weighted(0.1),
    ) -> (u64, u64, u64, u64, u32, bool) {
        (issued_at, issued_at + to_first, issued_at + to_first + to_end, tokens, chunks, fails)
    }
}

/// The events of one turn, in their order.
fn turn_events(sample: u128, turn: (u64, u64, u64, u64, u32, bool)) -> Vec<Event> {
    let (issued_at, first_at, end_at, tokens, chunks, fails) = turn;
    let key = key(sample, "s");
    if fails {
        let failure = failed(end_at, &key, FailureKind::Reset);
        vec![issued(issued_at, &key), failure, ended(end_at, &key)]
    } else {
        let end = complete(end_at, &key, reply(tokens, chunks));
        vec![issued(issued_at, &key), first_token(first_at, &key), end]
    }
}

proptest! {
    /// Only a turn's own events have an order; which turn's stand first in the log says nothing.
    #[test]
    fn the_order_of_turns_does_not_matter(
        turns in prop::collection::vec(any_turn(), 0..30),
        seed in any::<u64>(),
    ) {
        let in_order: Vec<Vec<Event>> =
            (0..).zip(&turns).map(|(sample, &turn)| turn_events(sample, turn)).collect();
        let mut left: Vec<Vec<Event>> =
            in_order.iter().map(|events| events.iter().rev().cloned().collect()).collect();
        let opened = session(0, EventKind::StartTracking);
        let mut mixed = vec![opened.clone()];
        let mut state = seed | 1;
        while !left.is_empty() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = usize::try_from((state >> 33) % left.len() as u64).unwrap();
            mixed.extend(left[at].pop());
            left.retain(|events| !events.is_empty());
        }
        let plain: Vec<Event> =
            std::iter::once(opened).chain(in_order.into_iter().flatten()).collect();
        prop_assert_eq!(metrics(&mixed), metrics(&plain));
    }

    #[test]
    fn counts_always_add_up(turns in prop::collection::vec(any_turn(), 0..30)) {
        let events: Vec<Event> = (0..).zip(&turns).flat_map(|(at, &turn)| turn_events(at, turn)).collect();
        let metrics = metrics(&events);
        prop_assert_eq!(metrics.total.issued, metrics.total.completed + metrics.total.failed);
        prop_assert_eq!(metrics.failures_by_kind.values().sum::<u64>(), metrics.total.failed);
    }

    #[test]
    fn statistics_lie_within_the_values(
        values in prop::collection::vec(any::<u64>().prop_map(|value| value >> (value % 64)), 1..100)
    ) {
        let (count, min, max) = (values.len() as u64, *values.iter().min().unwrap(), *values.iter().max().unwrap());
        let stats = Stats::of_ints(values, true).unwrap();
        let held: u64 = stats.histogram.iter().map(|&(_, count)| count).sum();
        prop_assert_eq!(held, count);
        let low = stats.percentiles.last().unwrap().1;
        let high = stats.percentiles[0].1;
        prop_assert!(stats.min.as_f64() <= low && low <= high && high <= stats.max.as_f64());
        prop_assert!(stats.percentiles.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        // An early-stopping estimate is never below the plain percentile.
        for ((_, estimate), (_, plain)) in stats.early_stopping.unwrap().iter().zip(&stats.percentiles) {
            prop_assert!(estimate.is_none_or(|estimate| estimate >= *plain));
        }
        prop_assert_eq!((stats.min, stats.max), (super::Number::Int(min.into()), super::Number::Int(max.into())));
    }
}

/// A sound replay: conversation `a` with two turns, `b` with one that fails and one given up.
fn sound() -> Vec<Event> {
    let (a1, a2, b1, b2) = (key(1, "a"), key(2, "a"), key(3, "b"), key(4, "b"));
    vec![
        issued(0, &a1),
        issued(0, &b1),
        first_token(1, &a1),
        complete(2, &a1, reply(1, 1)),
        failed(3, &b1, FailureKind::Reset),
        ended(3, &b1),
        given_up(3, &b2),
        failed(3, &b2, FailureKind::PriorFailure),
        ended(3, &b2),
        issued(4, &a2),
        complete(5, &a2, reply(1, 1)),
    ]
}

const EXPECTED: Expected =
    Expected { planned: 4, skipped: 0, interrupted: false, concurrency: 2, salt_markers: 2 };

fn violations(events: &[Event], expected: Expected) -> Vec<String> {
    let mut check = SelfCheck::new();
    for event in events {
        check.push(event);
    }
    check.finish(expected, String::new()).violations.into_iter().map(|v| v.check).collect()
}

#[test]
fn a_sound_replay_violates_nothing() {
    assert_eq!(violations(&sound(), EXPECTED), [""; 0]);
    let mut check = SelfCheck::new();
    for event in sound() {
        check.push(&event);
    }
    let report = check.finish(EXPECTED, "d1".to_owned());
    insta::assert_json_snapshot!(report, @r#"
    {
      "planned": 4,
      "issued": 4,
      "skipped": 0,
      "sent": 3,
      "completed": 2,
      "failed": 2,
      "max_in_flight": 2,
      "max_in_flight_per_conversation": 1,
      "salt_markers": {
        "2": 3
      },
      "replay_digest": "d1",
      "resent": 0,
      "violations": []
    }
    "#);
}

#[test]
fn every_single_violation_is_caught() {
    type Spoil = fn(&mut Vec<Event>, &mut Expected);
    let cases: [(&str, Spoil); 15] = [
        ("planned-turns", |_, expected| expected.planned = 3),
        ("planned-turns", |_, expected| expected.planned = 5),
        ("planned-turns", |_, expected| expected.skipped = 1),
        ("planned-turns", |_, expected| (expected.interrupted, expected.planned) = (true, 3)),
        ("turns-ended", |events, _| drop(events.pop())),
        ("turns-in-flight", |_, expected| expected.concurrency = 1),
        ("turns-per-conversation", |events, expected| {
            let turn = events.remove(9);
            events.insert(3, turn);
            expected.concurrency = 3;
        }),
        ("salt-markers", |events, _| {
            if let EventKind::Issued(_, Some(prompt)) = &mut events[0].kind {
                prompt.salt_markers = 1;
            }
        }),
        ("salt-markers", |_, expected| expected.salt_markers = 0),
        ("issued-once", |events, _| events.push(issued(9, &key(1, "a")))),
        ("issued-once", |events, _| events.insert(1, issued(0, &key(1, "a")))),
        ("issued-first", |events, _| events.push(first_token(9, &key(9, "z")))),
        ("issued-first", |events, _| events.push(ended(9, &key(1, "a")))),
        ("failed-or-replied", |events, _| events[5] = complete(3, &key(3, "b"), reply(1, 1))),
        ("failed-or-replied", |events, _| drop(events.remove(4))),
    ];
    for (number, (check, spoil)) in cases.into_iter().enumerate() {
        let (mut events, mut expected) = (sound(), EXPECTED);
        spoil(&mut events, &mut expected);
        assert_eq!(violations(&events, expected), [check], "case {number}");
    }
}

#[test]
fn an_interrupted_replay_may_miss_turns() {
    let expected = Expected { planned: 9, interrupted: true, ..EXPECTED };
    assert_eq!(violations(&sound(), expected), [""; 0]);
}
