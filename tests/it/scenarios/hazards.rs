//! Files that cannot be kept as fixtures, and texts that nobody would write.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::support::{folder, human, load};

/// The findings about a file with these bytes.
fn about(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.yaml");
    std::fs::write(&path, bytes).unwrap();
    human(&load(&path)).replace(&folder.path().display().to_string(), "[folder]")
}

#[test]
fn a_file_of_100_mib_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.yaml");
    std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
    let start = Instant::now();
    let text = human(&load(&path)).replace(&folder.path().display().to_string(), "[folder]");
    assert!(start.elapsed() < Duration::from_secs(2));
    insta::assert_snapshot!(text, @r"
    error[file-too-large]: `[folder]/big.yaml` is larger than 1 MiB
    --> [folder]/big.yaml
     = help: a scenario file is a few kilobytes; is this a data set?
    ");
}

#[test]
fn an_endless_file_is_refused() {
    insta::assert_snapshot!(human(&load(Path::new("/dev/zero"))), @r"
    error[file-too-large]: `/dev/zero` is larger than 1 MiB
    --> /dev/zero
     = help: a scenario file is a few kilobytes; is this a data set?
    ");
}

#[test]
fn invalid_utf8_names_line_and_byte() {
    insta::assert_snapshot!(about(b"schema: scenario/v1\nname: caf\xe9\n"), @r"
    error[file-not-utf8]: `[folder]/bad.yaml` is not UTF-8 text: byte 0xe9 at offset 29
    --> [folder]/bad.yaml:2
     = help: save the file as UTF-8
    ");
}

#[test]
fn a_missing_file_and_a_directory_are_said_to_be_so() {
    let missing = human(&load(Path::new("tests/fixtures/scenarios/no-such-file.yaml")));
    let directory = human(&load(Path::new("tests/fixtures/scenarios")));
    insta::assert_snapshot!(missing + &directory, @r"
    error[file-unreadable]: `tests/fixtures/scenarios/no-such-file.yaml` does not exist
    --> tests/fixtures/scenarios/no-such-file.yaml
    error[file-unreadable]: `tests/fixtures/scenarios` is a directory
    --> tests/fixtures/scenarios
    ");
}

#[test]
fn a_byte_order_mark_does_not_matter() {
    let text = "\u{feff}schema: scenario/v1\nname: [\n";
    insta::assert_snapshot!(about(text.as_bytes()), @r"
    error[yaml-syntax]: the text is no YAML: unclosed bracket `[`
     --> [folder]/bad.yaml:2:7
      |
    2 | name: [
      |       ^
    ");
}

#[test]
fn a_file_full_of_mistakes_takes_little_time_and_says_how_many_there_are() {
    let unknown: Vec<String> = (0..20_000).map(|i| format!("unknown_{i}: 1")).collect();
    let unknown = unknown.join("\n");
    let twice = "log: {}\n".repeat(20_000);
    let checks = "  - { id: a }\n".repeat(20_000);
    for text in [unknown, twice, format!("compliance:\n checks:\n{checks}")] {
        let folder = folder(&[("bad.yaml", &text)]);
        let start = Instant::now();
        let loaded = load(&folder.path().join("bad.yaml"));
        assert_eq!(loaded.diagnostics.len(), 201);
        let last = &loaded.diagnostics[200];
        assert!(last.message.ends_with(" more findings are not shown"), "{}", last.message);
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }
}

#[test]
fn every_prefix_of_a_scenario_gives_findings_and_no_panic() {
    let whole = std::fs::read_to_string("scenarios/quickstart.yaml").unwrap();
    let folder = folder(&[("p.yaml", "")]);
    let path = folder.path().join("p.yaml");
    for end in (0..whole.len()).step_by(7).filter(|end| whole.is_char_boundary(*end)) {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert!(load(&path).scenario.is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "[-a-c0-9:{}\\[\\],&*!|>'\"#%@`\\n\\t .é😀$?]{0,60}") {
        let file: Arc<Path> = Path::new("x.yaml").into();
        let parsed = scenario::yaml::parse(&file, &text);
        let mut sources = scenario::diagnostics::SourceMap::default();
        sources.insert("x.yaml", text);
        for color in [false, true] {
            scenario::diagnostics::render_human(&parsed.diagnostics, &sources, color);
        }
        scenario::diagnostics::render_sarif(&parsed.diagnostics, &sources);
    }
}
