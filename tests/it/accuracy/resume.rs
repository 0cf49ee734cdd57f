//! Runs that were interrupted or killed, and what `--resume` makes of them.

use super::rig::{QUICK, RUN, Rig};

#[test]
fn a_signal_cancels_the_job_and_keeps_the_point() {
    let rig = Rig::one();
    let run = rig.start_into_the_job();
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert_eq!(done.last_line(), RUN);
    assert!(done.stderr.contains("the SWE-bench job is being cancelled"), "{done}");
    assert!(done.stderr.contains("SWE-bench: interrupted; run `run-1` was cancelled"), "{done}");
    assert_eq!(rig.service.count("POST /v1/runs/run-1/cancel"), 1);
    let entry = rig.json("manifest.json")["points"][0].clone();
    assert_eq!(entry["state"], "complete");
    assert!(entry["accuracy_missing"].as_str().unwrap().contains("interrupted"));
    let log = rig.sandbox.read(format!("{RUN}/points/r1/events.jsonl"));

    rig.service.inner().steps = 0;
    rig.service.inner().next_id = "run-2".to_owned();
    let done = rig.run(true);
    assert!(done.stderr.contains("run `run-2` with 2 instances and 1 workers"), "{done}");
    assert!(!done.stderr.contains("point r1: complete"), "it was not replayed again: {done}");
    assert_eq!(rig.swe_bench("r1")["run_id"], "run-2");
    assert_eq!(rig.json("manifest.json")["points"][0]["accuracy_missing"], serde_json::Value::Null);
    assert_eq!(rig.sandbox.read(format!("{RUN}/points/r1/events.jsonl")), log);
}

#[test]
fn a_killed_client_finds_its_job_again() {
    let rig = Rig::one();
    let run = rig.start_into_the_job();
    // While it runs, nobody else may go on with it.
    let busy = rig.run(true);
    assert_eq!(busy.code, Some(3), "{busy}");
    assert!(busy.stderr.contains("`results/small/x` is being written by another process"));
    run.signal("KILL");
    assert_eq!(run.wait().code, None);
    rig.service.inner().steps = 0;
    let done = rig.run(true);
    assert!(done.stderr.contains("SWE-bench: goes on with run `run-1`"), "{done}");
    assert_eq!(rig.swe_bench("r1")["score"], 0.5);
    assert_eq!(rig.submissions(), 1);
    assert_eq!(rig.json("curve.json")["points"][0]["turns"], 12);
    assert!(!rig.sandbox.path(&format!("{RUN}/points/r1/accuracy/swe_bench/job.json")).exists());
}

#[test]
fn a_lost_service_is_gone_on_with_later() {
    let mut rig = Rig::one();
    let run = rig.start_into_the_job();
    rig.kill_service();
    let done = run.wait();
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stderr.contains("(`--resume` goes on with the job)"), "{done}");
    rig.service.inner().steps = 0;
    rig.revive_service();
    let done = rig.run(true);
    assert!(done.stderr.contains("goes on with run `run-1`"), "{done}");
    assert_eq!(rig.swe_bench("r1")["score"], 0.5);
    assert_eq!(rig.submissions(), 1);
}

#[test]
fn a_killed_run_goes_on_at_its_first_unfinished_point() {
    let rig = Rig::with("[4, 1]", "[4]", "{ simulated: { ttft: 300ms, inter_token: 0ms } }");
    let set = ["--set", "accuracy={inline: true}"];
    let begin = [&Rig::arguments(false)[..], &set].concat();
    let resume = [&Rig::arguments(true)[..], &set].concat();
    let mut run = rig.sandbox.start(&begin);
    let second = rig.sandbox.path(&format!("{RUN}/points/.r1.partial/events.jsonl"));
    run.wait_until(|| second.exists());
    run.signal("KILL");
    assert_eq!(run.wait().code, None);
    let log = rig.sandbox.read(format!("{RUN}/points/r4/events.jsonl"));

    let done = rig.sandbox.run(&resume);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(!done.stderr.contains("point r4: complete"), "{done}");
    assert!(done.stderr.contains("point r1: complete, 12 turns"), "{done}");
    assert_eq!(rig.sandbox.read(format!("{RUN}/points/r4/events.jsonl")), log);
    let curve = rig.json("curve.json");
    let points: Vec<_> =
        curve["points"].as_array().unwrap().iter().map(|p| &p["concurrency"]).collect();
    assert_eq!(points, [4, 1]);
    assert_eq!(curve["accuracy"]["points"][1]["inline"]["outcome"], "pass");
    assert_eq!(rig.json("manifest.json")["state"], "complete");
    assert!(rig.sandbox.path(&format!("{RUN}/points/.r1.partial.killed-1")).exists());

    // Once more: nothing is left to do, and the rows are made from the logs where they are lost.
    std::fs::remove_file(rig.sandbox.path(&format!("{RUN}/curve.json"))).unwrap();
    let done = rig.sandbox.run(&resume);
    assert_eq!((done.code, done.stderr.contains("point r")), (Some(0), false), "{done}");
    assert_eq!(rig.json("curve.json"), curve);
}

#[test]
fn only_the_same_run_is_gone_on_with() {
    let rig = Rig::with("[1, 2]", "[1]", QUICK);
    let set = ["--set", "accuracy={inline: true}"];
    let done = rig.sandbox.run(&[&Rig::arguments(false)[..], &set, &["--points", "1"]].concat());
    assert_eq!(done.code, Some(0), "{done}");
    let resume = |more: &[&str]| rig.sandbox.run(&[&Rig::arguments(true)[..], more].concat());
    let done = resume(&[]);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("was run from another scenario"), "{done}");
    let done = resume(&[&set[..], &["--points", "2"]].concat());
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("has no such point"), "{done}");
    let done = rig.sandbox.run(&["run", "small.yaml", "--resume", "results"]);
    assert_eq!(done.code, Some(2), "{done}");
    let error = done.stderr.find("error: ").map(|at| &done.stderr[at..]);
    insta::assert_snapshot!(error.unwrap(), @r"
    error: --resume results: no run to go on with
      because: cannot read `results/manifest.json`: No such file or directory (os error 2)

    help: name a result directory, as `scenario run` prints it in its last line
    ");
    let other = rig.sandbox.read("data.jsonl").replace("small.", "tiny.");
    rig.sandbox.write("data.jsonl", &other);
    let done = resume(&set);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("the data set `data` was another file then"), "{done}");
}
