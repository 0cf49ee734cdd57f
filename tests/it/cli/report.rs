//! `scenario report`: runs of ours and of the reference client, counted once more.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::fixture::{self, TURNS};
use super::process::{Sandbox, assert_done};
use super::run::json;

fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// One token for each character, and a small chat template.
fn tokenizer() -> String {
    fixtures("character-tokenizer").display().to_string()
}

const SUMMARY: &str = "results/small/x/points/r1/performance/result_summary.json";

/// A finished run `results/small/x` without a tokenizer.
fn uncounted() -> Sandbox {
    let sandbox = fixture::simulated("");
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "x"]);
    assert_eq!(done.code, Some(0), "{done}");
    sandbox
}

fn points(text: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).unwrap();
    value["points"].as_array().unwrap().iter().map(|point| point["summary"].clone()).collect()
}

#[test]
fn a_run_with_a_tokenizer_counts_and_a_report_gives_the_same() {
    let sandbox = fixture::simulated("");
    let set = format!("model.tokenizer={}", tokenizer());
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "x", "--set", &set]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("Token counts are official"), "{done}");
    let summary = json(&sandbox, SUMMARY);
    assert_eq!(summary["token_counts"], "official");
    // `It is small.` is the last of four replies of each conversation.
    assert_eq!(summary["output_sequence_lengths"]["min"], 12);
    // The tools 88, the salted system message 67, `Größe?` in its marks 34, the assistant's mark 22.
    assert_eq!(summary["input_sequence_lengths"]["min"], 211);
    assert_eq!(summary["steady_state"]["superpass_size"], TURNS);
    let curve = json(&sandbox, "results/small/x/curve.json");
    assert_eq!(curve["points"][1]["token_counts"], "official");

    let files = || {
        let files = sandbox.files("results/small/x");
        files.into_iter().map(|file| (sandbox.read(&file), file)).collect::<Vec<_>>()
    };
    let before = files();
    let done = sandbox.run(&["report", "results/small/x", "--format", "json", "--write"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
    assert_eq!(points(&done.stdout)[0], summary);
    assert!(files() == before, "the same log and tokenizer give the same bytes");
}

#[test]
fn a_run_without_a_tokenizer_is_counted_later() {
    let sandbox = uncounted();
    assert_eq!(json(&sandbox, SUMMARY)["token_counts"], "server-reported");
    let run = "results/small/x";
    let done = sandbox.run(&["report", run]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("server-reported, not official"), "{done}");
    assert!(done.stderr.contains("give --tokenizer DIR"), "{done}");

    let done = sandbox.run(&["report", run, "--tokenizer", &tokenizer(), "--write"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert_eq!(json(&sandbox, SUMMARY)["token_counts"], "official");
    let curve = json(&sandbox, "results/small/x/curve.json");
    assert_eq!(curve["points"][0]["token_counts"], "official");
    assert!(sandbox.read(format!("{run}/points/r2/report.txt")).contains("official"));
    assert!(sandbox.read(format!("{run}/points/r2/point.yaml")).contains("steady_state:"));
}

#[test]
fn prompts_come_from_the_data_sets_that_were_sent() {
    let sandbox = uncounted();
    let text = sandbox.read("data.jsonl");
    std::fs::rename(sandbox.path("data.jsonl"), sandbox.path("moved.jsonl")).unwrap();
    let count = |more: &[&str]| {
        let tokenizer = tokenizer();
        let mut arguments = vec!["report", "results/small/x/points/r1", "--tokenizer", &tokenizer];
        arguments.extend(more);
        sandbox.run(&arguments)
    };
    let gone = count(&[]);
    assert_eq!(gone.code, Some(2), "{gone}");
    assert!(gone.stderr.contains("data.jsonl"), "{gone}");
    let moved = count(&["--dataset", "moved.jsonl", "--format", "json"]);
    assert_eq!(moved.code, Some(0), "{moved}");
    assert_eq!(points(&moved.stdout)[0]["token_counts"], "official");
    sandbox.write("other.jsonl", &text.replace("Be brief.", "Be wordy."));
    let other = count(&["--dataset", "other.jsonl"]);
    assert_eq!(other.code, Some(2), "{other}");
    assert!(other.stderr.contains("is not the file that the scenario names"), "{other}");
    let many = count(&["--dataset", "moved.jsonl", "other.jsonl"]);
    assert!(many.stderr.contains("2 files for 1 data set"), "{many}");
}

#[test]
fn prompts_in_the_log_need_no_data_set() {
    let sandbox = fixture::simulated("log: { prompts: true }\n");
    sandbox.run(&["run", "small.yaml", "--run-id", "x"]);
    std::fs::remove_file(sandbox.path("data.jsonl")).unwrap();
    let log = "results/small/x/points/r2/events.jsonl";
    let arguments = ["report", log, "--tokenizer", &tokenizer(), "--format", "json"];
    let done = sandbox.run(&arguments);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
    assert_eq!(points(&done.stdout)[0]["output_sequence_lengths"]["min"], 12);
}

#[test]
fn a_report_directory_of_the_reference_client_is_read_and_never_written() {
    let folder = fixtures("reference-replay").display().to_string();
    let arguments = ["report", &folder, "--tokenizer", &tokenizer(), "--format", "json"];
    let sandbox = Sandbox::new();
    let done = sandbox.run(&arguments);
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done}");
    let summary = &points(&done.stdout)[0];
    assert_eq!(summary["output_sequence_lengths"]["total"], 4014);
    assert_eq!(summary["input_sequence_lengths"]["total"], 28_740);
    let written = sandbox.run(&["report", &folder, "--write"]);
    assert_eq!(written.code, Some(2), "{written}");
    assert!(written.stderr.contains("--write: no run folder of this program"), "{written}");
}

#[test]
fn what_is_no_run_says_what_was_expected() {
    let sandbox = Sandbox::new();
    assert_done!(sandbox.run(&["report", "nothing"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: nothing: found neither manifest.json nor events.jsonl

    help: name a result directory, one of its points/r<N>, a report directory of the reference client, or an event log
    ");
}

/// A chat template that takes its time.
const SLOW: &str = "{% for a in range(600) %}{% for b in range(600) %}{% endfor %}{% endfor %}x";

/// A model directory whose template takes its time.
fn slow(sandbox: &Sandbox) {
    let tokens = std::fs::read_to_string(fixtures("character-tokenizer/tokenizer.json")).unwrap();
    sandbox.write("slow/tokenizer.json", &tokens);
    sandbox.write("slow/chat_template.jinja", SLOW);
}

#[test]
fn an_interrupt_while_counting_keeps_the_run_and_a_report_finishes_it() {
    let sandbox = fixture::simulated("");
    slow(&sandbox);
    let set = ["--set", "model.tokenizer=slow"];
    let mut run = sandbox.start(&[&["run", "small.yaml", "--run-id", "x"][..], &set].concat());
    let folder = sandbox.path("results/small/x/points/r1");
    run.wait_until(|| folder.is_dir());
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert!(done.stderr.contains("the replay is on disk"), "{done}");
    assert!(!done.stderr.contains("turns in flight"), "{done}");
    assert!(done.stderr.contains("tokens were not counted"), "{done}");
    let summary = json(&sandbox, SUMMARY);
    assert_eq!(
        (&summary["token_counts"], &summary["complete"]),
        (&"server-reported".into(), &true.into())
    );

    let point = "results/small/x/points/r1";
    let later = sandbox.run(&["report", point, "--tokenizer", &tokenizer(), "--write"]);
    assert_eq!(later.code, Some(0), "{later}");
    assert!(later.stderr.contains("curve.json still holds the old numbers"), "{later}");
    assert_eq!(json(&sandbox, SUMMARY)["token_counts"], "official");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_stops_at_once_and_leaves_the_run_as_it_was() {
    let sandbox = uncounted();
    slow(&sandbox);
    let files = || {
        let files = sandbox.files("results/small/x");
        files.into_iter().map(|file| (sandbox.read(&file), file)).collect::<Vec<_>>()
    };
    let before = files();
    let mut report =
        sandbox.start(&["report", "results/small/x", "--tokenizer", "slow", "--write"]);
    let status = format!("/proc/{}/status", report.id());
    let catches_interrupts = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|set| u64::from_str_radix(set.trim(), 16).unwrap() & 2 != 0)
    };
    report.wait_until(catches_interrupts);
    report.signal("INT");
    let done = report.wait();
    assert_eq!((done.code, done.stdout.as_str()), (Some(130), ""), "{done}");
    assert!(done.stderr.contains("the run is as it was"), "{done}");
    assert!(files() == before);
}
