//! The measured client: `scenario run` in a process of its own.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scenario::clock::nanos;
use scenario::events::{EventKind, Reader};
use serde_json::Value;

use crate::data::{Job, Stamps};
use crate::directory;
use crate::server::SCENARIO;

/// What a client took for a job; times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) turns: u64,
    pub(crate) failed: u64,
    pub(crate) sent_bytes: u64,
    /// From the first issue to the last reply.
    pub(crate) wall_ns: u64,
    /// CPU time of the client's process meanwhile.
    pub(crate) cpu_ns: u64,
    /// Of that, the recorder's thread.
    pub(crate) recorder_ns: u64,
    pub(crate) peak_bytes: u64,
    /// Fragments in all replies.
    pub(crate) chunks: u64,
    /// From the start of the process to the first request.
    pub(crate) start_ns: u64,
    /// From the last reply to the end of the process.
    pub(crate) results_ns: u64,
    pub(crate) log_bytes: u64,
    /// What the client says of itself.
    pub(crate) client: Value,
}

impl Measured {
    /// CPU microseconds a turn.
    pub(crate) fn cpu_us(&self) -> f64 {
        self.cpu_ns as f64 / 1e3 / self.turns.max(1) as f64
    }

    /// Turns a second.
    pub(crate) fn rate(&self) -> f64 {
        self.turns as f64 * 1e9 / self.wall_ns.max(1) as f64
    }
}

/// One turn of the event log; stamps of its clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) issued: u64,
    pub(crate) stamps: Option<Stamps>,
}

/// Turns by session, in order.
pub(crate) type Log = BTreeMap<Arc<str>, Vec<Turn>>;

/// Runs the job against the server at `url`.
pub(crate) fn measure(job: &Job, url: &str) -> (Measured, Log) {
    let started = SystemTime::now();
    let out = directory().join("results");
    let mut command = Command::new(SCENARIO);
    command.arg("run").arg(job.scenario(url)).arg("--out").arg(&out);
    command.args(["--run-id", "x", "--force", "--quiet"]).stdout(Stdio::null());
    if job.busy_poll {
        command.arg("--busy-poll");
    }
    let status = command.status().expect("the client runs");
    let ended = SystemTime::now();
    assert!(matches!(status.code(), Some(0 | 1)), "{status}");
    let folder = out.join(format!("bench/x/points/r{}", job.slots));
    read(&folder, started, ended)
}

fn read(folder: &Path, started: SystemTime, ended: SystemTime) -> (Measured, Log) {
    let json = |name: &str| -> Value {
        let bytes = std::fs::read(folder.join(name)).expect("a file of the run folder");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let (check, summary) = (json("self_check.json"), json("performance/result_summary.json"));
    let client = check["client"].clone();
    let number = |key: &str| client[key].as_u64().unwrap_or(0);
    let mut measured = Measured {
        turns: check["completed"].as_u64().unwrap_or(0),
        failed: check["failed"].as_u64().unwrap_or(0),
        cpu_ns: number("cpu_ns"),
        recorder_ns: number("recorder_cpu_ns"),
        peak_bytes: number("peak_memory_bytes"),
        ..Measured::default()
    };
    let path = folder.join("events.jsonl");
    measured.log_bytes = path.metadata().map_or(0, |meta| meta.len());
    let (log, first, last) = events(&path, &mut measured);
    measured.wall_ns = last.saturating_sub(first);
    measured.client = client;
    let origin = Duration::from_nanos(summary["test_started_at"].as_u64().unwrap_or(0));
    let at = |stamp: u64| UNIX_EPOCH + origin + Duration::from_nanos(stamp);
    let since = |later: SystemTime, earlier| later.duration_since(earlier).unwrap_or_default();
    measured.start_ns = nanos(since(at(first), started));
    measured.results_ns = nanos(since(ended, at(last)));
    (measured, log)
}

/// The turns, the first issue and the last end.
fn events(path: &PathBuf, measured: &mut Measured) -> (Log, u64, u64) {
    let file = File::open(path).expect("the event log");
    let (mut log, mut first, mut last) = (Log::new(), u64::MAX, 0);
    for event in Reader::new(BufReader::new(file)) {
        let event = event.expect("an event");
        match event.kind {
            EventKind::Issued(key, Some(prompt)) => {
                first = first.min(event.at);
                measured.sent_bytes += prompt.bytes.unwrap_or(0);
                let turn = Turn { issued: event.at, stamps: None };
                log.entry(key.session).or_default().push(turn);
            }
            EventKind::FirstToken(key) => {
                if let Some(turn) = log.get_mut(&key.session).and_then(|turns| turns.last_mut()) {
                    let since = event.at - turn.issued;
                    turn.stamps = Some(Stamps { first: since, end: since });
                }
            }
            EventKind::Complete(key, Some(reply)) => {
                last = last.max(event.at);
                measured.chunks += u64::from(reply.chunks);
                let turn = log.get_mut(&key.session).and_then(|turns| turns.last_mut());
                if let Some(Turn { issued, stamps: Some(stamps) }) = turn {
                    stamps.end = event.at - *issued;
                }
            }
            _ => {}
        }
    }
    (log, first.min(last), last)
}
