//! The live view of a run: a bar on a terminal, a plain line every few seconds otherwise.
//!
//! It runs on a thread of its own and only looks at the newest snapshot, so that drawing never
//! stands between a turn and its stamps.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;

use super::console::{Console, LiveView};
use crate::clock::Clock;
use crate::replay::Live;

/// How often the terminal is redrawn.
const REDRAW: Duration = Duration::from_millis(200);
/// How often a plain line is printed.
const PLAIN: Duration = Duration::from_secs(3);

/// The running live view.
pub(crate) struct Progress {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// Starts to show what comes through `live`; nothing when the console is quiet.
    pub(crate) fn start(console: &Arc<Console>, live: watch::Receiver<Live>) -> Self {
        let (stop, stopped) = mpsc::channel();
        let console = Arc::clone(console);
        let thread = std::thread::spawn(move || follow(&console, live, &stopped));
        Self { stop, thread }
    }

    /// Takes the view off the terminal.
    pub(crate) fn finish(self) {
        drop(self.stop);
        // A view that panicked is no reason to lose a run's results.
        let _ = self.thread.join();
    }
}

/// Shows snapshots until the other end of `stopped` is dropped.
fn follow(console: &Console, mut live: watch::Receiver<Live>, stopped: &mpsc::Receiver<()>) {
    let view = console.live_view();
    let interval = match view {
        LiveView::Off => return,
        LiveView::Lines => PLAIN,
        LiveView::Bar => REDRAW,
    };
    let clock = Clock::start();
    let (mut newest, mut newest_at) = (Live::default(), 0);
    while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
        if live.has_changed().unwrap_or(false) {
            newest = live.borrow_and_update().clone();
            newest_at = clock.now();
        }
        let now = later(&newest, Duration::from_nanos(clock.now().saturating_sub(newest_at)));
        // Between two points there is nothing to tell.
        if now.turns_total == 0 || now.turns_done >= now.turns_total {
            continue;
        }
        match view {
            LiveView::Bar => {
                let above = format!("{}, {}", headline(&now), times(&now));
                console.draw_bar(&above, now.turns_done, now.turns_total, &details(&now));
            }
            _ => console.message(&plain_line(&now)),
        }
    }
    console.clear_bar();
}

/// The snapshot some time after it was taken: while every turn is in flight none comes, and time
/// goes on.
fn later(live: &Live, by: Duration) -> Live {
    Live {
        elapsed: live.elapsed.saturating_add(by),
        remaining: live.remaining.map(|remaining| remaining.saturating_sub(by)),
        ..live.clone()
    }
}

/// `point 2/4, concurrency 8`.
fn headline(live: &Live) -> String {
    format!("point {}/{}, concurrency {}", live.point, live.points, live.concurrency)
}

/// Everything on one line, for a log.
fn plain_line(live: &Live) -> String {
    let (done, total) = (live.turns_done, live.turns_total);
    format!("{}: {done}/{total} turns, {}, {}", headline(live), details(live), times(live))
}

/// What stands below the bar.
fn details(live: &Live) -> String {
    let mut out = String::new();
    let slots = if live.active_slots == 1 { "slot" } else { "slots" };
    let _ = write!(out, "{} active {slots}, {:.1} turns/s", live.active_slots, live.turns_per_s);
    if let (Some(p50), Some(p90)) = (live.ttft_p50, live.ttft_p90) {
        let _ = write!(out, ", TTFT p50 {} p90 {}", millis(p50), millis(p90));
    }
    if live.failures.is_empty() {
        out.push_str(", no failures");
    } else {
        let classes: Vec<String> =
            live.failures.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        let _ = write!(out, ", failed: {}", classes.join(" "));
    }
    out
}

/// `1m07s elapsed, about 2m10s left`.
fn times(live: &Live) -> String {
    let mut out = format!("{} elapsed", clock_text(live.elapsed));
    if let Some(remaining) = live.remaining {
        let _ = write!(out, ", about {} left", clock_text(remaining));
    }
    out
}

/// A latency in milliseconds, with a decimal below ten.
fn millis(duration: Duration) -> String {
    let millis = duration.as_secs_f64() * 1000.0;
    if millis < 10.0 { format!("{millis:.1} ms") } else { format!("{millis:.0} ms") }
}

/// A longer time: `42s`, `3m07s`, `2h05m`.
pub(crate) fn clock_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FailureKind;

    fn live() -> Live {
        Live {
            point: 2,
            points: 4,
            concurrency: 8,
            turns_done: 57,
            turns_total: 103,
            active_slots: 8,
            turns_per_s: 5.123,
            ttft_p50: Some(Duration::from_micros(9_640)),
            ttft_p90: Some(Duration::from_millis(41)),
            elapsed: Duration::from_secs(67),
            remaining: Some(Duration::from_mins(65)),
            ..Live::default()
        }
    }

    #[test]
    fn a_plain_line_holds_everything() {
        insta::assert_snapshot!(plain_line(&live()), @"point 2/4, concurrency 8: 57/103 turns, 8 active slots, 5.1 turns/s, TTFT p50 9.6 ms p90 41 ms, no failures, 1m07s elapsed, about 1h05m left");
    }

    #[test]
    fn time_goes_on_between_snapshots() {
        let later = later(&live(), Duration::from_secs(10));
        assert_eq!(later.elapsed, Duration::from_secs(77));
        assert_eq!(later.remaining, Some(Duration::from_secs(3_890)));
    }

    #[test]
    fn failures_stand_by_class_and_what_is_unknown_is_left_out() {
        let failures = [(FailureKind::Reset, 2), (FailureKind::HttpStatus, 1)].into();
        let live = Live { active_slots: 1, ttft_p50: None, failures, ..live() };
        insta::assert_snapshot!(details(&live), @"1 active slot, 5.1 turns/s, failed: 1 http_status 2 reset");
    }
}
