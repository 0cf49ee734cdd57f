//! A secret never shows: in no format of findings, no resolved document, no debug output.

use std::path::Path;

use proptest::prelude::*;
use scenario::diagnostics::{render_github, render_human, render_json, render_sarif};
use scenario::scenario::Loaded;

use super::support::{CONVERSATION, bad_files, folder, load, load_with};

/// A value's debug output.
fn debug(value: &dyn std::fmt::Debug) -> String {
    format!("{value:?}{value:#?}")
}

/// Everything that can come out of loading.
fn everything(loaded: &Loaded) -> String {
    let (findings, sources) = (&loaded.diagnostics, &loaded.sources);
    let mut text = render_human(findings, sources, false);
    text.push_str(&render_human(findings, sources, true));
    text.push_str(&render_json(findings, sources));
    text.push_str(&render_github(findings, sources));
    text.push_str(&render_sarif(findings, sources));
    text.push_str(&debug(loaded));
    if let Some(scenario) = &loaded.scenario {
        text.push_str(&scenario.resolved_yaml());
        text.push_str(&scenario.source_text);
        text.push_str(&debug(scenario));
    }
    text
}

#[test]
fn no_fixture_shows_its_secret() {
    let mut secrets = 0;
    for path in bad_files() {
        let text = everything(&load(&path));
        secrets +=
            usize::from(std::fs::read_to_string(&path).unwrap().contains("sk-fixture-secret"));
        for secret in ["sk-fixture", "sk-from", "4711081512"] {
            assert!(!text.contains(secret), "{} shows {secret}", path.display());
        }
    }
    assert!(secrets >= 10);
}

/// A valid scenario with these lines in its endpoint.
fn scenario(endpoint: &str) -> tempfile::TempDir {
    let text = format!(
        "schema: scenario/v1\nname: s\nmodel: {{ name: m }}\nendpoint:\n  urls: [http://h:1]\n{endpoint}\
         datasets: [{{ name: a, path: a.jsonl }}]\nload: {{ concurrency: [1] }}\n"
    );
    folder(&[("s.yaml", &text), ("a.jsonl", CONVERSATION)])
}

#[test]
fn a_valid_scenario_keeps_its_secrets_to_itself() {
    let folder = scenario(
        "  api_key: sk-fixture-a\n  headers: { X-Api-Key: sk-fixture-b, X-Tenant: sk-fixture-c }\n",
    );
    let loaded = load(&folder.path().join("s.yaml"));
    let valid = loaded.scenario.as_ref().unwrap();
    assert_eq!(valid.endpoint.api_key.as_ref().unwrap().expose(), "sk-fixture-a");
    assert_eq!(valid.endpoint.headers["X-Tenant"].expose(), "sk-fixture-c");
    assert!(!everything(&loaded).contains("sk-fixture"));
    assert!(valid.source_text.contains("api_key: ************\n"));
}

#[test]
fn secrets_from_the_environment_and_the_command_line_stay_hidden() {
    let folder = scenario("  api_key: ${KEY}\n");
    let path = folder.path().join("s.yaml");
    let loaded = load(&path);
    let digest = loaded.scenario.as_ref().unwrap().digest.clone();
    assert_eq!(loaded.diagnostics, []);
    assert!(!everything(&loaded).contains("sk-from"));
    assert!(loaded.scenario.as_ref().unwrap().source_text.contains("api_key: ${KEY}\n"));

    let set = [("endpoint.api_key", "sk-fixture-d"), ("endpoint.apikey", "sk-fixture-e")];
    let loaded = load_with(&path, &set[..1]);
    let valid = loaded.scenario.as_ref().unwrap();
    assert_eq!(valid.endpoint.api_key.as_ref().unwrap().expose(), "sk-fixture-d");
    assert_eq!(valid.digest, digest, "the digest does not depend on secrets");
    assert!(!everything(&loaded).contains("sk-fixture"));
    let loaded = load_with(&path, &set);
    assert!(loaded.scenario.is_none());
    assert!(!everything(&loaded).contains("sk-fixture"));
    let loaded = load_with(&path, &[("endpoint.headers.X-Key", "[sk-fixture-f, {")]);
    assert!(!everything(&loaded).contains("sk-fixture"));
    let loaded = load_with(Path::new("no.yaml"), &set);
    assert!(!everything(&loaded).contains("sk-fixture"));
}

#[test]
fn an_empty_key_is_none() {
    for line in
        ["  api_key: ${EMPTY}\n", "  api_key: ${NOT_SET:-}\n", "  api_key: ''\n", "  api_key:\n"]
    {
        let folder = scenario(line);
        let loaded = load(&folder.path().join("s.yaml"));
        assert_eq!(loaded.diagnostics, [], "{line}");
        assert_eq!(loaded.scenario.unwrap().endpoint.api_key, None, "{line}");
    }
}

/// A valid scenario with secrets in the forms that people write them in.
const FUZZED: &str = "\
schema: scenario/v1
name: s
model: { name: m }
endpoint:
  urls: [http://h:1]
  api_key: fixture-one # old: fixture-two
  headers: { Authorization: 'Bearer fixture-three', usage: x }
datasets: [{ name: a, path: a.jsonl }]
load: { concurrency: [1] }
";

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_slip_of_the_pen_shows_no_secret(
        at in 0..FUZZED.len(), remove in 0..2_usize, insert in "[{}\\[\\]:,#&*!|>'\" \ta-z0-9_=-]{0,1}",
    ) {
        let end = (at + remove).min(FUZZED.len());
        let text = format!("{}{insert}{}", &FUZZED[..at], &FUZZED[end..]);
        let folder = folder(&[("s.yaml", &text)]);
        let shown = everything(&load(&folder.path().join("s.yaml")));
        for secret in ["fixture-one", "fixture-two", "fixture-three"] {
            prop_assert!(!shown.contains(secret), "{text}\n{shown}");
        }
    }
}
