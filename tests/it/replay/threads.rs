//! Several measuring threads, in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use scenario::client::Connect;
use scenario::clock::Clock;
use scenario::prompt::RecordedTable;
use scenario::replay::{ReplayError, StopLevel, Threads};
use scenario::simulator::{Config, Simulator};
use scenario::wire::{Failure, FailureKind};
use tokio::io::DuplexStream;

use super::harness::{Pipes, Replay, made_library};

const SLOTS: u32 = 7;

fn simulator(replay: &Replay, clock: Clock, ttft: Duration) -> Arc<Simulator> {
    let table = Arc::new(RecordedTable::new(Arc::clone(&replay.library)));
    let config = Config { ttft, ..Config::default() };
    Simulator::new(config, Some(table), clock).unwrap()
}

#[tokio::test(start_paused = true)]
async fn three_threads_replay_what_one_does() {
    let outcome = Replay::new(made_library(20, 3, 0.001), 2, SLOTS).run().await;
    outcome.assert_clean();
    assert_eq!(outcome.recorded.digest, on_three_threads());
}

/// Replays the same on three threads.
fn on_three_threads() -> String {
    let work = || {
        let replay = Replay { probe: true, ..Replay::new(made_library(20, 3, 0.001), 2, SLOTS) };
        let clock = Clock::start();
        let pipes = Pipes(simulator(&replay, clock, Duration::from_millis(2)));
        let threads = Threads::new(3).unwrap();
        let outcome = replay.run_on_threads(&threads, clock, Arc::new(pipes), |_| ());
        outcome.assert_clean();
        assert_eq!(outcome.check.max_in_flight, u64::from(SLOTS));
        assert_eq!(outcome.recorded.planned, 120);
        let client = &outcome.recorded.client;
        assert_eq!(client.stamps, 240);
        assert!(client.loop_lag.is_some_and(|lag| lag.count > 0), "{client:?}");
        outcome.recorded.digest
    };
    // A thread without a runtime of its own.
    std::thread::spawn(work).join().unwrap()
}

#[test]
fn an_abort_reaches_every_thread() {
    let replay = Replay::new(made_library(20, 3, 0.0), 1, SLOTS);
    let clock = Clock::start();
    let pipes = Pipes(simulator(&replay, clock, Duration::from_mins(1)));
    let begun = Instant::now();
    let threads = Threads::new(3).unwrap();
    let outcome = replay.run_on_threads(&threads, clock, Arc::new(pipes), |stop| {
        std::thread::sleep(Duration::from_millis(300));
        stop.raise(StopLevel::Abort);
    });
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(outcome.result.is_ok());
    assert_eq!(outcome.recorded.issued, u64::from(SLOTS));
    assert_eq!(outcome.recorded.failures[&FailureKind::Interrupted], u64::from(SLOTS));
    assert_eq!(outcome.check.violations, []);
}

/// Panics at one of its connections.
struct Faulty {
    pipes: Pipes,
    opened: AtomicU32,
}

impl Connect for Faulty {
    type Io = DuplexStream;

    async fn connect(&self, url: usize) -> Result<DuplexStream, Failure> {
        assert_ne!(self.opened.fetch_add(1, Ordering::Relaxed), 5, "a defect");
        self.pipes.connect(url).await
    }
}

#[test]
fn a_defect_in_one_thread_ends_all() {
    let replay = Replay::new(made_library(20, 3, 0.0), 1, SLOTS);
    let clock = Clock::start();
    let pipes = Pipes(simulator(&replay, clock, Duration::from_mins(1)));
    let faulty = Faulty { pipes, opened: AtomicU32::new(0) };
    let begun = Instant::now();
    let threads = Threads::new(3).unwrap();
    let outcome = replay.run_on_threads(&threads, clock, Arc::new(faulty), |_| ());
    assert!(begun.elapsed() < Duration::from_secs(30));
    match outcome.result {
        Err(ReplayError::Panicked(text)) => assert!(text.contains("a defect"), "{text}"),
        other => panic!("{other:?}"),
    }
    let failures: u64 = outcome.recorded.failures.values().sum();
    assert_eq!((outcome.recorded.issued, outcome.recorded.completed), (failures, 0));
}
