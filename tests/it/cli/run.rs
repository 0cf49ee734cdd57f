//! `scenario run` from beginning to end, on the embedded simulated endpoint.

use serde_json::Value;

use super::fixture::{self, TURNS};
use super::process::Running;
use super::process::{Sandbox, assert_done};

/// `{ … }` of a JSON file.
pub(super) fn json(sandbox: &Sandbox, path: &str) -> Value {
    serde_json::from_str(&sandbox.read(path)).unwrap()
}

#[test]
fn a_sound_run_leaves_everything_and_names_its_directory() {
    let sandbox = fixture::simulated("");
    let done = sandbox.run(&["run", "small.yaml"]);
    assert_eq!(done.code, Some(0), "{done}");
    let directory = done.last_line().to_owned();
    assert!(directory.starts_with("results/small/"), "{directory}");
    let files: Vec<String> = sandbox
        .files(&directory)
        .iter()
        .map(|file| file.strip_prefix(&directory).unwrap().trim_start_matches('/').to_owned())
        .collect();
    insta::assert_snapshot!(files.join("\n"), @r"
    curve.json
    manifest.json
    points/r1/config.yaml
    points/r1/events.jsonl
    points/r1/metrics/final_snapshot.json
    points/r1/performance/result_summary.json
    points/r1/point.yaml
    points/r1/report.txt
    points/r1/sample_idx_map.json
    points/r1/self_check.json
    points/r2/config.yaml
    points/r2/events.jsonl
    points/r2/metrics/final_snapshot.json
    points/r2/performance/result_summary.json
    points/r2/point.yaml
    points/r2/report.txt
    points/r2/sample_idx_map.json
    points/r2/self_check.json
    scenario.resolved.yaml
    scenario.yaml
    ");
    for point in ["r1", "r2"] {
        let check = json(&sandbox, &format!("{directory}/points/{point}/self_check.json"));
        assert_eq!(check["planned"], TURNS);
        assert_eq!(check["completed"], TURNS);
        assert_eq!(check["violations"], Value::Array(Vec::new()));
        let planned = sandbox.run(&["plan", "small.yaml", "--digest"]);
        assert_eq!(check["replay_digest"], planned.stdout.trim());
    }
    let manifest = json(&sandbox, &format!("{directory}/manifest.json"));
    assert_eq!((&manifest["state"], &manifest["simulated"]), (&"complete".into(), &true.into()));
    assert_eq!(sandbox.read(format!("{directory}/scenario.yaml")), sandbox.read("small.yaml"));
}

#[test]
fn messages_go_to_stderr_and_quiet_leaves_them_out() {
    let sandbox = fixture::simulated("");
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "a"]);
    assert_done!(&done, @r"
    exit code: 0
    ----- stdout -----
                                    window   TTFT ms   TTFT ms   TPOT ms   TPOT ms     E2E   system   TPS/    OSL
     concurrency   turns   failed        s       p50       p90       p50       p90   tok/s      TPS   user   mean
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
    [ROW]
    [ROW]

    SIMULATED: the endpoint was simulated; these numbers measure no real system.
    Token counts are server-reported, not official: the rules count with the reference tokenizer.
    results/small/a
    ----- stderr -----
    point r1: complete, 12 turns, 0 failed, performance window [TIME]
    point r2: complete, 12 turns, 0 failed, performance window [TIME]
    ");
    let quiet = sandbox.run(&["run", "small.yaml", "--run-id", "b", "--quiet"]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (Some(0), ""));
    assert_eq!(quiet.last_line(), "results/small/b");
}

