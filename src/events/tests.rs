//! The log's shape, line by line, and that reading gives back what was written.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Event, EventKind, PromptFacts, ReadErrorKind, Reader, SampleId, TurnKey, Writer};
use crate::wire::{Failure, FailureKind, FinishReason, Reply, Text, ToolCallDelta, Usage};

fn key() -> TurnKey {
    TurnKey { sample: SampleId(0xab), session: "sim_1__repeat_2".into(), turn: 3 }
}

fn text(first: &str, rest: &str) -> Text {
    Text { first: first.to_owned(), rest: rest.to_owned() }
}

fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> ToolCallDelta {
    let (id, name) = (id.map(str::to_owned), name.map(str::to_owned));
    ToolCallDelta { index, id, name, arguments: arguments.to_owned() }
}

fn log(kinds: impl IntoIterator<Item = EventKind>) -> String {
    let mut writer = Writer::new(Vec::new());
    for (at, kind) in (7..).zip(kinds) {
        writer.write(&Event { at, kind }).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn read(log: &str) -> Vec<Event> {
    Reader::new(log.as_bytes()).collect::<Result<_, _>>().unwrap()
}

fn complete(reply: Reply) -> EventKind {
    EventKind::Complete(key(), Some(Box::new(reply)))
}

#[test]
fn session_lines() {
    insta::assert_snapshot!(
        log([
            EventKind::SessionStarted,
            EventKind::StartTracking,
            EventKind::StopTracking,
            EventKind::SessionEnded,
        ]),
        @r#"
    {"event_type":"session.started","timestamp_ns":7,"sample_uuid":"","conversation_id":"","turn":null,"data":null,"format":{"version":1}}
    {"event_type":"session.start_performance_tracking","timestamp_ns":8,"sample_uuid":"","conversation_id":"","turn":null,"data":null}
    {"event_type":"session.stop_performance_tracking","timestamp_ns":9,"sample_uuid":"","conversation_id":"","turn":null,"data":null}
    {"event_type":"session.ended","timestamp_ns":10,"sample_uuid":"","conversation_id":"","turn":null,"data":null}
    "#
    );
}

#[test]
fn turn_lines() {
    let facts =
        PromptFacts { digest: Some([0xfe; 32]), bytes: Some(1234), salt_markers: 2, body: None };
    let body = br#"{"model":"m","messages":[{"role":"user","content":"h\u00e9"}],"stream":true,"chat_template_kwargs":{"a":1}}"#;
    let with_body = PromptFacts { body: Some(body.as_slice().into()), ..facts.clone() };
    let status = Failure {
        kind: FailureKind::HttpStatus,
        status: Some(500),
        message: "HTTP 500: \"boom\"".to_owned(),
    };
    let prior = Failure::new(FailureKind::PriorFailure, "an earlier turn failed");
    insta::assert_snapshot!(
        log([
            EventKind::Issued(key(), Some(facts)),
            EventKind::Issued(key(), Some(with_body)),
            EventKind::FirstToken(key()),
            EventKind::Failed(key(), status),
            EventKind::Complete(key(), None),
            EventKind::Issued(key(), None),
            EventKind::Failed(key(), prior),
        ]),
        @r#"
    {"event_type":"sample.issued","timestamp_ns":7,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":null,"prompt":{"sha256":"fefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefe","bytes":1234,"salt_markers":2}}
    {"event_type":"sample.issued","timestamp_ns":8,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":["PromptData",null,null,[{"role":"user","content":"h\u00e9"}],null,{"a":1},null,null],"prompt":{"sha256":"fefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefe","bytes":1234,"salt_markers":2}}
    {"event_type":"sample.recv_first","timestamp_ns":9,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":null}
    {"event_type":"error.generic","timestamp_ns":10,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":["ErrorData","http_status","HTTP 500: \"boom\""],"failure":{"kind":"http_status","status":500}}
    {"event_type":"sample.complete","timestamp_ns":11,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":null}
    {"event_type":"sample.issued","timestamp_ns":12,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":["PromptData",null,null,null,null,null,null,null]}
    {"event_type":"error.generic","timestamp_ns":13,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"sim_1__repeat_2","turn":3,"data":["ErrorData","TurnAbortedByPriorFailure","an earlier turn failed"],"failure":{"kind":"prior_failure","status":null}}
    "#
    );
}

#[test]
fn reply_lines_keep_the_reference_conventions() {
    let stop = Some(FinishReason::Stop);
    let content_first = Reply {
        content: text("hello ", "world"),
        finish_reason: stop,
        chunks: 2,
        ..Reply::default()
    };
    let usage = Usage {
        prompt_tokens: 9,
        completion_tokens: 4,
        cached_tokens: Some(8),
        ..Usage::default()
    };
    let reasoning_first = Reply {
        content: text("", "ok"),
        reasoning: text("r", "est"),
        usage: Some(usage),
        ..Reply::default()
    };
    let calls_first = Reply {
        first_tool_calls: vec![call(0, Some("c0"), Some("bash"), "")],
        tool_calls: vec![call(0, None, None, "{}"), call(1, Some("c1"), Some("ls"), "{\"a\":1}")],
        finish_reason: Some(FinishReason::ToolCalls),
        ..Reply::default()
    };
    let kinds = [content_first, reasoning_first, calls_first].map(complete);
    let data: Vec<String> =
        log(kinds).lines().map(|line| line.split_once("\"data\":").unwrap().1.to_owned()).collect();
    insta::assert_snapshot!(data.join("\n"), @r#"
    ["TextModelOutput",["hello ","world"],null,null],"finish_reason":"stop","chunks":2}
    ["TextModelOutput","ok",["r","est"],null],"finish_reason":null,"usage":{"prompt_tokens":9,"completion_tokens":4,"cached_tokens":8},"chunks":0}
    ["TextModelOutput",[],null,[[{"function":{"arguments":"","name":"bash"},"id":"c0","index":0,"type":"function"}],[{"function":{"arguments":"{}"},"index":0}],[{"function":{"arguments":"{\"a\":1}","name":"ls"},"id":"c1","index":1,"type":"function"}]]],"finish_reason":"tool_calls","chunks":0}
    "#);
}

#[test]
fn a_log_of_the_reference_client_without_streaming_reads() {
    let line = r#"{"event_type":"sample.complete","timestamp_ns":5,"sample_uuid":"000000000000000000000000000000ab","conversation_id":"a","turn":1,"data":["TextModelOutput","hi",null,[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"d","type":"function","function":{"name":"g","arguments":null}}]],"finish_reason":"stop","worker_id":0}"#;
    let events = read(line);
    let EventKind::Complete(_, Some(reply)) = &events[0].kind else { panic!("{events:?}") };
    assert_eq!(reply.content, text("", "hi"));
    assert_eq!(reply.first_tool_calls, []);
    assert_eq!(
        reply.tool_calls,
        [call(0, Some("c"), Some("f"), "{}"), call(1, Some("d"), Some("g"), "")]
    );
}

#[test]
fn event_types_that_a_replay_does_not_have_are_passed_over() {
    let log = "{\"event_type\":\"sample.recv_non_first\",\"timestamp_ns\":1}\n\n{\"event_type\":\"session.ended\",\"timestamp_ns\":2}\n";
    let mut reader = Reader::new(log.as_bytes());
    assert_eq!(reader.next().unwrap().unwrap(), Event { at: 2, kind: EventKind::SessionEnded });
    assert!(reader.next().is_none());
    assert_eq!(reader.passed_over(), 1);
}

#[test]
fn broken_lines_are_named() {
    let good = "{\"event_type\":\"session.ended\",\"timestamp_ns\":2}\n";
    let issued = |rest: &str| {
        format!(
            "{{\"event_type\":\"sample.issued\",\"timestamp_ns\":2,\"conversation_id\":\"a\"{rest}}}\n"
        )
    };
    let id = r#","sample_uuid":"000000000000000000000000000000ab""#;
    let cases = [
        "{\"event_type\":\"session.en".to_owned(),
        "nonsense\n".to_owned(),
        "[]\n".to_owned(),
        "{\"event_type\":\"session.ended\",\"timestamp_ns\":-1}\n".to_owned(),
        "{\"event_type\":\"session.started\",\"timestamp_ns\":1,\"format\":{\"version\":2}}\n"
            .to_owned(),
        issued(",\"sample_uuid\":\"xyz\",\"turn\":1"),
        issued(id),
        issued(&format!("{id},\"turn\":1,\"prompt\":{{\"sha256\":\"+1\"}}")),
        issued(&format!("{id},\"turn\":1,\"data\":[\"PromptData\",null,null,7]")),
        format!(
            "{{\"event_type\":\"sample.complete\",\"timestamp_ns\":2,\"turn\":1,\"data\":[\"Other\"]{id}}}\n"
        ),
        format!(
            "{{\"event_type\":\"sample.complete\",\"timestamp_ns\":2,\"turn\":1,\"data\":[\"TextModelOutput\",7]{id}}}\n"
        ),
    ];
    let errors: Vec<String> = cases
        .iter()
        .map(|case| {
            let log = format!("{good}{case}");
            let mut reader = Reader::new(log.as_bytes());
            assert!(reader.next().unwrap().is_ok());
            let error = reader.next().unwrap().unwrap_err();
            assert!(reader.next().is_none(), "nothing after an error");
            error.to_string()
        })
        .collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    line 2 of the event log: cut off in the middle; the run that wrote the log was probably killed
    line 2 of the event log: expected one JSON object per line, found "nonsense"
    line 2 of the event log: expected one JSON object per line, found "[]"
    line 2 of the event log: invalid value: integer `-1`, expected u64
    line 2 of the event log: format version 2, but this version reads up to 1; use a newer scenario
    line 2 of the event log: sample_uuid is "xyz", expected 32 hex digits
    line 2 of the event log: a sample.issued without a turn
    line 2 of the event log: sha256 is "+1", expected 64 hex digits
    line 2 of the event log: invalid type: integer `7`, expected a sequence
    line 2 of the event log: the data of a complete turn is "Other", expected a TextModelOutput
    line 2 of the event log: invalid type: integer `7`, expected null, a text, or a list of texts
    "#);
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let error = Reader::new(endless).with_max_line(1 << 20).next().unwrap().unwrap_err();
    assert!(matches!(error.kind, ReadErrorKind::TooLong { limit: 1_048_576 }));
    assert_eq!(error.line, 1);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "\\PC{0,12}", any::<String>()]
}

fn any_call() -> impl Strategy<Value = ToolCallDelta> {
    let (id, name) = (any::<Option<String>>(), any::<Option<String>>());
    (0..5_u32, id, name, any_text()).prop_map(|(index, id, name, arguments)| ToolCallDelta {
        index,
        id,
        name,
        arguments,
    })
}

prop_compose! {
    fn any_streamed_text()(first in any_text(), rest in any_text()) -> Text {
        Text { first, rest }
    }
}

fn any_reason() -> impl Strategy<Value = Option<FinishReason>> {
    proptest::option::of("stop|length|tool_calls|content_filter|function_call|[a-z ]{1,9}")
        .prop_map(|reason| reason.as_deref().map(FinishReason::parse))
}

prop_compose! {
    fn any_usage()(
        prompt_tokens in any::<u64>(), completion_tokens in any::<u64>(),
        cached_tokens in any::<Option<u64>>(), reasoning_tokens in any::<Option<u64>>(),
    ) -> Usage {
        Usage { prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens }
    }
}

prop_compose! {
    fn any_reply()(
        content in any_streamed_text(), reasoning in any_streamed_text(),
        first_tool_calls in proptest::collection::vec(any_call(), 0..3),
        mut tool_calls in proptest::collection::vec(any_call(), 0..4),
        finish_reason in any_reason(), usage in proptest::option::of(any_usage()),
        chunks in any::<u32>(),
    ) -> Reply {
        // Merged calls: one entry per index, in order.
        tool_calls.sort_by_key(|call| call.index);
        tool_calls.dedup_by_key(|call| call.index);
        Reply { content, reasoning, first_tool_calls, tool_calls, finish_reason, usage, chunks }
    }
}

fn any_key() -> impl Strategy<Value = TurnKey> {
    (any::<u128>(), "[ -~]{1,20}", any::<u32>()).prop_map(|(sample, session, turn)| TurnKey {
        sample: SampleId(sample),
        session: Arc::from(session),
        turn,
    })
}

fn any_failure() -> impl Strategy<Value = Failure> {
    (proptest::sample::select(&FailureKind::ALL), any::<Option<u16>>(), any_text())
        .prop_map(|(kind, status, message)| Failure { kind, status, message })
}

prop_compose! {
    fn any_prompt()(
        digest in any::<[u8; 32]>(), bytes in any::<u64>(), salt_markers in any::<u8>(),
    ) -> PromptFacts {
        PromptFacts { digest: Some(digest), bytes: Some(bytes), salt_markers, body: None }
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![
        Just(EventKind::SessionStarted),
        Just(EventKind::StartTracking),
        Just(EventKind::StopTracking),
        Just(EventKind::SessionEnded),
        (any_key(), proptest::option::of(any_prompt()))
            .prop_map(|(key, prompt)| EventKind::Issued(key, prompt)),
        any_key().prop_map(EventKind::FirstToken),
        (any_key(), any_failure()).prop_map(|(key, failure)| EventKind::Failed(key, failure)),
        (any_key(), proptest::option::of(any_reply().prop_map(Box::new)))
            .prop_map(|(key, reply)| EventKind::Complete(key, reply)),
    ];
    (any::<u64>(), kind).prop_map(|(at, kind)| Event { at, kind })
}

proptest! {
    #[test]
    fn reading_gives_back_what_was_written(
        events in proptest::collection::vec(any_event(), 0..20)
    ) {
        let mut writer = Writer::new(Vec::new());
        for event in &events {
            writer.write(event).unwrap();
        }
        let log = writer.finish().unwrap();
        prop_assert_eq!(memchr::memchr_iter(b'\n', &log).count(), events.len());
        // A tiny buffer cuts lines at every position.
        let reader = Reader::new(std::io::BufReader::with_capacity(3, log.as_slice()));
        let back: Vec<Event> = reader.collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(back, events);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for event in Reader::new(bytes.as_slice()) {
            drop(event);
        }
    }
}
