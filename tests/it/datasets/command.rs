//! `scenario dataset` as a process.

use std::process::{Command, Stdio};

/// Runs `scenario dataset` in the repository; exit code, stdout and stderr as one text.
fn dataset(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_scenario"))
        .arg("dataset")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let code = output.status.code().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    format!("exit code: {code}\n----- stdout -----\n{stdout}\n----- stderr -----\n{stderr}")
        .trim_end()
        .to_owned()
}

#[test]
fn validate_says_what_is_wrong_and_counts() {
    let shipped = ["validate", "datasets/coding.jsonl", "datasets/workflow.jsonl"];
    insta::assert_snapshot!(dataset(&shipped), @r"
exit code: 0
----- stdout -----

----- stderr -----
datasets/coding.jsonl: 0 errors, 0 warnings; 6 usable trajectories, 44 client turns
datasets/workflow.jsonl: 0 errors, 0 warnings; 12 usable trajectories, 54 client turns
");
    let delays = ["validate", "tests/fixtures/datasets/delays.jsonl", "--max-findings", "1"];
    insta::assert_snapshot!(dataset(&delays), @r"
exit code: 1
----- stdout -----
error[dataset-delay]: row 1: `delay_seconds` is negative (`-0.001`)
--> tests/fixtures/datasets/delays.jsonl:1
 = note: conversation `negative`, turn 1
 = help: it is the think or tool time before this request, in seconds

error[dataset-more-findings]: 3 more findings are not shown
--> tests/fixtures/datasets/delays.jsonl
 = note: the first 1 are shown
 = help: mend those first and validate again

warning[dataset-no-system]: the conversation `fine` has no system prompt
--> tests/fixtures/datasets/delays.jsonl
 = note: salted runs, which the benchmark's rules require, refuse them
 = help: put a `system` text into their first rows, or replay with `cache: { salt: false }`


----- stderr -----
tests/fixtures/datasets/delays.jsonl: 4 errors, 1 warning; 1 usable trajectory, 4 broken, 3 client turns
");
    let missing = ["validate", "missing.jsonl", "datasets/coding.jsonl"];
    insta::assert_snapshot!(dataset(&missing), @r"
exit code: 2
----- stdout -----
error[dataset-unreadable]: cannot open the data set missing.jsonl: No such file or directory (os error 2)
--> missing.jsonl


----- stderr -----
missing.jsonl: not read
datasets/coding.jsonl: 0 errors, 0 warnings; 6 usable trajectories, 44 client turns
");
    // Warnings alone fail nothing.
    let warned = dataset(&["validate", "tests/fixtures/datasets/systems.jsonl"]);
    assert!(warned.starts_with("exit code: 0\n") && warned.contains("warning["), "{warned}");
    // Two of its three conversations have a system prompt.
    let said = "warning[dataset-no-system]: the conversation `";
    assert!(warned.contains(said) && warned.contains(" 2 warnings;"), "{warned}");
}

#[test]
fn validate_in_other_formats() {
    let scattered = "tests/fixtures/datasets/scattered.jsonl";
    let run = |format| dataset(&["validate", "--format", format, scattered]);
    insta::assert_snapshot!(run("github"), @r"
exit code: 1
----- stdout -----
::error file=tests/fixtures/datasets/scattered.jsonl,line=4,endLine=4,col=1,endColumn=1,title=dataset-scattered-conversation::row 4: the rows of this conversation do not stand together%0Anote: its earlier rows ended in row 2%0Ahelp: move all rows of a conversation next to each other
::error file=tests/fixtures/datasets/scattered.jsonl,line=6,endLine=6,col=1,endColumn=1,title=dataset-duplicate-conversation::row 6: this conversation id was used before%0Anote: its earlier rows ended in row 3%0Ahelp: give each conversation an id of its own
::error file=tests/fixtures/datasets/scattered.jsonl,line=9,endLine=9,col=1,endColumn=1,title=dataset-duplicate-conversation::row 9: this conversation id was used before%0Anote: its earlier rows ended in row 8%0Ahelp: give each conversation an id of its own
::warning file=tests/fixtures/datasets/scattered.jsonl,title=dataset-no-system::4 conversations have no system prompt, such as `a`%0Anote: salted runs, which the benchmark's rules require, refuse them%0Ahelp: put a `system` text into their first rows, or replay with `cache: { salt: false }`

----- stderr -----
tests/fixtures/datasets/scattered.jsonl: 3 errors, 1 warning; 4 usable trajectories, 3 broken, 4 client turns
");
    for format in ["json", "sarif"] {
        let text = run(format);
        let stdout = text.split("-----").nth(2).unwrap();
        let document: serde_json::Value = serde_json::from_str(stdout).unwrap();
        assert!(document.to_string().contains("dataset-scattered-conversation"), "{format}");
    }
}

#[test]
fn inspect_counts_for_people() {
    let reference = ["inspect", "tests/fixtures/reference-replay/dataset.jsonl"];
    insta::assert_snapshot!(dataset(&reference));
}

#[test]
fn inspect_counts_for_programs() {
    let systems = ["inspect", "tests/fixtures/datasets/systems.jsonl", "--format", "json"];
    insta::assert_snapshot!(dataset(&systems));
}

#[test]
fn generate_writes_a_set_that_validates_and_overwrites_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set.jsonl.gz");
    let path = path.to_str().unwrap();
    let arguments = ["generate", "official-shape", "--scale", "0.01", "--out", path];
    let hidden = |text: String| text.replace(path, "set.jsonl.gz");
    let first = hidden(dataset(&arguments));
    assert!(first.starts_with("exit code: 0\n----- stdout -----\n\n"), "{first}");
    assert!(
        first.contains("set.jsonl.gz: 6 trajectories, 303 client turns, 303 assistant turns, "),
        "{first}"
    );
    insta::assert_snapshot!(hidden(dataset(&["validate", path])), @r"
exit code: 0
----- stdout -----

----- stderr -----
set.jsonl.gz: 0 errors, 0 warnings; 6 usable trajectories, 303 client turns
");
    insta::assert_snapshot!(hidden(dataset(&arguments)), @r"
exit code: 2
----- stdout -----

----- stderr -----
error: set.jsonl.gz exists

help: choose another name, or give --force
");
    let forced = hidden(dataset(&[&arguments[..], &["--force"]].concat()));
    assert_eq!(forced, first);
    let bad = dataset(&["generate", "coding", "--scale", "0", "--out", path]);
    assert!(bad.contains("expected a number from 0.000001 to 1000"), "{bad}");
}

#[test]
fn convert_writes_what_it_can_and_says_what_it_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("set.jsonl");
    let path = path.to_str().unwrap();
    let clean = ["convert", "tests/fixtures/import/claude-code.jsonl", "--out", path];
    let text = dataset(&clean).replace(path, "set.jsonl");
    assert!(text.starts_with("exit code: 0\n"), "{text}");
    assert!(
        text.contains(
            "set.jsonl: 2 conversations, 4 client turns, 3 assistant turns; 0 left out, \
             0 snapshots replaced by a longer one"
        ),
        "{text}"
    );
    assert!(dataset(&clean).contains("help: choose another name, or give --force"));
    let broken = ["convert", "tests/fixtures/import/broken.jsonl", "--force", "--out", path];
    let text = dataset(&broken).replace(path, "set.jsonl");
    assert!(text.starts_with("exit code: 1\n"), "{text}");
    assert!(text.contains("set.jsonl: 1 conversation, 1 client turn"), "{text}");
    // What cannot be converted at all leaves the old file alone.
    let other = ["convert", "datasets/coding.jsonl", "--force", "--out", path];
    let text = dataset(&other);
    assert!(text.starts_with("exit code: 1\n"), "{text}");
    assert!(text.contains("nothing was converted, and nothing written"), "{text}");
    assert!(std::fs::read_to_string(path).unwrap().contains("\"fine\""));
    let missing = dataset(&["convert", "missing.jsonl", "--out", path]);
    assert!(missing.starts_with("exit code: 2\n"), "{missing}");
}

/// One token for each character, and what slots hold.
#[test]
fn inspect_counts_with_a_tokenizer() {
    let exact = dataset(&[
        "inspect",
        "tests/fixtures/reference-replay/dataset.jsonl",
        "--tokenizer",
        "tests/fixtures/character-tokenizer",
        "--slots",
        "1,8",
        "--kv-bytes-per-token",
        "1000",
    ]);
    insta::assert_snapshot!(exact);
}

#[test]
fn inspect_writes_one_page_and_overwrites_none() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("set.html");
    let inspect = |more: &[&str]| {
        let page = page.to_str().unwrap();
        let set = ["inspect", "datasets/workflow.jsonl", "--slots", "8", "--html", page];
        dataset(&[&set, more].concat())
    };
    assert!(inspect(&[]).starts_with("exit code: 0"));
    let html = std::fs::read_to_string(&page).unwrap();
    for part in ["<!doctype html>", "<svg", "workflow: 12 trajectories", "estimated", "KV cache"] {
        assert!(html.contains(part), "{part}");
    }
    // Nothing is loaded from elsewhere.
    assert!(!html.contains("src=") && !html.contains("href=") && !html.contains("@import"));
    assert!(inspect(&[]).starts_with("exit code: 2"));
    assert!(inspect(&["--force"]).starts_with("exit code: 0"));
}
