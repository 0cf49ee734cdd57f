//! `scenario run` with an accuracy block, against a service that works and one that does not.

use std::time::Duration;

use super::rig::{QUICK, RUN, Rig};
use super::stand_in::Fault;

#[test]
fn a_whole_curve_is_scored_and_judged() {
    let rig = Rig::with("[1, 4, 16, 64]", "[1, 4, 16, 64]", QUICK);
    let done = rig.run(false);
    assert_eq!(done.code, Some(0), "{done}");
    let verdict = done.stdout.find("Accuracy gates").map(|at| &done.stdout[at..]);
    insta::assert_snapshot!(verdict.unwrap(), @r"
    Accuracy gates of Mine by house

                                      inline   inline   inline   inline     OSL      OSL      OSL   OSL       SWE-bench
     concurrency   region                  %    floor   margin   verdict   mean    range   margin   verdict           %
    ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
               1   low_latency        100.00    99.00    +1.00   pass       8.2   1-1000     +7.2   pass          50.00
               4   low_concurrency    100.00    99.00    +1.00   pass       8.2   1-1000     +7.2   pass          50.00
              16   med_concurrency    100.00    99.00    +1.00   pass       8.2   1-1000     +7.2   pass          50.00
              64   high_concurrency   100.00    99.00    +1.00   pass       8.2   1-1000     +7.2   pass          50.00

    SWE-bench: mean of 4 regions 50.00 %, floor 40.00 %, margin +10.00: pass
    Verdict: pass

    results/small/x
    ");
    let about = |line: &&str| line.starts_with("point r4: ") && !line.contains("window");
    let told: Vec<&str> = done.stderr.lines().filter(about).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    point r4: inline score 100.00 % (coding 100.00 %, 9 turns, 0 of them without a reply)
    point r4: SWE-bench: run `run-1` with 2 instances and 4 workers
    point r4: SWE-bench: agent, agent 0/2
    point r4: SWE-bench 50.00 %, 1 of 2 instances resolved, 2 submitted
    ");
    let seen = rig.service.inner().seen.clone();
    // Before any point: is the service there, and does it take the token?
    assert_eq!([&seen[0].0, &seen[1].0], ["GET /health", "GET /v1/runs/none"]);
    let workers: Vec<u64> = seen.iter().filter_map(|(_, body)| body["workers"].as_u64()).collect();
    assert_eq!(workers, [1, 4, 16, 64]);
    let curve = rig.json("curve.json");
    assert_eq!(curve["accuracy"]["outcome"], "pass");
    assert_eq!(curve["accuracy"]["swe_bench"]["mean"]["value"], 50.0);
    assert_eq!(curve["accuracy"]["swe_bench"]["bands"].as_array().unwrap().len(), 4);
    let files = rig.sandbox.files(&format!("{RUN}/points/r16"));
    for name in [
        "scores.json",
        "accuracy/accuracy_results.json",
        "accuracy/swe_bench/preds.json",
        "accuracy/swe_bench/swe_bench_eval.log",
    ] {
        assert!(files.iter().any(|file| file.ends_with(name)), "{name}: {files:?}");
    }
    assert!(!files.iter().any(|file| file.ends_with("job.json")), "{files:?}");
    for file in rig.sandbox.files(RUN) {
        assert!(!rig.sandbox.read(&file).contains("t0ken"), "{file}");
    }
    // Scoring the same events later gives the same bytes, and the verdict stays.
    let written = |name: &str| rig.sandbox.read(format!("{RUN}/{name}"));
    let names = ["points/r4/scores.json", "points/r4/accuracy/accuracy_results.json", "curve.json"];
    let before = names.map(written);
    let scored = rig.sandbox.run(&["score", RUN, "--write"]);
    assert_eq!(scored.code, Some(0), "{scored}");
    assert_eq!(names.map(written), before);
    let reported = rig.sandbox.run(&["report", RUN, "--write"]);
    assert_eq!(reported.code, Some(0), "{reported}");
    assert!(reported.stdout.contains("Verdict: pass"), "{reported}");
    assert_eq!(names.map(written), before);
}

#[test]
fn a_failed_gate_is_exit_code_1() {
    let rig = Rig::with("[1, 4, 16, 64]", "[1, 4, 16, 64]", QUICK);
    let end =
        serde_json::json!({ "result": { "submitted_instances": 2, "resolved_instances": 0 } });
    rig.service.inner().end = end;
    let done = rig.run(false);
    assert_eq!(done.code, Some(1), "{done}");
    let mean = "SWE-bench: mean of 4 regions 0.00 %, floor 40.00 %, margin -40.00: FAIL";
    assert!(done.stdout.contains(mean), "{done}");
    assert_eq!(rig.json("curve.json")["accuracy"]["outcome"], "fail");
    assert_eq!(rig.json("manifest.json")["state"], "complete");
}

#[test]
fn wrong_replies_fail_the_inline_gate() {
    let endpoint = "{ simulated: { ttft: 1ms, inter_token: 0ms, wrong_share: 1.0 } }";
    let rig = Rig::with("[2]", "[2]", endpoint);
    let done = rig.sandbox.run(&["run", "small.yaml", "--set", "accuracy={inline: true}"]);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stdout.contains("99.00") && done.stdout.contains("FAIL"), "{done}");
    assert_eq!(rig.service.inner().seen.len(), 0);
}

