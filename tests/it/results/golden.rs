//! The reference client's event logs give the numbers that it reported itself.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use scenario::events::{Event, EventKind, Reader, Writer};
use scenario::metrics::{Collector, Expected, Metrics, SelfCheck};
use scenario::report::point_report;
use scenario::results::{PointState, ResultSummary, RunFacts};
use scenario::wire::FailureKind;
use serde_json::Value;

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub(super) fn json(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixture(name)).unwrap()).unwrap()
}

pub(super) fn events(name: &str) -> impl Iterator<Item = Event> {
    Reader::new(BufReader::new(File::open(fixture(name)).unwrap())).map(Result::unwrap)
}

fn metrics(name: &str) -> Metrics {
    let mut collector = Collector::new();
    events(name).for_each(|event| collector.push(&event));
    collector.finish()
}

pub(super) fn facts() -> RunFacts {
    RunFacts {
        version: "0.1.0".to_owned(),
        commit: None,
        started_at: UNIX_EPOCH + Duration::from_secs(1_796_007_741),
        state: PointState::Complete,
        simulated: false,
        client_limited: false,
        concurrency: 2,
        region: None,
        min_duration: None,
        benchmark: None,
        seed: 42,
        warmup_requests: 0,
    }
}

fn expected(planned: u64) -> Expected {
    Expected { planned, skipped: 0, interrupted: false, concurrency: 2, salt_markers: 2 }
}

fn summary(metrics: &Metrics) -> Value {
    serde_json::to_value(ResultSummary::new(metrics, &facts(), None)).unwrap()
}

/// Equal as JSON, numbers to 12 digits: the reference client's standard deviation loses some, and
/// the last bit of a logarithm may differ between systems.
pub(super) fn assert_alike(ours: &Value, theirs: &Value, place: &str) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys = |map: &serde_json::Map<String, Value>| {
                map.keys().map(String::clone).collect::<Vec<_>>()
            };
            assert_eq!(keys(ours), keys(theirs), "{place}");
            for (key, value) in ours {
                assert_alike(value, &theirs[key], &format!("{place}.{key}"));
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            assert_eq!(ours.len(), theirs.len(), "{place}");
            for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                assert_alike(ours, theirs, &format!("{place}[{at}]"));
            }
        }
        (Value::Number(ours), Value::Number(theirs)) if ours.is_f64() && theirs.is_f64() => {
            let (ours, theirs) = (ours.as_f64().unwrap(), theirs.as_f64().unwrap());
            assert!((ours - theirs).abs() <= theirs.abs() * 1e-12, "{place}: {ours} {theirs}");
        }
        (ours, theirs) => assert_eq!(ours, theirs, "{place}"),
    }
}

#[test]
fn the_window_and_its_numbers_are_the_reference_clients() {
    let metrics = metrics("reference-replay/events.jsonl");
    assert_eq!(metrics.tracked.issued, 27, "27 of the 30 turns lie inside the window");
    assert_eq!(metrics.total.issued, 30);
    let (ours, theirs) = (summary(&metrics), json("reference-replay/result_summary.json"));
    for key in [
        "n_samples_issued",
        "n_samples_completed",
        "n_samples_failed",
        "duration_ns",
        "state",
        "complete",
        "ttft",
        "latency",
        "legacy_loadgen_window_duration_ns",
        "qps",
        "finish_reason_counts",
    ] {
        assert_alike(&ours[key], &theirs[key], key);
    }
    // Its log holds no usage, and so there are no token numbers.
    assert_eq!(ours["token_counts"], "none");
    for key in ["tpot", "output_sequence_lengths", "input_sequence_lengths"] {
        assert_eq!(ours[key], serde_json::json!({}), "{key}");
    }
    assert_eq!(ours["tps"], Value::Null);
}

