//! A secret given as `api_key` or header appears in no file, log line or error text.

use super::fixture;
use super::process::{Done, Sandbox};

const SECRET: &str = "sk-5up3r-s3cr3t";
const HEADER: &str = "h34d3r-s3cr3t";

fn assert_hidden(sandbox: &Sandbox, done: &Done) {
    for secret in [SECRET, HEADER] {
        for text in [&done.stdout, &done.stderr] {
            assert!(!text.contains(secret), "{text}");
        }
        for file in sandbox.files("results") {
            let bytes = std::fs::read(sandbox.path(&file)).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{file}");
        }
    }
}

/// A run with the secrets against a server that wants the key in its environment.
fn run(servers_key: &str, more: &str, set: &[&str]) -> (Sandbox, Done) {
    let sandbox =
        Sandbox::new().env("KEY", SECRET).env("HEADER", HEADER).env("WANTED", servers_key);
    sandbox.write("data.jsonl", &fixture::dataset());
    let (_server, url) = fixture::serve_in(&sandbox, &["--api-key-env", "WANTED"]);
    let headers = "headers: { X-Token: \"${HEADER}\" }";
    let endpoint = format!("{{ urls: [\"{url}\"], api_key: \"${{KEY}}\", {headers} }}");
    sandbox.write("small.yaml", &fixture::scenario(&endpoint, more));
    let done = sandbox.run(&[&["run", "small.yaml"][..], set].concat());
    (sandbox, done)
}

#[test]
fn it_is_sent_and_otherwise_nowhere() {
    let (sandbox, done) = run(SECRET, "log: { prompts: true }\n", &[]);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(sandbox.files("results").len() > 10);
    assert_hidden(&sandbox, &done);
    let plan = sandbox.run(&["plan", "small.yaml", "--format", "json"]);
    assert_eq!(plan.code, Some(0), "{plan}");
    assert_hidden(&sandbox, &plan);
}

#[test]
fn a_server_that_refuses_it_does_not_bring_it_into_the_log() {
    let (sandbox, done) = run("another", "", &[]);
    assert_eq!(done.code, Some(1), "{done}");
    assert_hidden(&sandbox, &done);
}

#[test]
fn findings_about_its_line_do_not_show_it() {
    let sandbox = Sandbox::new().env("KEY", SECRET);
    sandbox.write("data.jsonl", &fixture::dataset());
    let endpoint = format!(
        "{{ urls: [\"http://127.0.0.1:1\"], api_key: \"${{KEY}}\", hedaers: {{ X: {HEADER} }} }}"
    );
    sandbox.write("small.yaml", &fixture::scenario(&endpoint, ""));
    let set = format!("endpoint.api_key={SECRET}\n");
    for arguments in [
        &["validate", "small.yaml"][..],
        &["run", "small.yaml"],
        &["plan", "small.yaml", "--set", &set],
        &["run", "small.yaml", "--set", &format!("endpoint.api_kee={SECRET}")],
    ] {
        let done = sandbox.run(arguments);
        assert_ne!(done.code, Some(0), "{done}");
        let shown = done.stdout + &done.stderr;
        assert!(!shown.contains(SECRET), "{arguments:?}\n{shown}");
    }
}
