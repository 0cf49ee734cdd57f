//! What a replay asked of the machine that runs the client, and whether that was too much.

use std::collections::VecDeque;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::clock::Nanos;

/// The least lateness that counts: 1 ms.
const TOLERANCE: Nanos = 1_000_000;
/// From this share of their time on, the measuring threads count as saturated.
const SATURATED_PERCENT: u32 = 90;
/// The longest lateness that is told apart: an hour.
const MAX_LATE: Nanos = 3_600_000_000_000;
/// The most probes that one pause of the event loop counts for.
const MAX_MISSED: u64 = 10_000;
/// Stamps that are kept until it is known whether the event loop was behind when they were taken.
const MAX_RECENT: usize = 1 << 16;

/// What the client itself took while one point was replayed, so that a reader can tell whether it
/// was the endpoint that was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientLoad {
    /// From the start of the replay to its end, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of the whole process meanwhile, in nanoseconds; the embedded simulated endpoint is
    /// in it where that was used.
    pub cpu_ns: u64,
    /// Of that, the recorder's thread: event log, digests, metrics, progress.
    pub recorder_cpu_ns: u64,
    /// The most physical memory that the process took so far, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// Whether the threads that measure never slept (`run --busy-poll`); then most of `cpu_ns` is
    /// theirs, whatever they did.
    #[serde(default, skip_serializing_if = "is_false")]
    pub busy_poll: bool,
    /// Share of the replay in which the threads that measure had something to do, in percent; none
    /// where they never slept.
    #[serde(default)]
    pub busy_percent: Option<u32>,
    /// How late the event loop ran what was due, probed every few milliseconds; none where it was
    /// not probed.
    #[serde(default)]
    pub loop_lag: Option<Lateness>,
    /// How long after they could have gone out (end of the reply before plus delay) turns were
    /// issued.
    #[serde(default)]
    pub issue_delay: Option<Lateness>,
    /// Stamps of first tokens and ends of replies.
    #[serde(default)]
    pub stamps: u64,
    /// Of these, stamps taken while the event loop was more than 1 ms behind: they may be late by
    /// as much.
    #[serde(default)]
    pub late_stamps: u64,
    /// Why the client, not the endpoint, may have set the numbers of this point; empty where
    /// nothing says so.
    #[serde(default)]
    pub limits: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_false(value: &bool) -> bool {
    !value
}

/// How late things were, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lateness {
    /// How many were looked at.
    pub count: u64,
    /// The median.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The worst.
    pub max_ns: u64,
    /// How many were later than 1 ms.
    pub late: u64,
}

impl ClientLoad {
    /// Why the numbers of the point may be the client's, where its median time to first token was
    /// `ttft`. Lateness counts that exceeds 1 ms and also 1 % of that time: less distorts nothing.
    pub fn find_limits(&self, ttft: Option<Nanos>) -> Vec<String> {
        let tolerance = (ttft.unwrap_or(0) / 100).max(TOLERANCE);
        let mut limits = Vec::new();
        let mut late = |what: &str, lateness: Option<Lateness>| {
            if let Some(found) = lateness.filter(|found| found.p99_ns > tolerance) {
                let (p99, allowed) = (millis(found.p99_ns), millis(tolerance));
                limits.push(format!("{what}: p99 {p99}, more than {allowed}"));
            }
        };
        late("the event loop ran late", self.loop_lag);
        late("turns were issued late", self.issue_delay);
        if let Some(busy) = self.busy_percent.filter(|busy| *busy >= SATURATED_PERCENT) {
            limits.push(format!("the threads that measure were busy {busy} % of the time"));
        }
        limits
    }

