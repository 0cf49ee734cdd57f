//! `scenario init`.

use super::process::{Sandbox, assert_done};

#[test]
fn every_template_is_valid_and_the_first_one_runs() {
    let sandbox = Sandbox::new();
    for template in ["simulated", "endpoint", "benchmark"] {
        let done = sandbox.run(&["init", template, "--template", template]);
        assert_eq!(done.code, Some(0), "{done}");
        assert_eq!(done.stdout, format!("{template}.yaml\n"));
        let valid = sandbox.run(&["validate", done.stdout.trim()]);
        assert_eq!(valid.code, Some(0), "{valid}");
        assert_eq!(sandbox.run(&["plan", done.stdout.trim()]).code, Some(0));
    }
    let take = ["--set", "mix.take={ coding: 1, workflow: 1 }"];
    let done = sandbox.run(&[&["run", "simulated.yaml", "-q"][..], &take].concat());
    assert_eq!(done.code, Some(0), "{done}");
}

#[test]
fn nothing_is_overwritten_without_force() {
    let sandbox = Sandbox::new();
    assert_done!(sandbox.run(&["init", "mine"]), @r"
    exit code: 0
    ----- stdout -----
    mine.yaml
    ----- stderr -----
    wrote mine.yaml
    wrote datasets/coding.jsonl
    wrote datasets/workflow.jsonl

    Next:
      scenario validate mine.yaml
      scenario plan mine.yaml
      scenario run mine.yaml
    ");
    assert_eq!(sandbox.run(&["init", "mine"]).code, Some(0), "the same again changes nothing");
    sandbox.write("mine.yaml", "edited");
    assert_done!(sandbox.run(&["init", "mine"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: mine.yaml: exists already; nothing was written

    help: choose another NAME or directory, or overwrite with --force
    ");
    assert_eq!(sandbox.read("mine.yaml"), "edited");
    assert_eq!(sandbox.run(&["init", "mine", "--force"]).code, Some(0));
    assert_ne!(sandbox.read("mine.yaml"), "edited");
}

#[test]
fn names_and_places_that_cannot_be_are_explained() {
    let sandbox = Sandbox::new();
    assert_done!(sandbox.run(&["init", "../x"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: invalid value '../x' for '[NAME]': a name starts with a letter or digit and has 1 to 100 characters

    For more information, try '--help'.
    ");
    sandbox.write("datasets", "a file");
    assert_done!(sandbox.run(&["init", "x", "--force"]), @r"
    exit code: 3
    ----- stdout -----

    ----- stderr -----
    wrote x.yaml
    error: datasets/coding.jsonl: cannot write the file
      because: File exists (os error 17)
    ");
}
