//! Streams of four real serving stacks decode to what their bytes say, however they are cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use scenario::wire::sse::{Decoder, Event};
use scenario::wire::{Reply, ReplyBuilder, Step};
use serde_json::{Value, json};

use super::pipe::{Rig, sleep_ms};

const STACKS: [&str; 4] = ["hf", "llamacpp", "sglang", "vllm"];
const STREAMS: [&str; 4] =
    ["stream-tools-0.sse", "stream-tools-1.sse", "stream-toolchoice-required.sse", "turn-1.sse"];

fn fixture(stack: &str, name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sse");
    fs::read(root.join(stack).join(name)).unwrap()
}

fn each_stream(mut check: impl FnMut(&str, &str, &[u8])) {
    for stack in STACKS {
        for name in STREAMS {
            check(stack, name, &fixture(stack, name));
        }
    }
}

/// A decoded stream: its reply, and the number (from 0) of the event with the first token.
fn decode<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> (Reply, Option<usize>) {
    let (mut decoder, mut builder) = (Decoder::new(), ReplyBuilder::new());
    let (mut first, mut count) = (None, 0);
    let mut sink = |event: Event<'_>| {
        if builder.push(event.data).unwrap() == Step::FirstFragment {
            assert!(first.replace(count).is_none());
        }
        count += 1;
    };
    for part in parts {
        decoder.push(part, &mut sink).unwrap();
    }
    decoder.finish(&mut sink).unwrap();
    (builder.finish().unwrap(), first)
}

/// The events' data, without a builder.
fn events<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for part in parts {
        decoder.push(part, &mut |event| events.push(event.data.to_vec())).unwrap();
    }
    events
}

/// Decodes parts and compares each event with what is expected, without keeping any.
fn check_events(parts: [&[u8]; 2], expected: &[Vec<u8>], place: &dyn Fn() -> String) {
    let mut decoder = Decoder::new();
    let mut count = 0;
    for part in parts {
        decoder
            .push(part, &mut |event| {
                assert!(expected.get(count).is_some_and(|e| e == event.data), "{}", place());
                count += 1;
            })
            .unwrap();
    }
    assert_eq!(count, expected.len(), "{}", place());
}

/// What a reply says, whichever way it was read.
#[derive(Debug, Default, PartialEq)]
struct Said {
    content: String,
    reasoning: String,
    /// Id, name and arguments by index.
    calls: BTreeMap<u64, (String, String, String)>,
    finish: Option<String>,
    usage: Option<(u64, u64, Option<u64>, Option<u64>)>,
    fragments: u32,
    first: Option<usize>,
    first_fragment: String,
}

/// The whole file read at once, as plain JSON values.
fn read_whole(text: &str) -> Said {
    let mut said = Said::default();
    let chunks = text.split("\n\n").filter(|event| !event.trim().is_empty());
    for (at, event) in chunks.enumerate() {
        let data = event.trim().strip_prefix("data: ").unwrap();
        if data == "[DONE]" {
            break;
        }
        let chunk: Value = serde_json::from_str(data).unwrap();
        let usage = &chunk["usage"];
        if usage.is_object() {
            said.usage = Some((
                usage["prompt_tokens"].as_u64().unwrap(),
                usage["completion_tokens"].as_u64().unwrap(),
                usage["prompt_tokens_details"]["cached_tokens"].as_u64(),
                usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
            ));
        }
        let choice = &chunk["choices"][0];
        if let Some(reason) = choice["finish_reason"].as_str() {
            said.finish = Some(reason.to_owned());
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let delta = &choice["delta"];
        let content = text(&delta["content"]);
        let reasoning = text(&delta["reasoning"]) + &text(&delta["reasoning_content"]);
        let mut fragment = content.clone() + &reasoning;
        said.content += &content;
        said.reasoning += &reasoning;
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let entry = said.calls.entry(call["index"].as_u64().unwrap()).or_default();
            entry.0 += &text(&call["id"]);
            entry.1 += &text(&call["function"]["name"]);
            entry.2 += &text(&call["function"]["arguments"]);
            fragment += &(text(&call["function"]["name"]) + &text(&call["function"]["arguments"]));
        }
        if !fragment.is_empty() {
            said.fragments += 1;
            if said.first.is_none() {
                said.first = Some(at);
                said.first_fragment = fragment;
            }
        }
    }
    said
}

/// A decoded reply in the same terms.
fn said(reply: &Reply, first: Option<usize>) -> Said {
    let mut calls: BTreeMap<u64, (String, String, String)> = BTreeMap::new();
    for call in reply.first_tool_calls.iter().chain(&reply.tool_calls) {
        let entry = calls.entry(u64::from(call.index)).or_default();
        entry.0 += call.id.as_deref().unwrap_or_default();
        entry.1 += call.name.as_deref().unwrap_or_default();
        entry.2 += &call.arguments;
    }
    let first_calls = reply.first_tool_calls.iter();
    let first_calls: String =
        first_calls.map(|call| call.name.clone().unwrap_or_default() + &call.arguments).collect();
    Said {
        content: reply.content.joined(),
        reasoning: reply.reasoning.joined(),
        calls,
        finish: reply.finish_reason.as_ref().map(|reason| reason.as_str().to_owned()),
        usage: reply.usage.map(|usage| {
            (
                usage.prompt_tokens,
                usage.completion_tokens,
                usage.cached_tokens,
                usage.reasoning_tokens,
            )
        }),
        fragments: reply.chunks,
        first,
        first_fragment: reply.content.first.clone() + &reply.reasoning.first + &first_calls,
    }
}

