//! Conversations of other tools: what their fixtures become, and what broken files do.

use std::path::Path;

use scenario::dataset::import::RedactedKind::{Home, Mail, Secret};
use scenario::dataset::import::{Converter, Options, Summary};
use scenario::dataset::{Limits, Message, Reader, Row, Trajectory};
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
fn swe_agent_histories_lose_their_demonstrations() {
    let converted = fixture("swe-agent.traj", Options::default());
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

#[test]
fn block_traces_become_words_with_the_same_beginnings() {
    let converted = fixture("mooncake.jsonl", Options::default());
    assert_eq!((converted.summary.conversations, converted.summary.left_out), (4, 1));
    insta::assert_snapshot!(converted.findings);
    let systems: Vec<_> = trajectories(&converted).into_iter().map(|t| t.system.unwrap()).collect();
    let words = |text: &str| text.split(' ').count();
    assert_eq!([&systems[0], &systems[1]].map(|text| words(text)), [512, 512]);
    assert!(systems[0] == systems[1] && systems[0] == systems[2]);
    assert_eq!(words(&systems[3]), 10);
    let requests: Vec<String> = trajectories(&converted).iter().map(|t| text(t, 0)).collect();
    assert_eq!(requests.iter().map(|text| words(text)).collect::<Vec<_>>(), [518, 588, 88, 10]);
    let common = requests[0].split(' ').zip(requests[1].split(' ')).take_while(|(a, b)| a == b);
    assert!((512..516).contains(&common.count()));
    assert_eq!(words(&text(&trajectories(&converted)[0], 1)), 5);
    // The same every time.
    assert_eq!(converted.rows, fixture("mooncake.jsonl", Options::default()).rows);
}

#[test]
fn sessions_of_a_block_trace_are_conversations() {
    let options = || Options { block_tokens: Some(4), ..Options::default() };
    let sessions = fixture("sessions.jsonl", options());
    assert_eq!(sessions.findings, "");
    insta::assert_snapshot!("sessions", sessions.rows);
    let chats = fixture("chats.jsonl", Options::default());
    assert_eq!(chats.findings, "");
    insta::assert_snapshot!("chats", chats.rows);
}

fn trajectories(converted: &Converted) -> Vec<Trajectory> {
    read_all(converted.rows.as_bytes())
}

fn read_all(rows: &[u8]) -> Vec<Trajectory> {
    let mut reader = Reader::new(Path::new("out.jsonl"), rows, Limits::default());
    std::iter::from_fn(|| reader.next_trajectory()).collect()
}

/// The text of a row.
fn text(trajectory: &Trajectory, row: usize) -> String {
    match &trajectory.rows[row].message {
        Message::User { content } => content.clone(),
        Message::Assistant { content, .. } => content.clone().unwrap_or_default(),
        Message::Tool { results } => results.iter().map(|result| &*result.content).collect(),
    }
}

/// The reference client's log gives back the data set that it replayed: everything but the answers
/// to the last requests and the ground truth, which no prompt holds.
#[test]
fn event_logs_with_prompts_give_the_data_set_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference-replay");
    let log = std::fs::read(folder.join("events.jsonl")).unwrap();
    let converted = convert("events.jsonl", &log, Options::default());
    assert_eq!(converted.findings, "");
    let mut expected = read_all(&std::fs::read(folder.join("dataset.jsonl")).unwrap());
    for trajectory in &mut expected {
        let last = trajectory.rows.iter().rposition(Row::is_client_turn).unwrap();
        trajectory.rows.truncate(last + 1);
    }
    let strip = |trajectories: Vec<Trajectory>| -> Vec<_> {
        let message = |row: Row| match row.message {
            Message::Assistant { content, reasoning, tool_calls, .. } => {
                let intent_codes = Vec::new();
                Message::Assistant { content, reasoning, tool_calls, intent_codes }
            }
            other => other,
        };
        let strip = |t: Trajectory| {
            let rows: Vec<_> = t.rows.into_iter().map(|row| (row.turn, message(row))).collect();
            (t.id, t.system, t.tools, rows)
        };
        trajectories.into_iter().map(strip).collect()
    };
    let found = trajectories(&converted);
    // Recorded waits of 50 ms, as they came out, and next to nothing where there was none.
    let delays: Vec<_> =
        found[0].rows.iter().filter_map(|row| row.delay.map(|delay| delay.as_millis())).collect();
    assert_eq!(delays.len(), 6);
    assert!(delays.iter().all(|delay| *delay < 5 || (50..60).contains(delay)), "{delays:?}");
    assert_eq!(strip(found), strip(expected));
}

