//! Conversations of other tools: what their fixtures become, and what broken files do.

use std::path::Path;

use scenario::dataset::import::{Converter, Options, Summary};
use scenario::dataset::{Limits, Reader};
use scenario::diagnostics::{SourceMap, render_human};

/// What came of a file: rows, findings, counts.
struct Converted {
    rows: String,
    findings: String,
    summary: Summary,
}

/// Converts bytes, and checks that whatever is written is a data set without an error.
fn convert(name: &str, bytes: &[u8], options: Options) -> Converted {
    let mut converter = Converter::new(Vec::new(), options);
    converter.file(Path::new(name), bytes).unwrap();
    let findings = render_human(converter.diagnostics(), &SourceMap::default(), false);
    let (rows, summary) = converter.finish();
    if !rows.is_empty() {
        let mut reader = Reader::new(Path::new("out.jsonl"), &*rows, Limits::default());
        let facts = reader.finish();
        assert_eq!(reader.errors(), 0, "{:?}", reader.diagnostics());
        assert_eq!(
            [facts.trajectories, facts.client_turns, facts.assistant_turns],
            [summary.conversations, summary.client_turns, summary.assistant_turns]
        );
    }
    Converted { rows: String::from_utf8(rows).unwrap(), findings, summary }
}

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name);
    std::fs::read(path).unwrap()
}

fn fixture(name: &str, options: Options) -> Converted {
    convert(name, &bytes(name), options)
}

#[test]
fn openai_snapshots_keep_their_messages_and_the_longest_wins() {
    let converted = fixture("openai.jsonl", Options::default());
    assert_eq!((converted.summary.conversations, converted.summary.replaced), (3, 2));
    insta::assert_snapshot!(converted.rows);
    insta::assert_snapshot!(converted.findings);
}

#[test]
fn claude_code_sessions_become_conversations_with_their_agents() {
    let system = Some("You are a coding agent.".to_owned());
    let converted = fixture("claude-code.jsonl", Options { system, ..Options::default() });
    assert_eq!(converted.findings, "");
    insta::assert_snapshot!(converted.rows);
}

#[test]
fn mini_swe_agent_trajectories_are_read_as_one_document() {
    let converted = fixture("mini-swe-agent.traj.json", Options::default());
    assert_eq!(converted.findings, "");
    insta::assert_snapshot!(converted.rows);
}

#[test]
fn sharegpt_arrays_are_read_element_by_element() {
    let converted = fixture("sharegpt.json", Options { repair: true, ..Options::default() });
    insta::assert_snapshot!(converted.rows);
    insta::assert_snapshot!(converted.findings);
}

#[test]
fn broken_conversations_are_left_out_with_their_position() {
    let converted = fixture("broken.jsonl", Options::default());
    assert_eq!((converted.summary.conversations, converted.summary.left_out), (1, 5));
    insta::assert_snapshot!(converted.findings);
}

#[test]
fn repair_mends_them() {
    let converted = fixture("broken.jsonl", Options { repair: true, ..Options::default() });
    assert_eq!((converted.summary.conversations, converted.summary.left_out), (5, 1));
    insta::assert_snapshot!(converted.rows);
    insta::assert_snapshot!(converted.findings);
}

/// Files cut at any byte, with lines twice or in reverse: findings, never a crash, and whatever is
/// written is valid.
#[test]
fn truncated_duplicated_and_reordered_files_give_findings() {
    for name in [
        "openai.jsonl",
        "claude-code.jsonl",
        "mini-swe-agent.traj.json",
        "sharegpt.json",
        "broken.jsonl",
    ] {
        let whole = bytes(name);
        for repair in [false, true] {
            let options = || Options { repair, max_delay_ms: 1000, ..Options::default() };
            for end in (0..whole.len()).step_by(7) {
                convert(name, &whole[..end], options());
            }
            let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
            let twice: Vec<u8> =
                lines.iter().flat_map(|line| [*line, *line]).flatten().copied().collect();
            convert(name, &twice, options());
            let reversed: Vec<u8> = lines.iter().rev().copied().flatten().copied().collect();
            convert(name, &reversed, options());
        }
    }
    let empty = convert("empty.jsonl", b" \n", Options::default());
    assert!(empty.findings.contains("the file holds no conversation"), "{}", empty.findings);
}
