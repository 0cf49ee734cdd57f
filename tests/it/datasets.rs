//! Reading data sets: the recorded reference set, and files that are wrong in one way each.

use std::path::Path;

use scenario::dataset::{Limits, Message, Reader};

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[test]
fn reads_the_reference_set() {
    let path = fixture("reference-replay/dataset.jsonl");
    let mut reader = Reader::open(&path, Limits::default()).unwrap();
    let mut trajectories = Vec::new();
    while let Some(trajectory) = reader.next_trajectory() {
        trajectories.push(trajectory);
    }
    let facts = reader.finish();
    assert_eq!(reader.diagnostics(), []);
    let ids: Vec<_> = trajectories.iter().map(|trajectory| &*trajectory.id).collect();
    assert_eq!(ids, ["django__django-0001", "sim_001", "plain-conv_1"]);
    assert_eq!(facts.client_turns, 15);
    assert_eq!(facts.assistant_turns, 13);
    assert_eq!(facts.total_delay, std::time::Duration::from_millis(350));
    assert_eq!((facts.workflow_trajectories, facts.without_system), (1, 0));
    assert_eq!(facts.sha256.unwrap(), scenario::digest::sha256_hex(&std::fs::read(&path).unwrap()));
    let coding = &trajectories[0];
    assert_eq!(coding.rows.len(), 13);
    assert!(
        coding
            .tools
            .as_ref()
            .unwrap()
            .starts_with(r#"[{"type":"function","function":{"name":"bash","#)
    );
    match &trajectories[1].rows[5].message {
        Message::Assistant { content, tool_calls, intent_codes, .. } => {
            assert_eq!(*content, None);
            assert_eq!(*intent_codes, ["i002"]);
            assert!(
                tool_calls
                    .as_ref()
                    .unwrap()
                    .ends_with(r#""arguments":{"order_id":"42","note":"été"}}}]"#)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn shipped_sets_are_clean() {
    for (name, trajectories, client_turns, workflow) in
        [("coding.jsonl", 6, 44, 0), ("workflow.jsonl", 12, 54, 12)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name);
        let mut reader = Reader::open(&path, Limits::default()).unwrap();
        let facts = reader.finish();
        assert_eq!(reader.diagnostics(), [], "{name}");
        assert_eq!(
            (facts.trajectories, facts.client_turns, facts.workflow_trajectories),
            (trajectories, client_turns, workflow),
            "{name}"
        );
        assert_eq!(facts.without_system, 0, "{name}");
        assert!(facts.reasoning_turns > 0, "{name}");
        assert_eq!(facts.intent_turns > 0, workflow > 0, "{name}");
    }
}
