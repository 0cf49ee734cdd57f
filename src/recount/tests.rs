//! Conversations that grow, conversations that do not, and what session ids mean.

use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::index::source_and_pass;
use super::source::LogSource;
use super::*;
use crate::tokens::count::Source as _;

#[test]
fn sessions_are_passes_over_sources() {
    let cases = [
        ("a", ("a", 1)),
        ("a__repeat_2", ("a", 2)),
        ("a__repeat_2__repeat_31", ("a__repeat_2", 31)),
        ("a__repeat_1", ("a__repeat_1", 1)),
        ("a__repeat_02", ("a__repeat_02", 1)),
        ("a__repeat_+2", ("a__repeat_+2", 1)),
        ("a__repeat_x", ("a__repeat_x", 1)),
        ("__repeat_9", ("", 9)),
    ];
    for (id, expected) in cases {
        assert_eq!(source_and_pass(id), expected, "{id}");
    }
}

/// A log of one conversation in the reference client's form: for each turn its messages and tools.
fn log(turns: &[(&[&str], Option<&str>)]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut lines = Vec::new();
    for (number, (messages, tools)) in turns.iter().enumerate() {
        let line = |event: &str, data: serde_json::Value| {
            json!({
                "event_type": event, "timestamp_ns": number, "conversation_id": "a",
                "sample_uuid": format!("{number:032x}"), "turn": number, "data": data,
            })
            .to_string()
        };
        let messages: Vec<_> =
            messages.iter().map(|text| json!({"role": "user", "content": text})).collect();
        let prompt = json!(["PromptData", null, null, messages, tools, null, null, null]);
        lines.push(line("sample.issued", prompt));
        lines.push(line("sample.complete", json!(["TextModelOutput", "x", null, null])));
    }
    std::fs::write(file.path(), lines.join("\n")).unwrap();
    file
}

/// For each conversation that is counted at once: the lengths of its prompts.
fn lengths(turns: &[(&[&str], Option<&str>)]) -> Vec<Vec<usize>> {
    let file = log(turns);
    let index = LogIndex::read(file.path(), &AtomicBool::new(false)).unwrap();
    assert_eq!(index.turns(), turns.len());
    assert!(Prompts::are_logged(&index).unwrap());
    let source = LogSource { index: &index, prompts: &Prompts::logged() };
    let sessions = source.group(0).unwrap();
    let replies: usize = sessions.iter().map(|session| session.replies.len()).sum();
    assert_eq!(replies, turns.len());
    sessions.into_iter().map(|session| session.prompts).collect()
}

#[test]
fn a_history_that_grows_is_one_conversation() {
    assert_eq!(lengths(&[(&["a"], None), (&["a", "b"], None), (&["a", "b"], None)]), [[1, 2, 2]]);
}

#[test]
fn a_history_or_tools_that_change_begin_another() {
    assert_eq!(
        lengths(&[(&["a", "b"], None), (&["a"], None), (&["a", "c"], None)]),
        [vec![2], vec![1, 2]]
    );
    // A text that only begins like the last message is another message.
    assert_eq!(lengths(&[(&["a"], None), (&["ab", "c"], None)]), [[1], [2]]);
    assert_eq!(lengths(&[(&[], None), (&["a"], None)]), [[0], [1]]);
    assert_eq!(lengths(&[(&["a"], None), (&["a", "b"], Some("t"))]), [[1], [2]]);
}

#[test]
fn a_log_without_prompts_says_so() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let never = AtomicBool::new(false);
    let empty = LogIndex::read(file.path(), &never).unwrap();
    assert_eq!((empty.turns(), Prompts::are_logged(&empty).unwrap()), (0, true));
    let issued = r#"{"event_type":"sample.issued","timestamp_ns":1,"sample_uuid":"00000000000000000000000000000001","conversation_id":"a","turn":1,"data":null,"prompt":{"sha256":null,"bytes":3,"salt_markers":0}}"#;
    let complete = r#"{"event_type":"sample.complete","timestamp_ns":2,"sample_uuid":"00000000000000000000000000000001","conversation_id":"a","turn":1,"data":["TextModelOutput","x",null,null]}"#;
    std::fs::write(file.path(), format!("{issued}\n{complete}\n")).unwrap();
    let index = LogIndex::read(file.path(), &never).unwrap();
    assert!(!Prompts::are_logged(&index).unwrap());
}