#[test]
fn streams_decode_to_what_their_bytes_say() {
    each_stream(|stack, name, bytes| {
        let (reply, first) = decode([bytes]);
        let expected = read_whole(std::str::from_utf8(bytes).unwrap());
        assert_eq!(said(&reply, first), expected, "{stack}/{name}");
        let snapshot = json!({ "first_event": first, "reply": reply });
        insta::assert_json_snapshot!(format!("{stack}-{name}"), snapshot);
    });
}

#[test]
fn whole_replies_decode_too() {
    for stack in STACKS {
        let bytes = fixture(stack, "nonstream.json");
        let mut builder = ReplyBuilder::new();
        assert_eq!(builder.push(&bytes).unwrap(), Step::FirstFragment);
        let reply = builder.finish().unwrap();
        let body: Value = serde_json::from_slice(&bytes).unwrap();
        let message = &body["choices"][0]["message"];
        assert_eq!(Some(reply.content.first.as_str()), message["content"].as_str());
        assert_eq!(reply.chunks, 1);
        insta::assert_json_snapshot!(format!("{stack}-nonstream"), reply);
    }
}

#[test]
fn byte_by_byte_is_the_same() {
    each_stream(|stack, name, bytes| {
        assert_eq!(decode(bytes.chunks(1)), decode([bytes]), "{stack}/{name}");
    });
}

/// All two-part cuts of every stream. A decoder that has just handed out an event is as good as
/// new, which the test above holds, so each cut is made in the event that it falls into, with a
/// short one behind it; otherwise the work would grow with the square of the length.
#[test]
fn a_cut_at_any_byte_changes_nothing() {
    each_stream(|stack, name, bytes| {
        let whole = events([bytes]);
        let ends: Vec<usize> = memchr::memmem::find_iter(bytes, b"\n\n").map(|at| at + 2).collect();
        assert_eq!(ends.len(), whole.len(), "{stack}/{name}: every event ends in a blank line");
        let mut start = 0;
        for (data, &end) in whole.iter().zip(&ends) {
            let window = [&bytes[start..end], b"data: next\n\n"].concat();
            let expected = [data.clone(), b"next".to_vec()];
            for cut in 0..=end - start {
                let place = || format!("{stack}/{name} cut at {}", start + cut);
                check_events(window.split_at(cut).into(), &expected, &place);
            }
            start = end;
        }
    });
}

/// The same without the window, on one short stream of each stack, and with the reply built.
#[test]
fn a_cut_at_any_byte_gives_the_same_reply() {
    for stack in ["hf", "sglang"] {
        let bytes = fixture(stack, "stream-tools-0.sse");
        let whole = events([&bytes[..]]);
        for cut in 0..=bytes.len() {
            let (left, right) = bytes.split_at(cut);
            check_events([left, right], &whole, &|| format!("{stack} cut at {cut}"));
        }
    }
    let bytes = fixture("hf", "stream-tools-0.sse");
    let expected = decode([&bytes[..]]);
    for cut in 0..=bytes.len() {
        let (left, right) = bytes.split_at(cut);
        assert_eq!(decode([left, right]), expected, "cut at {cut}");
    }
}

/// Through HTTP: one event every 10 ms, each cut in two on the way.
#[tokio::test(start_paused = true)]
async fn streams_over_http_are_timed_by_their_events() {
    for stack in STACKS {
        let bytes = fixture(stack, "turn-1.sse");
        let (reply, first) = decode([&bytes[..]]);
        let count = events([&bytes[..]]).len() as u64;
        let done = bytes.trim_ascii_end().ends_with(b"[DONE]");
        let mut rig = Rig::new(move |_, mut peer| {
            let bytes = bytes.clone();
            async move {
                peer.request().await;
                peer.stream_head().await;
                let mut rest = &bytes[..];
                while let Some(end) = memchr::memmem::find(rest, b"\n\n") {
                    let (event, after) = rest.split_at(end + 2);
                    peer.chunk(&event[..event.len() / 2]).await;
                    sleep_ms(10).await;
                    peer.chunk(&event[event.len() / 2..]).await;
                    rest = after;
                }
                sleep_ms(10).await;
                peer.write("0\r\n\r\n").await;
            }
        });
        let turn = rig.exchange().await;
        assert_eq!(turn.exchange.outcome.unwrap(), reply, "{stack}");
        assert_eq!(turn.first, first.map(|first| (first as u64 + 1) * 10), "{stack}");
        // `[DONE]` ends a reply; where none is sent, the end of the response does.
        assert_eq!(turn.completed, (count + u64::from(!done)) * 10, "{stack}");
    }
}
