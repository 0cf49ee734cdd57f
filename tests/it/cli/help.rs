//! Help, version, usage errors, completions.

use super::process::{Sandbox, assert_done};

/// The commands that `scenario --help` lists.
fn commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let entries = lines.take_while(|line| !line.is_empty());
    entries
        .filter(|line| !line.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .collect()
}

#[test]
fn help_of_every_command() {
    let sandbox = Sandbox::new();
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = sandbox.run(&arguments);
        let name = [&["scenario".to_owned()], &command[..]].concat().join(" ");
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(help.stdout.contains("Examples:"), "{name} has no examples");
        insta::assert_snapshot!(name, help.stdout);
        let inner = commands(&help.stdout).into_iter().map(str::to_owned);
        open.extend(inner.map(|inner| [&command[..], &[inner]].concat()));
        seen += 1;
    }
    assert!(seen > 9, "only {seen} commands were found");
}

#[test]
fn the_version_is_the_crates() {
    let version = Sandbox::new().run(&["--version"]);
    assert_eq!(version.stdout, concat!("scenario ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn wrong_usage_is_exit_code_2_and_says_what_is_known() {
    let sandbox = Sandbox::new();
    assert_done!(sandbox.run(&["validatee"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: unrecognized subcommand 'validatee'

      tip: some similar subcommands exist: 'calibrate', 'validate'

    Usage: scenario [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_done!(sandbox.run(&["run"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the following required arguments were not provided:
      <FILE>

    Usage: scenario run <FILE>

    For more information, try '--help'.
    ");
    assert_done!(sandbox.run(&["--color", "sometimes", "plan"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the following required arguments were not provided:
      <FILE>

    Usage: scenario plan <FILE>

    For more information, try '--help'.
    ");
}

#[test]
fn no_arguments_is_help_and_exit_code_2() {
    let done = Sandbox::new().run(&[]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""));
    assert!(done.stderr.contains("Usage: scenario"));
}

#[test]
fn colour_only_when_asked_or_on_a_terminal() {
    let sandbox = Sandbox::new();
    assert!(!sandbox.run(&["--help"]).stdout.contains('\u{1b}'));
    assert!(sandbox.run(&["--color", "always", "--help"]).stdout.contains('\u{1b}'));
    assert!(!sandbox.run(&["run", "missing.yaml"]).stderr.contains('\u{1b}'));
    assert!(sandbox.run(&["--color=always", "run", "missing.yaml"]).stderr.contains('\u{1b}'));
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = sandbox.run(&["completions", shell]);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(done.stdout.contains("validate"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["completions", "zsh"]).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
