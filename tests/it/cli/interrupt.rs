//! SIGINT: once drains, twice aborts; both leave a run folder that says so.

use std::time::Duration;

use super::fixture;
use super::process::{Running, Sandbox};
use super::run::json;

/// Starts a run that waits in the middle of a turn of point r1: the embedded endpoint is slow.
fn started(ttft: &str) -> (Sandbox, Running) {
    let sandbox = Sandbox::new();
    sandbox.write("data.jsonl", &fixture::dataset());
    let endpoint = format!("{{ simulated: {{ ttft: {ttft}, inter_token: 1ms }} }}");
    sandbox.write("small.yaml", &fixture::scenario(&endpoint, ""));
    let mut run = sandbox.start(&["run", "small.yaml", "--run-id", "x"]);
    let partial = sandbox.path("results/small/x/points/.r1.partial/events.jsonl");
    run.wait_until(|| partial.exists());
    std::thread::sleep(Duration::from_millis(300));
    (sandbox, run)
}

/// The self-check of the only point that was started.
fn check(sandbox: &Sandbox) -> serde_json::Value {
    assert!(!sandbox.path("results/small/x/points/r2").exists());
    let manifest = json(sandbox, "results/small/x/manifest.json");
    assert_eq!(manifest["state"], "interrupted");
    assert_eq!(manifest["points"][0]["state"], "interrupted");
    assert_eq!(manifest["points"][1]["state"], "planned");
    let summary = json(sandbox, "results/small/x/points/r1/performance/result_summary.json");
    assert_eq!((&summary["complete"], &summary["state"]), (&false.into(), &"interrupted".into()));
    json(sandbox, "results/small/x/points/r1/self_check.json")
}

#[test]
fn once_waits_for_the_turns_in_flight() {
    let (sandbox, run) = started("1s");
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert_eq!(done.last_line(), "results/small/x");
    assert!(done.stderr.contains("waiting for the turns in flight"), "{done}");
    let check = check(&sandbox);
    assert_eq!((&check["issued"], &check["completed"]), (&1.into(), &1.into()));
    assert_eq!(check["skipped"], 11);
    assert_eq!(check["violations"], serde_json::json!([]));
}

#[test]
fn twice_gives_them_up() {
    let (sandbox, run) = started("1h");
    run.signal("INT");
    std::thread::sleep(Duration::from_millis(200));
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert_eq!(done.last_line(), "results/small/x");
    let check = check(&sandbox);
    assert_eq!((&check["issued"], &check["failed"]), (&1.into(), &1.into()));
    let log = sandbox.read("results/small/x/points/r1/events.jsonl");
    assert!(log.contains(r#""kind":"interrupted""#), "{log}");
}