    /// One line for people: how punctual the client was.
    pub fn summary(&self) -> Option<String> {
        let lag = self.loop_lag?;
        let busy = self.busy_percent.map_or(String::new(), |busy| format!(", busy {busy} %"));
        Some(format!(
            "event loop late p50 {}, p99 {}, max {}{busy}; {} of {} stamps taken while it was late",
            millis(lag.p50_ns),
            millis(lag.p99_ns),
            millis(lag.max_ns),
            self.late_stamps,
            self.stamps
        ))
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn millis(nanos: Nanos) -> String {
    format!("{:.3} ms", nanos as f64 / 1e6)
}

/// Gathers how punctual one event loop of a replay was.
#[derive(Debug)]
pub struct Punctuality {
    lag: Series,
    issue: Series,
    /// Stamps since the last probe that was on time.
    recent: VecDeque<Nanos>,
    /// Until when the event loop was behind, and for how long after that its backlog lasts at most.
    behind_until: Nanos,
    stamps: u64,
    late_stamps: u64,
}

impl Default for Punctuality {
    fn default() -> Self {
        Self {
            lag: Series::new(),
            issue: Series::new(),
            recent: VecDeque::new(),
            behind_until: 0,
            stamps: 0,
            late_stamps: 0,
        }
    }
}

impl Punctuality {
    /// Takes a probe of the event loop: something due at `due` ran at `at`. Where probes follow each
    /// other by `period`, a longer pause counts as the probes that it kept from being made.
    pub fn probe(&mut self, due: Nanos, at: Nanos, period: Nanos) {
        let late = at.saturating_sub(due);
        let missed = (0..MAX_MISSED).map(|probe| late.saturating_sub(probe * period));
        missed.take_while(|late| *late > 0).for_each(|late| self.lag.record(late));
        if late == 0 {
            self.lag.record(0);
        }
        if late > TOLERANCE {
            // What came in after `due` waited too, and some of it still does.
            self.late_stamps += self.recent.iter().filter(|stamp| **stamp > due).count() as u64;
            self.behind_until = at.saturating_add(TOLERANCE);
        }
        self.recent.clear();
    }

    /// Takes a turn that could have been issued at `ready` and was at `at`.
    pub fn issued(&mut self, ready: Nanos, at: Nanos) {
        self.issue.record(at.saturating_sub(ready));
    }

    /// Takes the stamp of a first token or of the end of a reply.
    pub fn stamp(&mut self, at: Nanos) {
        self.stamps += 1;
        if at <= self.behind_until {
            self.late_stamps += 1;
        } else if self.recent.len() < MAX_RECENT {
            self.recent.push_back(at);
        }
    }

    /// Adds what was gathered of another event loop. What either learns afterwards concerns only
    /// itself, so this is for the end.
    pub fn absorb(&mut self, other: &Self) {
        self.lag.absorb(&other.lag);
        self.issue.absorb(&other.issue);
        self.stamps += other.stamps;
        self.late_stamps += other.late_stamps;
    }

    /// Puts what was gathered into `load`.
    pub fn finish(&self, load: &mut ClientLoad) {
        load.loop_lag = self.lag.summary();
        load.issue_delay = self.issue.summary();
        (load.stamps, load.late_stamps) = (self.stamps, self.late_stamps);
    }
}

/// Lateness of many things, within 1 %.
#[derive(Debug)]
struct Series {
    histogram: Histogram<u64>,
    late: u64,
}

impl Series {
    fn new() -> Self {
        let histogram = Histogram::new_with_max(MAX_LATE, 2);
        Self { histogram: histogram.expect("two significant digits are allowed"), late: 0 }
    }

    fn record(&mut self, late: Nanos) {
        self.histogram.saturating_record(late);
        self.late += u64::from(late > TOLERANCE);
    }

    fn absorb(&mut self, other: &Self) {
        self.histogram.add(&other.histogram).expect("both tell the same range apart");
        self.late += other.late;
    }

    fn summary(&self) -> Option<Lateness> {
        let histogram = &self.histogram;
        (!histogram.is_empty()).then(|| Lateness {
            count: histogram.len(),
            p50_ns: histogram.value_at_quantile(0.5),
            p99_ns: histogram.value_at_quantile(0.99),
            max_ns: histogram.max(),
            late: self.late,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn stamps_taken_while_the_loop_was_behind_are_late() {
        let mut punctual = Punctuality::default();
        punctual.probe(2 * MS, 2 * MS, 2 * MS);
        // On time; then the loop stands still from 4 to 14 ms, and a stamp waits behind the probe.
        for stamp in [3 * MS, 13 * MS] {
            punctual.stamp(stamp);
        }
        punctual.probe(4 * MS, 14 * MS, 2 * MS);
        punctual.stamp(14 * MS + 1);
        punctual.stamp(16 * MS);
        punctual.probe(16 * MS, 16 * MS, 2 * MS);
        let mut load = ClientLoad::default();
        punctual.finish(&mut load);
        assert_eq!((load.stamps, load.late_stamps), (4, 2));
        let lag = load.loop_lag.unwrap();
        // 10, 8, 6, 4, 2 ms late instead of five probes on time.
        assert_eq!((lag.count, lag.late), (7, 5));
        assert!(lag.max_ns >= 10 * MS && lag.max_ns < 11 * MS, "{lag:?}");
        assert_eq!(load.issue_delay, None);
    }

    #[test]
    fn event_loops_are_judged_apart_and_summed_up() {
        let (mut late, mut prompt) = (Punctuality::default(), Punctuality::default());
        for one in [&mut late, &mut prompt] {
            one.stamp(5 * MS);
            one.issued(MS, MS);
        }
        late.probe(4 * MS, 6 * MS, 2 * MS);
        prompt.probe(4 * MS, 4 * MS, 2 * MS);
        prompt.absorb(&late);
        let mut load = ClientLoad::default();
        prompt.finish(&mut load);
        assert_eq!((load.stamps, load.late_stamps), (2, 1));
        let (lag, issue) = (load.loop_lag.unwrap(), load.issue_delay.unwrap());
        assert_eq!((lag.count, lag.late), (2, 1));
        assert!(lag.max_ns >= 2 * MS && lag.p50_ns == 0, "{lag:?}");
        assert_eq!((issue.count, issue.late), (2, 0));
    }

    fn late(p99_ns: Nanos) -> Lateness {
        Lateness { count: 10, p99_ns, ..Lateness::default() }
    }

    #[test]
    fn a_point_is_limited_by_lateness_that_distorts_or_by_saturation() {
        let load = ClientLoad { loop_lag: Some(late(2 * MS)), ..ClientLoad::default() };
        assert_eq!(
            load.find_limits(Some(20 * MS)),
            ["the event loop ran late: p99 2.000 ms, more than 1.000 ms"]
        );
        // Two milliseconds of half a second are less than 1 %.
        assert!(load.find_limits(Some(500 * MS)).is_empty());
        assert_eq!(load.find_limits(None).len(), 1);
        let load = ClientLoad {
            issue_delay: Some(late(MS + 1)),
            busy_percent: Some(90),
            ..ClientLoad::default()
        };
        let limits = load.find_limits(Some(MS));
        assert_eq!(limits.len(), 2, "{limits:?}");
        assert!(limits[1].contains("busy 90 %"));
        assert!(
            ClientLoad { busy_percent: Some(89), ..ClientLoad::default() }
                .find_limits(None)
                .is_empty()
        );
    }
}
