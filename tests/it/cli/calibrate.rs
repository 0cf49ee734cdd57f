//! `scenario calibrate`, and what a run makes of it.

use serde_json::{Value, json};

use super::fixture;
use super::process::Sandbox;
use super::run::json as read;

/// A quick calibration in `machine.json`.
fn calibrated(sandbox: &Sandbox) -> Value {
    let arguments = ["calibrate", "--quick", "--format", "json", "--out", "machine.json"];
    let done = sandbox.run(&arguments);
    assert_eq!(done.code, Some(0), "{done}");
    let kept = read(sandbox, "machine.json");
    assert_eq!(serde_json::from_str::<Value>(&done.stdout).unwrap(), kept);
    kept
}

#[test]
fn a_quick_calibration_measures_the_machine_and_a_run_is_held_against_it() {
    let sandbox = fixture::simulated("");
    let mut kept = calibrated(&sandbox);
    assert_eq!((&kept["quick"], &kept["format"]), (&json!(true), &json!(1)));
    assert!(kept["turns_per_s"].as_f64().unwrap() > 0.0 && kept["clock_resolution_ns"] != 0);
    for (steps, slots) in [("throughput", [1, 8]), ("latency", [1, 8])] {
        let steps = kept[steps].as_array().unwrap();
        // A machine that is too busy ends the ladder early.
        assert!(!steps.is_empty() && steps.len() <= 2);
        for (step, slots) in steps.iter().zip(slots) {
            assert_eq!((&step["slots"], &step["failed"]), (&json!(slots), &json!(0)));
            assert!(step["turns"].as_u64().unwrap() > 0, "{step}");
            assert!(step["ttft_p50_ns"].as_u64() <= step["ttft_p99_ns"].as_u64(), "{step}");
        }
    }

    // A machine that carries next to nothing.
    for (key, value) in [
        ("slots_below_5ms", json!(1)),
        ("ladder_exhausted", json!(false)),
        ("turns_per_s", json!(0.5)),
    ] {
        kept[key] = value;
    }
    sandbox.write("machine.json", &kept.to_string());
    let arguments = ["run", "small.yaml", "--run-id", "a", "--calibration", "machine.json"];
    let done = sandbox.run(&arguments);
    assert_eq!(done.code, Some(0), "{done}");
    let told = &done.whole_stderr;
    assert!(told.contains("warning: point r2: 2 slots are more than the 1 at which"), "{told}");
    assert!(!told.contains("point r1: 1 slots"), "{told}");
    assert!(told.contains("warning: point r1: client-limited: "), "{told}");
    let of = |file: &str| read(&sandbox, &format!("results/small/a/points/r2/{file}"));
    let limits = of("self_check.json")["client"]["limits"].to_string();
    assert!(limits.contains("2 slots are more than the 1"), "{limits}");
    assert!(limits.contains("turns/s are more than 80 %"), "{limits}");
    assert_eq!(of("performance/result_summary.json")["client_limited"], json!(true));
    let report = sandbox.read("results/small/a/points/r2/report.txt");
    assert!(report.contains("\nWARNING: client-limited: 2 slots"), "{report}");
    assert!(report.contains("\nClient: event loop late p50 "), "{report}");
    let curve = read(&sandbox, "results/small/a/curve.json");
    assert_eq!(curve["points"][1]["client_limited"], json!(true));

    // Made again from the log, the numbers still say so.
    let again = sandbox.run(&["report", "results/small/a", "--format", "json"]);
    assert!(
        again.stdout.contains("\"client_limited\":true")
            || again.stdout.contains("\"client_limited\": true"),
        "{again}"
    );
}

#[test]
fn what_is_no_calibration_of_this_machine_is_refused() {
    let sandbox = fixture::simulated("");
    sandbox.write("machine.json", "{}");
    let run = ["run", "small.yaml", "--calibration", "machine.json"];
    let done = sandbox.run(&run);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("`machine.json` cannot be used"), "{done}");
    assert!(done.stderr.contains("scenario calibrate --out FILE"), "{done}");
    assert!(!sandbox.path("results").exists());
}

#[test]
fn a_kept_calibration_of_another_machine_is_passed_over() {
    let sandbox = fixture::simulated("");
    let cache = sandbox.path("cache").display().to_string();
    let sandbox = sandbox.env("XDG_CACHE_HOME", &cache);
    sandbox.write("cache/scenario/calibration.json", "{}");
    let done = sandbox.run(&["run", "small.yaml"]);
    assert_eq!((done.code, done.stderr.contains("calibration")), (Some(0), false), "{done}");
}
