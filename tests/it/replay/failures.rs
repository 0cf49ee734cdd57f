//! What a failure does to a conversation, and what it leaves in the log.

use std::collections::BTreeMap;
use std::time::Duration;

use scenario::simulator::{Fault, FaultKind, Selector, When};
use scenario::wire::FailureKind;

use super::harness::{MS, Replay, made_library, reference_library};

#[tokio::test(start_paused = true)]
async fn an_error_fails_the_turn_and_gives_up_the_turns_behind_it() {
    let mut replay = Replay::new(reference_library(), 1, 2);
    replay.simulator.faults = vec![Fault {
        kind: status(500, None),
        selectors: vec![Selector::Turn(2), Selector::Session("sim_001".to_owned())],
    }];
    let outcome = replay.run().await;
    assert_eq!(outcome.check.violations, []);
    let failures = BTreeMap::from([(FailureKind::HttpStatus, 1), (FailureKind::PriorFailure, 3)]);
    assert_eq!(outcome.recorded.failures, failures);
    assert_eq!((outcome.recorded.planned, outcome.recorded.completed), (15, 11));
    assert_eq!((outcome.recorded.issued, outcome.recorded.sent), (15, 12));
    insta::assert_snapshot!(outcome.timeline_text());
}

#[tokio::test(start_paused = true)]
async fn a_turn_times_out_exactly_and_the_slot_moves_on() {
    let mut replay = Replay::new(made_library(2, 2, 0.0), 1, 1);
    replay.settings.turn_timeout = Duration::from_secs(30);
    replay.simulator.faults = vec![Fault {
        kind: FaultKind::Stall { after: 0, resume: None },
        selectors: vec![Selector::Session("sim_0".to_owned())],
    }];
    let outcome = replay.run().await;
    let failures = BTreeMap::from([(FailureKind::TurnTimeout, 1), (FailureKind::PriorFailure, 1)]);
    assert_eq!(outcome.recorded.failures, failures);
    assert_eq!(outcome.recorded.completed, 2);
    let timeline = outcome.timeline();
    let timeout = timeline.iter().find(|line| line.0 == "turn_timeout").unwrap();
    assert_eq!(timeout.3, 30_000);
    assert_eq!(outcome.recorded.ended_at, (30_000 + 2 * 8) * MS);
}

#[tokio::test(start_paused = true)]
async fn every_failure_leaves_a_consistent_log_and_ends() {
    let faults = [
        (status(500, None), FailureKind::HttpStatus),
        (status(429, Some(3)), FailureKind::HttpStatus),
        (FaultKind::Reset(When::BeforeHead), FailureKind::Reset),
        (FaultKind::Reset(When::After(0)), FailureKind::Reset),
        (FaultKind::Cut { after: 0 }, FailureKind::Reset),
        (FaultKind::Malformed { after: 0 }, FailureKind::MalformedStream),
        (FaultKind::Error { after: 0 }, FailureKind::ServerError),
        (FaultKind::Empty, FailureKind::EmptyReply),
        (FaultKind::Stall { after: 1, resume: None }, FailureKind::TurnTimeout),
    ];
    for (fault, expected) in faults {
        let mut replay = Replay::new(made_library(6, 3, 1.0), 2, 4);
        replay.settings.turn_timeout = Duration::from_mins(1);
        replay.simulator.faults =
            vec![Fault { kind: fault.clone(), selectors: vec![Selector::Every(4)] }];
        let outcome = replay.run().await;
        assert!(outcome.result.is_ok());
        assert_eq!(outcome.check.violations, [], "{fault:?}");
        let failed: u64 = outcome.recorded.failures.values().sum();
        let given_up = |kind: &FailureKind| *kind == expected || *kind == FailureKind::PriorFailure;
        assert!(outcome.recorded.failures[&expected] > 0, "{fault:?}");
        assert!(outcome.recorded.failures.keys().all(given_up), "{:?}", outcome.recorded.failures);
        assert_eq!(outcome.recorded.issued, 36, "{fault:?}");
        assert_eq!(outcome.recorded.completed + failed, 36, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_goes_away_fails_the_rest_and_the_replay_ends() {
    let mut replay = Replay::new(made_library(6, 2, 2.0), 1, 2);
    replay.simulator.faults =
        vec![Fault { kind: FaultKind::Refuse, selectors: vec![Selector::After(3)] }];
    let outcome = replay.run().await;
    assert_eq!(outcome.check.violations, []);
    assert!(outcome.recorded.failures[&FailureKind::Connect] > 0);
    assert_eq!(outcome.recorded.issued, 12);
}

fn status(code: u16, retry_after: Option<u64>) -> FaultKind {
    FaultKind::Status { code, retry_after, body: None }
}