#[test]
fn the_curve_as_json_is_one_line() {
    let sandbox = fixture::simulated("");
    let done = sandbox.run(&["run", "small.yaml", "--format", "json", "--points", "2"]);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{done}");
    let curve: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(curve["points"][0]["concurrency"], 2);
    assert_eq!(curve["points"].as_array().unwrap().len(), 1);
    assert_eq!(curve, json(&sandbox, &format!("{}/curve.json", lines[1])));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let sandbox = fixture::simulated("");
    let run = |more: &[&str]| {
        let arguments = [&["run", "small.yaml", "-q", "--run-id", "x", "--points", "1"], more];
        sandbox.run(&arguments.concat())
    };
    assert_eq!(run(&[]).code, Some(0));
    sandbox.write("results/small/x/mine.txt", "kept");
    assert_done!(run(&[]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `results/small/x` already exists; nothing is overwritten unless --force is given

    help: choose another directory with --out, or pass --force
    ");
    assert_eq!(sandbox.read("results/small/x/mine.txt"), "kept");
    assert_eq!(run(&["--force"]).code, Some(0));
    assert!(!sandbox.path("results/small/x/mine.txt").exists());
    assert!(sandbox.path("results/small/x/points/r1/events.jsonl").exists());
}

#[test]
fn runs_that_start_in_the_same_second_get_directories_of_their_own() {
    let sandbox = fixture::simulated("");
    let arguments = ["run", "small.yaml", "-q", "--points", "1"];
    let started = [(); 6].map(|()| sandbox.start(&arguments));
    let done = started.map(Running::wait);
    assert!(
        done.iter().all(|run| run.code == Some(0)),
        "{}",
        done.each_ref().map(ToString::to_string).join("\n")
    );
    let directories: std::collections::BTreeSet<&str> =
        done.iter().map(super::process::Done::last_line).collect();
    assert_eq!(directories.len(), 6);
}

#[test]
fn what_the_user_gets_wrong_is_exit_code_2() {
    let sandbox = fixture::simulated("");
    assert_done!(sandbox.run(&["run", "missing.yaml"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error[file-unreadable]: `missing.yaml` does not exist
    --> missing.yaml
    ");
    assert_done!(sandbox.run(&["run", "small.yaml", "--points", "1,3"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: --points 3: the sweep has no such point

    help: choose from 1, 2, or change load.concurrency
    ");
    assert_done!(sandbox.run(&["run", "small.yaml", "--set", "load"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: invalid value 'load' for '--set <PATH=VALUE>': expected PATH=VALUE, such as load.turn_timeout=30s

    For more information, try '--help'.
    ");
    assert_done!(sandbox.run(&["run", "small.yaml", "--set", "load.turn_timeout=5"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error[wrong-format]: `load.turn_timeout` must be a duration: `5` has no unit: write 5ms, 5s, 5m or 5h
     --> --set:1:19
      |
    1 | load.turn_timeout=5
      |                   ^ expected a duration such as 250ms, 30s or 4h
      |
      = note: Longest time for one turn; a turn that takes longer fails and ends its conversation.
    ");
    assert_done!(sandbox.run(&["run", "small.yaml", "--set", "mix.take={ data: 0 }"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error[mix-empty]: `mix.take` takes nothing
     --> --set:1:1
      |
    1 | mix.take={ data: 0 }
      | ^^^^^^^^
      |
      = help: take at least one trajectory of one data set
    ");
    assert_done!(sandbox.run(&["run", "small.yaml", "--run-id", "../x"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: invalid value '../x' for '--run-id <NAME>': a letter or digit, then letters, digits, `.`, `_` and `-`; 100 at most

    For more information, try '--help'.
    ");
    sandbox
        .write("data.jsonl", &fixture::dataset().replace("\"role\":\"tool\"", "\"role\":\"toll\""));
    let done = sandbox.run(&["run", "small.yaml"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("data.jsonl:3"), "{done}");
    assert!(!sandbox.path("results").exists());
}

#[test]
fn values_can_be_set_from_the_command_line() {
    let sandbox = fixture::simulated("");
    let sets = ["--set", "load.concurrency=[3]", "--set", "mix.passes=2"];
    let done = sandbox.run(&[&["run", "small.yaml", "-q"][..], &sets].concat());
    assert_eq!(done.code, Some(0), "{done}");
    let check = json(&sandbox, &format!("{}/points/r3/self_check.json", done.last_line()));
    assert_eq!(check["completed"], 2 * TURNS);
}

#[test]
fn a_place_that_cannot_be_written_is_exit_code_3() {
    let sandbox = fixture::simulated("");
    sandbox.write("file", "");
    assert_done!(sandbox.run(&["run", "small.yaml", "--out", "file"]), @r"
    exit code: 3
    ----- stdout -----

    ----- stderr -----
    error: cannot create the directory `file/small/[RUN]`: Not a directory (os error 20)

    help: choose another place for result directories with --out
    ");

    let locked = sandbox.path("locked");
    std::fs::create_dir(&locked).unwrap();
    let mut permissions = std::fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&locked, permissions).unwrap();
    // Root may write everywhere.
    if std::fs::write(locked.join("probe"), "").is_err() {
        let done = sandbox.run(&["run", "small.yaml", "--out", "locked"]);
        assert_eq!(done.code, Some(3), "{done}");
        let told = done.stderr.contains("permission denied") && done.stderr.contains("--out");
        assert!(told && done.stderr.contains("locked/small"), "{done}");
    }
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_run() {
    let sandbox = fixture::simulated("");
    let mut child = sandbox.command(&["run", "small.yaml", "--run-id", "x"]).spawn().unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(json(&sandbox, "results/small/x/manifest.json")["state"], "complete");
}

#[test]
fn without_a_terminal_progress_is_a_plain_line_every_few_seconds() {
    let sandbox = fixture::simulated("load: { concurrency: [1], tool_delays: { scale: 40 } }\n");
    let done = sandbox.run(&["run", "small.yaml"]);
    assert_eq!(done.code, Some(0), "{done}");
    let line = done.stderr.lines().next().unwrap();
    let expected = "point 1/1, concurrency 1: ";
    assert!(line.starts_with(expected) && line.contains(" turns/s, TTFT p50 "), "{done}");
    assert!(!done.stderr.contains(['\r', '\u{1b}']), "{done}");
}

#[test]
fn a_simulated_endpoint_is_named_so_even_behind_a_url() {
    let (sandbox, _server) = fixture::served(&[], "");
    let done = sandbox.run(&["run", "small.yaml", "--points", "1"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("SIMULATED: the endpoint was simulated"), "{done}");
    let directory = done.last_line();
    assert_eq!(json(&sandbox, &format!("{directory}/manifest.json"))["simulated"], true);
    let summary = format!("{directory}/points/r1/performance/result_summary.json");
    assert_eq!(json(&sandbox, &summary)["simulated"], true);
    assert!(sandbox.read(format!("{directory}/points/r1/report.txt")).contains("SIMULATED"));
}

#[test]
fn measuring_threads_that_never_sleep_are_recorded() {
    let sandbox = fixture::simulated("");
    let done = sandbox.run(&["run", "small.yaml", "--busy-poll", "--points", "2"]);
    assert_eq!(done.code, Some(0), "{done}");
    let check = json(&sandbox, &format!("{}/points/r2/self_check.json", done.last_line()));
    assert_eq!(check["client"]["busy_poll"], true);
    // Always, which says nothing.
    assert_eq!(check["client"]["busy_percent"], Value::Null);
    assert_eq!(check["completed"], TURNS);
}
