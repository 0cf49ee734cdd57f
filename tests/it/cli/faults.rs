//! What goes wrong at the endpoint gives a finished, honest run folder, or a clear error before
//! any point starts.

use serde_json::Value;

use super::fixture::{self, TURNS};
use super::process::{Done, Sandbox, assert_done};
use super::run::json;

/// The failures by class of a point, from its summary; the run must be finished and sound.
fn failures(sandbox: &Sandbox, done: &Done, point: &str) -> Value {
    assert_eq!(done.code, Some(1), "{done}");
    let folder = format!("{}/points/{point}", done.last_line());
    let check = json(sandbox, &format!("{folder}/self_check.json"));
    assert_eq!(check["violations"], Value::Array(Vec::new()), "{done}");
    assert_eq!(check["planned"], TURNS);
    let sum = |keys: [&str; 2]| keys.iter().map(|key| check[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(["issued", "skipped"]), TURNS);
    assert_eq!(sum(["completed", "failed"]), check["issued"].as_u64().unwrap());
    let hidden = sandbox.files(&format!("{}/points", done.last_line()));
    assert!(hidden.iter().all(|file| !file.contains("/.")), "{hidden:?}");
    json(sandbox, &format!("{folder}/performance/result_summary.json"))["failures_by_kind"].clone()
}

/// The failures of one point against a server with this fault.
fn with_fault(fault: &str, more: &str) -> String {
    let (sandbox, _server) = fixture::served(&["--fault", fault], more);
    let done = sandbox.run(&["run", "small.yaml", "-q", "--points", "2"]);
    failures(&sandbox, &done, "r2").to_string()
}

#[test]
fn statuses_are_failed_turns_with_the_servers_message() {
    assert_eq!(
        with_fault("status=500,body=out of blocks", ""),
        r#"{"http_status":3,"prior_failure":9}"#
    );
    let fault = "status=429,retry-after=2@turn:3";
    assert_eq!(with_fault(fault, ""), r#"{"http_status":3,"prior_failure":3}"#);
}

#[test]
fn broken_streams_are_told_apart() {
    let cases = [
        ("reset=1@turn:4", r#"{"reset":3}"#),
        ("cut=1@turn:4", r#"{"reset":3}"#),
        ("malformed=1@turn:4", r#"{"malformed_stream":3}"#),
        ("error=1@turn:4", r#"{"server_error":3}"#),
        ("empty@turn:4", r#"{"empty_reply":3}"#),
    ];
    let found = cases.map(|(fault, _)| (fault, with_fault(fault, "")));
    let found: Vec<(&str, &str)> = found.iter().map(|(f, text)| (*f, text.as_str())).collect();
    assert_eq!(found, cases);
}

#[test]
fn a_stream_that_stalls_ends_with_the_turn_timeout() {
    let load = "load: { concurrency: [1, 2], turn_timeout: 300ms }\n";
    assert_eq!(with_fault("stall=1@turn:2", load), r#"{"prior_failure":6,"turn_timeout":3}"#);
}

#[test]
fn a_dead_endpoint_is_an_error_before_any_point_starts() {
    let (sandbox, server) = fixture::served(&[], "");
    drop(server);
    assert_done!(sandbox.run(&["run", "small.yaml"]), @r"
    exit code: 3
    ----- stdout -----

    ----- stderr -----
    error: http://127.0.0.1:[PORT]: the endpoint cannot be reached
      because: cannot connect to http://127.0.0.1:[PORT]: Connection refused (os error 111); is the server running?

    help: start the server, or correct endpoint.urls; `scenario probe URL` shows what a server answers
    ");
    assert!(!sandbox.path("results").exists());
}

#[test]
fn a_server_killed_in_the_middle_leaves_finished_run_folders() {
    let delays = "load: { concurrency: [3, 2], tool_delays: { scale: 30 } }\n";
    let (sandbox, server) = fixture::served(&[], delays);
    let mut run = sandbox.start(&["run", "small.yaml", "-q", "--run-id", "x"]);
    let log = sandbox.path("results/small/x/points/.r3.partial/events.jsonl");
    run.wait_until(|| log.exists());
    // The delays alone take more than a second.
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(server);
    let done = run.wait();
    let first = failures(&sandbox, &done, "r3");
    let kinds: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert!(kinds.iter().all(|k| ["connect", "reset", "prior_failure"].contains(&k.as_str())));
    assert_eq!(
        failures(&sandbox, &done, "r2"),
        serde_json::json!({
            "connect": 3, "prior_failure": 9
        })
    );
}
