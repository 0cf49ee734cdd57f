//! `scenario validate` and `scenario schema` as processes.

use std::process::{Command, Output};

/// Runs the program in the package's directory.
fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scenario"))
        .args(arguments)
        .env_remove("ENDPOINT_API_KEY")
        .env_remove("ENDPOINT_URL")
        .output()
        .unwrap()
}

/// Exit code, stdout and stderr.
fn show(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    format!("exit {}\n--- stdout\n{out}--- stderr\n{err}", output.status.code().unwrap())
}

const SHORT: &str = "tests/fixtures/scenarios/sweep-short.yaml";
const RANGE: &str = "tests/fixtures/scenarios/sweep-range.yaml";

#[test]
fn findings_go_to_stdout_and_the_count_to_stderr() {
    insta::assert_snapshot!(show(&run(&["validate", SHORT, RANGE])), @r"
    exit 1
    --- stdout
    warning[sweep-short]: the range gives 2 points instead of 9
     --> tests/fixtures/scenarios/sweep-short.yaml:6:9
      |
    6 | load: { concurrency: { from: 1, to: 2, points: 9 } }
      |         ^^^^^^^^^^^
      |
      = note: rounded to whole conversations, they are 1 and 2
      = help: ask for fewer points or a wider range

    error[sweep-range]: the sweep starts at 8 and ends at 2
     --> tests/fixtures/scenarios/sweep-range.yaml:6:30
      |
    6 | load: { concurrency: { from: 8, to: 2, points: 3 } }
      |                              ^      - lower than the start
      |
      = help: swap the two

    --- stderr
    tests/fixtures/scenarios/sweep-short.yaml: 1 warning
    tests/fixtures/scenarios/sweep-range.yaml: 1 error
    ");
}

#[test]
fn github_annotations_have_places() {
    insta::assert_snapshot!(show(&run(&["validate", "--format", "github", "--quiet", RANGE])), @r"
    exit 1
    --- stdout
    ::error file=tests/fixtures/scenarios/sweep-range.yaml,line=6,endLine=6,col=30,endColumn=31,title=sweep-range::the sweep starts at 8 and ends at 2%0Ahelp: swap the two
    --- stderr
    ");
}

#[test]
fn json_and_sarif_are_one_document_over_all_files() {
    for format in ["json", "sarif"] {
        let output = run(&["validate", "--format", format, SHORT, RANGE]);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = match format {
            "json" => &document["findings"],
            _ => &document["runs"][0]["results"],
        };
        assert_eq!(findings.as_array().unwrap().len(), 2, "{format}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn exit_codes_tell_findings_from_files_that_cannot_be_read() {
    let code = |arguments: &[&str]| run(arguments).status.code().unwrap();
    assert_eq!(code(&["validate", "scenarios/quickstart.yaml"]), 0);
    assert_eq!(code(&["validate", SHORT]), 0, "warnings are no errors");
    assert_eq!(code(&["validate", SHORT, RANGE]), 1);
    assert_eq!(code(&["validate", RANGE, "--set", "load.concurrency=[1]"]), 0);
    assert_eq!(code(&["validate", RANGE, "no-such-file.yaml"]), 2);
    assert_eq!(code(&["validate"]), 2);
    assert_eq!(code(&["schema", "--check", "schemas/scenario.schema.json"]), 0);
    assert_eq!(code(&["schema", "--check", "Cargo.toml"]), 1);
    assert_eq!(code(&["schema", "--check", "no-such-file.json"]), 2);
}

#[test]
fn the_schema_command_prints_the_committed_file() {
    let file = std::fs::read("schemas/scenario.schema.json").unwrap();
    assert!(run(&["schema"]).stdout == file);
    insta::assert_snapshot!(show(&run(&["schema", "--check", "Cargo.toml"])), @r"
    exit 1
    --- stdout
    --- stderr
    error: Cargo.toml:1: the schema is not the one that this program generates

    help: scenario schema > Cargo.toml
    ");
}