#[test]
fn a_service_that_cannot_be_used_is_told_before_anything_runs() {
    let mut rig = Rig::one();
    rig.service.inner().token = Some("another".to_owned());
    let done = rig.run(false);
    assert_eq!(done.code, Some(3), "{done}");
    let error = done.stderr.find("error: ").map(|at| &done.stderr[at..]).unwrap();
    insta::with_settings!({filters => vec![(r":\d+: the", ":[PORT]: the")]}, {
        insta::assert_snapshot!(error, @r"
        error: http://127.0.0.1:[PORT]: the SWE-bench service cannot be used
          because: GET /v1/runs/none: HTTP 401: the service refuses the token

        help: set accuracy.swe_bench.token to the service's token
        ");
    });
    rig.service.inner().health["status"] = "starting".into();
    let done = rig.run(false);
    assert_eq!(done.code, Some(3), "{done}");
    rig.kill_service();
    let done = rig.run(false);
    assert_eq!(done.code, Some(3), "{done}");
    assert!(done.stderr.contains("the SWE-bench service cannot be used"), "{done}");
    assert!(!rig.sandbox.path("results").exists());
}

#[test]
fn a_slow_service_with_errors_is_waited_for() {
    let rig = Rig::one();
    rig.service.fault("submit", Fault::Answer(500, "oops".to_owned()));
    for fault in [
        // The first question is whether the token is right.
        Fault::Slow(Duration::from_millis(50)),
        Fault::Answer(500, "<html>".to_owned()),
        Fault::Half,
        Fault::Close,
        Fault::Slow(Duration::from_millis(200)),
        Fault::Answer(503, String::new()),
    ] {
        rig.service.fault("status", fault);
    }
    let done = rig.run(false);
    // One region of four is no whole SWE-bench: that is missing, and nothing else.
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stderr.contains("HTTP 500: oops; asking again"), "{done}");
    assert_eq!(rig.swe_bench("r1")["score"], 0.5);
    assert_eq!(rig.json("curve.json")["accuracy"]["points"][0]["swe_bench"], 50.0);
}

#[test]
fn half_a_result_keeps_the_point_and_says_what_is_missing() {
    let rig = Rig::one();
    rig.service.inner().end = serde_json::json!({ "result": { "submitted_instances": 2 } });
    let done = rig.run(false);
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stderr.contains("`resolved_instances` is absent"), "{done}");
    let entry = &rig.json("manifest.json")["points"][0];
    assert_eq!(entry["state"], "complete");
    assert!(entry["accuracy_missing"].as_str().unwrap().starts_with("SWE-bench: run `run-1`"));
    assert_eq!(rig.json("points/r1/scores.json")["score"], 1.0);
    assert_eq!(rig.swe_bench("r1"), serde_json::Value::Null);
}

#[test]
fn without_gates_the_scores_are_shown() {
    let rig = Rig::one();
    let sets = ["--set", "compliance={}", "--set", "model={name: m}"];
    let done = rig.sandbox.run(&[&Rig::arguments(false)[..], &sets].concat());
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("100.00"), "{done}");
    assert!(done.stdout.contains("no accuracy gates: the scenario names no ruleset"), "{done}");
}

#[test]
fn points_without_a_job_do_not_ask_the_service() {
    let mut rig = Rig::with("[1, 2]", "[2]", QUICK);
    rig.kill_service();
    let done = rig.sandbox.run(&["run", "small.yaml", "--run-id", "x", "--points", "1"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stderr.contains("names no point of this run"), "{done}");
}
