//! When turns are issued, answered and counted.

use std::time::Duration;

use scenario::metrics::ClientLoad;
use scenario::replay::{Recorded, StopLevel};
use scenario::scenario::model::{Scaled, Tail, ToolDelays};

use super::harness::{MS, Outcome, Replay, made_library, reference_library};

#[tokio::test(start_paused = true)]
async fn every_stamp_of_a_small_replay_is_exact() {
    let mut replay = Replay::new(made_library(3, 2, 0.25), 1, 2);
    replay.simulator.ttft = Duration::from_millis(100);
    let outcome = replay.run().await;
    outcome.assert_clean();
    insta::assert_snapshot!(outcome.timeline_text());
}

#[tokio::test(start_paused = true)]
async fn the_window_of_the_reference_replay_holds_27_of_its_30_turns() {
    // The recorded latencies range from 9 to 26 ms, with a mean of 18 ms.
    for latency in [9, 18, 26] {
        let mut replay = Replay::new(reference_library(), 2, 2);
        replay.simulator.ttft = Duration::from_millis(latency);
        replay.simulator.inter_token = Duration::ZERO;
        let outcome = replay.run().await;
        outcome.assert_clean();
        assert_eq!(outcome.metrics.tracked.issued, 27, "{latency} ms");
        assert_eq!(outcome.metrics.total.issued, 30, "{latency} ms");
        let after: Vec<String> = outcome
            .timeline()
            .into_iter()
            .skip_while(|line| line.0 != "window closes")
            .filter(|line| line.0 == "issued")
            .map(|(_, session, turn, _)| format!("{session} {turn}"))
            .collect();
        let tail =
            ["plain-conv_1__repeat_2 1", "plain-conv_1__repeat_2 3", "plain-conv_1__repeat_2 5"];
        assert_eq!(after, tail, "{latency} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_turns_with_hour_long_delays_give_the_same_log_twice() {
    let run = || async {
        let outcome = Replay::new(made_library(500, 10, 3600.0), 2, 64).run().await;
        outcome.assert_clean();
        // What the recorder's thread took is real time, and so never the same.
        let client = ClientLoad { recorder_cpu_ns: 0, ..outcome.recorded.client };
        Outcome { recorded: Recorded { client, ..outcome.recorded }, ..outcome }
    };
    let (first, second) = (run().await, run().await);
    assert_eq!(first.recorded.planned, 10_000);
    assert_eq!(first.check.max_in_flight_per_conversation, 1);
    assert!(first.log == second.log, "the logs differ");
    assert_eq!(first.recorded, second.recorded);
    // 1,000 trajectories in 64 slots take 16 rounds of nine hours of delay each.
    assert_eq!(first.recorded.ended_at / (3600 * 1000 * MS), 16 * 9);
}

#[tokio::test(start_paused = true)]
async fn delays_count_in_no_latency_and_the_first_row_s_is_waited_out_too() {
    let outcome = Replay::new(made_library(1, 4, 7200.0), 1, 1).run().await;
    let latency = outcome.metrics.window.latency.unwrap();
    // "ok" is one token: the reply is complete with its first and only fragment.
    assert_eq!(latency.percentile(99.9), Some(8.0 * 1e6));
}

#[tokio::test(start_paused = true)]
async fn delays_can_be_scaled_or_left_out() {
    let ended = async |tool_delays| {
        let mut replay = Replay::new(made_library(1, 3, 10.0), 1, 1);
        replay.settings.tool_delays = tool_delays;
        replay.run().await.recorded.ended_at / MS
    };
    assert_eq!(ended(ToolDelays::Recorded).await, 20_000 + 3 * 8);
    assert_eq!(ended(ToolDelays::None).await, 3 * 8);
    let scaled = Scaled { scale: 0.5, max: None };
    assert_eq!(ended(ToolDelays::Scaled(scaled)).await, 10_000 + 3 * 8);
}

#[tokio::test(start_paused = true)]
async fn a_tail_that_stops_issues_nothing_after_the_window() {
    let mut replay = Replay::new(made_library(3, 3, 1.0), 1, 2);
    replay.settings.tail = Tail::Stop;
    let outcome = replay.run().await;
    assert!(outcome.result.is_ok());
    let skipped = outcome.recorded.skipped;
    assert_eq!((outcome.recorded.planned, skipped.interrupted), (9, 0));
    assert_eq!(outcome.recorded.issued + skipped.tail, 9);
    assert!(skipped.tail > 0);
    let closes = outcome.timeline().iter().position(|line| line.0 == "window closes").unwrap();
    assert!(outcome.timeline()[closes..].iter().all(|line| line.0 != "issued"));
}

#[tokio::test(start_paused = true)]
async fn draining_waits_for_turns_in_flight_and_issues_no_more() {
    let mut replay = Replay::new(made_library(4, 3, 60.0), 1, 2);
    replay.simulator.ttft = Duration::from_secs(10);
    let outcome = replay
        .run_while(|stop, clock| async move {
            clock.sleep_until(75_000 * MS).await;
            stop.raise(StopLevel::Drain);
        })
        .await;
    assert!(outcome.result.is_ok());
    // Two slots had issued turns 1 (at 0 s) and 3 (at 70 s); turns 3 were in flight at 75 s.
    assert_eq!(outcome.recorded.issued, 4);
    assert_eq!(outcome.recorded.completed, 4);
    assert_eq!(outcome.recorded.skipped.interrupted, 8);
    assert_eq!(outcome.recorded.ended_at, 80_000 * MS);
    assert_eq!(outcome.check.violations, []);
}

#[tokio::test(start_paused = true)]
async fn draining_ends_a_delay_at_once() {
    let outcome = Replay::new(made_library(2, 2, 3600.0), 1, 2)
        .run_while(|stop, clock| async move {
            clock.sleep_until(1_000 * MS).await;
            stop.raise(StopLevel::Drain);
        })
        .await;
    assert_eq!(outcome.recorded.ended_at, 1_000 * MS);
    assert_eq!((outcome.recorded.completed, outcome.recorded.skipped.interrupted), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn aborting_gives_up_turns_in_flight_and_says_so() {
    let mut replay = Replay::new(made_library(2, 2, 0.0), 1, 2);
    replay.simulator.ttft = Duration::from_secs(10);
    let outcome = replay
        .run_while(|stop, clock| async move {
            clock.sleep_until(1_000 * MS).await;
            stop.raise(StopLevel::Abort);
        })
        .await;
    insta::assert_snapshot!(outcome.timeline_text());
    assert_eq!(outcome.check.violations, []);
    assert_eq!((outcome.recorded.issued, outcome.recorded.skipped.interrupted), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn more_slots_than_trajectories_are_not_opened() {
    let outcome = Replay::new(made_library(3, 1, 0.0), 1, 512).run().await;
    outcome.assert_clean();
    assert_eq!(outcome.check.max_in_flight, 3);
    assert_eq!(outcome.recorded.ended_at, 8 * MS);
}

#[tokio::test(start_paused = true)]
async fn the_recorded_digest_is_the_planned_one() {
    let library = reference_library();
    let replay = Replay::new(library.clone(), 2, 2);
    let planned = scenario::replay::planned_digest(&library, &replay.sequence);
    assert_eq!(replay.run().await.recorded.digest, planned);
}