#[test]
fn every_field_of_the_reference_summary_is_there() {
    let ours = summary(&metrics("reference-replay/events.jsonl"));
    let theirs = json("reference-replay/result_summary.json");
    let missing: Vec<&String> =
        theirs.as_object().unwrap().keys().filter(|key| ours.get(*key).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn failed_turns_are_counted_apart() {
    let metrics = metrics("reference-errors/events.jsonl");
    let (ours, theirs) = (summary(&metrics), json("reference-errors/result_summary.json"));
    assert_eq!((&ours["n_samples_issued"], &theirs["n_samples_issued"]), (&14.into(), &14.into()));
    assert_eq!((&ours["n_samples_failed"], &theirs["n_samples_failed"]), (&4.into(), &4.into()));
    // The reference client counts failed turns as completed too.
    assert_eq!(
        (&ours["n_samples_completed"], &theirs["n_samples_completed"]),
        (&10.into(), &14.into())
    );
    for key in ["duration_ns", "ttft", "finish_reason_counts"] {
        assert_alike(&ours[key], &theirs[key], key);
    }
    // It also takes the time to fail for a latency; ours are of completed turns only.
    assert_eq!(metrics.window.latency.as_ref().unwrap().count, 10);
    let by_kind: Vec<_> = metrics.failures_by_kind.into_iter().collect();
    assert_eq!(by_kind, [(FailureKind::HttpStatus, 1), (FailureKind::PriorFailure, 3)]);
}

#[test]
fn the_reference_replay_passes_the_self_check() {
    let mut check = SelfCheck::new();
    events("reference-replay/events.jsonl").for_each(|event| check.push(&event));
    let report = check.finish(expected(30), String::new());
    assert_eq!(report.violations, []);
    assert_eq!((report.issued, report.sent, report.completed), (30, 30, 30));
    assert_eq!((report.max_in_flight, report.max_in_flight_per_conversation), (2, 1));
    assert_eq!(report.salt_markers.into_iter().collect::<Vec<_>>(), [(2, 30)]);
}

#[test]
fn given_up_turns_are_issued_but_not_sent() {
    let mut check = SelfCheck::new();
    events("reference-errors/events.jsonl").for_each(|event| check.push(&event));
    let report = check.finish(expected(15), String::new());
    assert_eq!(report.violations, []);
    assert_eq!((report.issued, report.sent, report.completed, report.failed), (15, 12, 11, 4));
}

#[test]
fn a_reference_log_survives_being_written_by_us() {
    for name in ["reference-replay/events.jsonl", "reference-errors/events.jsonl"] {
        let read: Vec<Event> = events(name).collect();
        let mut writer = Writer::new(Vec::new());
        for event in &read {
            writer.write(event).unwrap();
        }
        let log = writer.finish().unwrap();
        let back: Vec<Event> = Reader::new(log.as_slice()).map(Result::unwrap).collect();
        assert_eq!(back, read, "{name}");
        let mut collector = Collector::new();
        for event in &back {
            collector.push(event);
        }
        assert_eq!(collector.finish(), metrics(name), "{name}: the same numbers offline");
    }
}

#[test]
fn replies_are_put_together() {
    let replies: Vec<_> = events("reference-replay/events.jsonl")
        .filter_map(|event| match event.kind {
            EventKind::Complete(_, reply) => reply,
            _ => None,
        })
        .collect();
    assert_eq!(replies.len(), 30);
    let first = &replies[0];
    assert_eq!(first.reasoning.first, "tok000 ");
    assert_eq!(first.content.joined(), "");
    assert!(first.first_tool_calls.is_empty());
    let arguments: Vec<&str> =
        first.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(
        arguments,
        [
            r#"{"command":"python3 -m pytest -q tests"}"#,
            r#"{"command":"grep -rn \"foo\" . | head -5"}"#
        ]
    );
    let calls_first = &replies[2];
    assert_eq!(calls_first.first_tool_calls.len(), 1);
    assert_eq!(calls_first.first_tool_calls[0].name.as_deref(), Some("bash"));
    assert!(calls_first.tool_calls[0].name.is_none());
}

/// The lines of a report from one title to the next.
fn section<'a>(report: &'a str, title: &str) -> Vec<&'a str> {
    let of_section = |line: &&str| line.is_empty() || line.starts_with(' ');
    let start = report.lines().position(|line| line == title).unwrap_or_else(|| panic!("{title}"));
    report.lines().skip(start + 1).take_while(of_section).collect()
}

#[test]
fn the_report_reads_like_the_reference_clients() {
    let metrics = metrics("reference-replay/events.jsonl");
    let mut check = SelfCheck::new();
    events("reference-replay/events.jsonl").for_each(|event| check.push(&event));
    let ours = point_report(&facts(), &metrics, &check.finish(expected(30), String::new()), None);
    let theirs = std::fs::read_to_string(fixture("reference-replay/report.txt")).unwrap();
    for title in ["TTFT:", "Latency:"] {
        assert_eq!(section(&ours, title), section(&theirs, title), "{title}");
    }
}
