//! `scenario score` as a process.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

/// A copy of a recorded run, so that it may be written to.
fn folder(run: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(Path::new(FIXTURES).join(run)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    // What is under test must not be there before.
    for name in ["scores.json", "accuracy_results.json"] {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
    folder
}

fn score(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scenario"))
        .args(["score", "."])
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// Exit code, stdout and stderr.
fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(Path::new(FIXTURES).join(name)).unwrap()
}

#[test]
fn a_report_directory_with_its_worst_turns() {
    let folder = folder("reference-replay");
    let (code, text, stderr) = told(&score(folder.path(), &[]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!(text, @r"
    . (concurrency 2)
    Inline score 16.20 %: 18 of 26 issued turns have ground truth (2 passes), 0 of them no reply

     domain     turns   score %
    ────────────────────────────
     coding        10     19.17
     workflow       8     12.50

    Worst 5 of 17 imperfect turns:
     conversation          pass   turn   score %   expected      found
    ──────────────────────────────────────────────────────────────────────────────────
     django__django-0001      1      4      0.00   cat sed       grep head find xargs
     django__django-0001      1      6      0.00   cat           -
     django__django-0001      1     12      0.00   git           -
     django__django-0001      2      4      0.00   cat sed       find xargs
     django__django-0001      2      8      0.00   python tail   -

    Mean output length: unknown, no token counts

    no gates: the run names no ruleset; name one with --ruleset, or a model with --model
    ");
    assert!(!folder.path().join("scores.json").exists());
}

#[test]
fn a_conversation_is_explained_side_by_side() {
    let folder = folder("reference-replay");
    let (code, text, _) = told(&score(folder.path(), &["--explain", "django__django-0001"]));
    assert_eq!(code, 0);
    insta::assert_snapshot!(text, @r"
    django__django-0001: 19.17 % over 10 turns

     pass   turn   score %   expected       found
    ─────────────────────────────────────────────────────────────
        1      2     50.00   ls grep head   python grep head
        1      4      0.00   cat sed        grep head find xargs
        1      6      0.00   cat            -
        1      8     25.00   python tail    python cat git
        1     12      0.00   git            -
        2      2     66.67   ls grep head   grep head
        2      4      0.00   cat sed        find xargs
        2      6     50.00   cat            cat git
        2      8      0.00   python tail    -
        2     12      0.00   git            find xargs grep head

    Not scored, without ground truth: turn 10
    ");
    let (code, text, _) = told(&score(folder.path(), &["--explain", "plain-conv_1"]));
    assert_eq!(code, 0);
    insta::assert_snapshot!(text, @r"
    plain-conv_1

    Not scored, without ground truth: turn 2, 4, 6
    ");
    let (code, _, stderr) = told(&score(folder.path(), &["--explain", "django__django-001"]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r"
    error: --explain django__django-001: no such conversation was played

    help: did you mean `django__django-0001`?
    ");
}

#[test]
fn gates_fail_with_their_margins() {
    let folder = folder("reference-replay");
    let arguments = ["--model", "Qwen/Qwen3.6-35B-A3B-FP8", "--worst", "0"];
    let (code, text, _) = told(&score(folder.path(), &arguments));
    assert_eq!(code, 1);
    insta::assert_snapshot!(text, @r"
    . (concurrency 2)
    Inline score 16.20 %: 18 of 26 issued turns have ground truth (2 passes), 0 of them no reply

     domain     turns   score %
    ────────────────────────────
     coding        10     19.17
     workflow       8     12.50

    Mean output length: unknown, no token counts

    Accuracy gates of Qwen3.6-35B-A3B by mlperf-endpoints-agentic/v1.0

                   inline   inline   inline   inline     OSL       OSL      OSL   OSL
     concurrency        %    floor   margin   verdict   mean     range   margin   verdict
    ───────────────────────────────────────────────────────────────────────────────────────────
               2    16.20    55.86   -39.66   FAIL         -   344-422        -   not measured

    SWE-bench: not measured
    Verdict: FAIL
    ");
    let (code, text, _) = told(&score(folder.path(), &["--model", "kimi-k2_6"]));
    assert_eq!(code, 0);
    assert!(text.contains("none published"), "{text}");
    let (code, _, stderr) = told(&score(folder.path(), &["--model", "gpt-4"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("--model gpt-4: no gates"), "{stderr}");
}

#[test]
fn json_has_scores_and_verdict() {
    let folder = folder("reference-replay");
    let arguments =
        ["--format", "json", "--model", "kimi-k3", "--explain", "sim_001", "--worst", "1"];
    let (code, text, _) = told(&score(folder.path(), &arguments));
    assert_eq!(code, 1);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let point = &document["points"][0];
    assert_eq!(point["inline"]["score"], 0.162);
    assert_eq!(point["inline"]["domains"]["workflow"]["scored"], 8);
    assert_eq!(point["inline"]["worst"].as_array().unwrap().len(), 1);
    assert_eq!(point["explain"]["per_turn"].as_array().unwrap().len(), 8);
    assert_eq!(document["verdict"]["outcome"], "fail");
    assert_eq!(document["verdict"]["points"][0]["inline"]["min"], 58.32);
}

#[test]
fn written_files_are_the_reference_client_s() {
    for run in ["reference-replay", "reference-errors"] {
        let folder = folder(run);
        let dataset = format!("{FIXTURES}/reference-replay/dataset.jsonl");
        let arguments = ["--write", "--dataset", &dataset];
        assert_eq!(told(&score(folder.path(), &arguments)).0, 0);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("scores.json"), fixture(&format!("{run}/scores.json")));
        let results = fixture(&format!("{run}/accuracy_results.json"));
        assert_eq!(read("accuracy/accuracy_results.json"), results);
        // Again: the same bytes are no obstacle.
        assert_eq!(told(&score(folder.path(), &arguments)).0, 0);
    }
}

#[test]
fn other_scores_are_not_replaced_unasked() {
    let folder = folder("reference-replay");
    let file = folder.path().join("scores.json");
    std::fs::write(&file, "{}").unwrap();
    let (code, _, stderr) = told(&score(folder.path(), &["--write"]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r"
    error: ./scores.json: holds other scores; nothing was written

    help: replace it with --force
    ");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}");
    assert!(!folder.path().join("accuracy").exists());
    assert_eq!(told(&score(folder.path(), &["--write", "--force"])).0, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), fixture("reference-replay/scores.json"));
}

#[test]
fn a_swe_bench_result_is_attached() {
    let folder = folder("reference-replay");
    let result = folder.path().join("result.json");
    let report = r#"{"total_instances":200,"submitted_instances":200,"resolved_instances":142}"#;
    std::fs::write(&result, report).unwrap();
    let (code, text, _) = told(&score(folder.path(), &["--swe-bench", "result.json"]));
    assert_eq!(code, 0, "{text}");
    let file = folder.path().join("accuracy/accuracy_results.json");
    insta::assert_snapshot!(std::fs::read_to_string(&file).unwrap(), @r#"
    {
      "accuracy_scores": [
        {
          "dataset_name": "swe_bench",
          "extractor": null,
          "ground_truth_column": "instance_id",
          "score": 0.71,
          "unit_samples": 200,
          "num_repeats": 1,
          "total_samples": 200,
          "duration_s": 0.0,
          "complete": true,
          "dataset_type": "accuracy",
          "submitted_instances": 200,
          "resolved_instances": 142
        }
      ]
    }
    "#);

    std::fs::write(&result, report.replace("142", "10")).unwrap();
    let (code, _, stderr) = told(&score(folder.path(), &["--swe-bench", "result.json"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("holds another SWE-bench score"), "{stderr}");
    std::fs::write(&result, r#"{"submitted_instances":200}"#).unwrap();
    let (code, _, stderr) =
        told(&score(folder.path(), &["--swe-bench", "result.json", "--instances", "200"]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r"
    error: result.json: no SWE-bench result
      because: `resolved_instances` is absent, expected a whole number

    help: name the harness's report; --instances N says how many were evaluated
    ");
}

#[test]
fn what_is_no_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = told(&score(folder.path(), &[]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r"
    error: .: no run: no manifest.json, no events.jsonl

    help: name a result directory, or the folder of one of its points
    ");
    std::fs::write(folder.path().join("events.jsonl"), "").unwrap();
    let (code, _, stderr) = told(&score(folder.path(), &[]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr, @r"
    error: .: does not say which data sets were played

    help: name them with --dataset FILE…
    ");
    let (code, _, stderr) = told(&score(folder.path(), &["--dataset", "nowhere.jsonl"]));
    assert_eq!(code, 3);
    insta::assert_snapshot!(stderr, @r"
    error: .: cannot be scored
      because: cannot open the data set nowhere.jsonl: No such file or directory (os error 2)

    help: name the data sets that were played with --dataset FILE…
    ");
}

#[test]
fn a_log_that_is_cut_off_is_scored_up_to_there() {
    let folder = folder("reference-replay");
    let file = folder.path().join("events.jsonl");
    let log = std::fs::read(&file).unwrap();
    std::fs::write(&file, &log[..log.len() / 2]).unwrap();
    let (code, text, stderr) = told(&score(folder.path(), &["--worst", "0"]));
    assert_eq!(code, 0);
    assert!(stderr.contains("cut off in the middle"), "{stderr}");
    assert!(text.contains("not complete"), "{text}");
    std::fs::write(&file, "{\"event_type\":\"sample.issued\"}\n").unwrap();
    assert_eq!(told(&score(folder.path(), &[])).0, 3);
}

/// A run of two points with gates of its own, and its result directory.
fn run_with_gates(folder: &Path) -> String {
    let rules = r#"{ "extends": "mlperf-endpoints-agentic/v1.0", "name": "house",
        "models": [{ "canonical": "mine", "title": "Mine", "submittable": false,
            "swe_bench_template": null, "sampling": {},
            "thresholds": { "inline_percent": 99.0, "swe_bench_percent": 20.0,
                            "output_length": { "min": 1.0, "max": 100000.0 } },
            "reference": null, "checkpoints": [], "drafters": [] }] }"#;
    std::fs::write(folder.join("house.json"), rules).unwrap();
    let datasets = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets");
    let scenario = format!(
        "schema: scenario/v1\nname: s\nmodel: {{ name: m, benchmark: mine }}\n\
         endpoint: {{ simulated: {{ ttft: 0s, inter_token: 0s }} }}\n\
         datasets:\n  - {{ name: coding, path: {datasets}/coding.jsonl }}\n  \
         - {{ name: workflow, path: {datasets}/workflow.jsonl }}\n\
         mix: {{ take: {{ coding: 1, workflow: 2 }}, passes: 2 }}\n\
         load: {{ concurrency: [2, 1], tool_delays: none }}\n\
         compliance: {{ ruleset: house.json }}\n"
    );
    std::fs::write(folder.join("s.yaml"), scenario).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_scenario"))
        .args(["run", "s.yaml", "--quiet"])
        .current_dir(folder)
        .output()
        .unwrap();
    let (_, stdout, stderr) = told(&output);
    let directory = stdout.lines().last().unwrap_or_else(|| panic!("{stderr}"));
    directory.to_owned()
}

#[test]
fn a_result_directory_is_scored_with_its_own_mix_and_gates() {
    let folder = tempfile::tempdir().unwrap();
    let directory = run_with_gates(folder.path());
    let score = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_scenario"))
            .arg("score")
            .args(arguments)
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .output();
        told(&output.unwrap())
    };
    let (code, text, stderr) = score(&[&directory, "--write"]);
    assert_eq!(code, 0, "{stderr}");
    // Recorded replies are right, every taken trajectory was played twice, none else is expected.
    assert!(text.contains("100.00"), "{text}");
    assert!(text.contains("SIMULATED") && text.contains("Verdict: not everything"), "{text}");
    let read = |name: &str| {
        let file = folder.path().join(&directory).join(name);
        let text = std::fs::read_to_string(file).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let curve = read("curve.json");
    assert_eq!(curve["accuracy"]["ruleset"], "house");
    assert_eq!(curve["accuracy"]["points"][1]["inline"]["outcome"], "pass");
    let entry = &read("points/r2/accuracy/accuracy_results.json")["accuracy_scores"][0];
    assert_eq!((&entry["score"], &entry["complete"]), (&1.0.into(), &true.into()));
    let (unit, total) = (entry["unit_samples"].as_u64(), entry["total_samples"].as_u64());
    assert_eq!(unit.map(|unit| 2 * unit), total);
    let ids = read("points/r2/scores.json");
    let turns = ids["per_turn"].as_array().unwrap().iter();
    let ids: std::collections::BTreeSet<_> =
        turns.map(|turn| turn["conversation_id"].as_str().unwrap().to_owned()).collect();
    assert!(ids.len() <= 3, "{ids:?}");

    // A point knows its data sets and gates through the directory that it lies in.
    let (code, text, stderr) = score(&[&format!("{directory}/points/r2")]);
    assert_eq!(code, 0, "{stderr}");
    assert!(text.contains("Accuracy gates of Mine by house"), "{text}");
    // Elsewhere the ruleset's file is not found, and that is said.
    std::fs::rename(folder.path().join("house.json"), folder.path().join("moved.json")).unwrap();
    let (code, text, _) = score(&[&directory]);
    assert_eq!(code, 0);
    assert!(text.contains("the ruleset house.json is not here"), "{text}");
    assert_eq!(score(&[&directory, "--ruleset", "moved.json"]).0, 0);
    let (code, _, stderr) = score(&[&directory, "--swe-bench", "s.yaml"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("a result belongs to one point"), "{stderr}");
}