#[test]
fn an_event_log_without_prompts_says_so() {
    let log = r#"{"event_type":"session.started","timestamp_ns":1,"sample_uuid":"","conversation_id":"","turn":null,"data":null}"#;
    let converted = convert("events.jsonl", log.as_bytes(), Options::default());
    assert!(converted.findings.contains("log: { prompts: true }"), "{}", converted.findings);
}

#[test]
fn snapshots_may_stand_in_any_order_between_others() {
    let snapshot = |id: &str, texts: &[&str]| {
        let message = |(n, text): (usize, &&str)| {
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            format!(r#"{{"role":"{role}","content":"{text}"}}"#)
        };
        let messages: Vec<_> = texts.iter().enumerate().map(message).collect();
        format!("{{{id}\"messages\":[{}]}}\n", messages.join(","))
    };
    let (a, b, none) = ("\"id\":\"a\",", "\"id\":\"b\",", "");
    let file = [
        snapshot(a, &["1"]),
        snapshot(none, &["x"]),
        snapshot(b, &["1", "2"]),
        snapshot(none, &["y"]),
        snapshot(a, &["1", "3", "5"]),
        snapshot(none, &["x", "x2", "x3"]),
        snapshot(a, &["1", "3"]),
        snapshot(b, &["1", "other", "more"]),
    ];
    let converted = convert("f.jsonl", file.concat().as_bytes(), Options::default());
    insta::assert_snapshot!(converted.findings, @r"
warning[import-rewritten]: row 8: the snapshot does not begin like the shorter one of the same conversation
--> f.jsonl:8
 = note: the longer one counts
");
    let found: Vec<_> = trajectories(&converted)
        .iter()
        .map(|t| (t.id.clone(), t.rows.len(), text(t, t.rows.len() - 1)))
        .collect();
    let expected = [("a", 3, "5"), ("f-2", 3, "x3"), ("b", 3, "more"), ("f-4", 1, "y")];
    assert_eq!(found, expected.map(|(id, rows, last)| (id.to_owned(), rows, last.to_owned())));
    assert_eq!(converted.summary.replaced, 4);
}

#[test]
fn redaction_keeps_equal_strings_equal_everywhere() {
    let converted = fixture("secrets.jsonl", Options { redact: true, ..Options::default() });
    insta::assert_snapshot!(converted.rows);
    let counts = &converted.summary.redacted;
    let counts: Vec<_> = counts.iter().map(|(kind, n)| (*kind, n.times, n.different)).collect();
    assert_eq!(counts, [(Secret, 3, 2), (Mail, 3, 2), (Home, 3, 2)]);
    // Without being asked nothing is touched.
    assert!(fixture("secrets.jsonl", Options::default()).rows.contains("hunter2222"));
}

#[test]
fn conversations_beyond_the_limit_are_left_out() {
    for (name, left_out) in [("openai.jsonl", 2), ("claude-code.jsonl", 2), ("chats.jsonl", 1)] {
        let options = Options { conversation_bytes: 200, ..Options::default() };
        let converted = fixture(name, options);
        assert!(converted.findings.contains("is longer than 200 bytes"), "{}", converted.findings);
        assert_eq!(converted.summary.left_out, left_out, "{name}");
    }
}

/// Files cut at any byte, with lines twice or in reverse: findings, never a crash, and whatever is
/// written is valid.
#[test]
fn truncated_duplicated_and_reordered_files_give_findings() {
    for name in [
        "openai.jsonl",
        "claude-code.jsonl",
        "mini-swe-agent.traj.json",
        "swe-agent.traj",
        "sharegpt.json",
        "broken.jsonl",
        "sessions.jsonl",
        "chats.jsonl",
        "secrets.jsonl",
        "../reference-replay/events.jsonl",
    ] {
        let whole = bytes(name);
        // The event log is long.
        let step = (whole.len() / 100).max(7);
        for repair in [false, true] {
            let options = || Options { repair, max_delay_ms: 1000, ..Options::default() };
            for end in (0..whole.len()).step_by(step) {
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
