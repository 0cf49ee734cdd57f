//! What is answered.

use scenario::simulator::{Config, ReplySource, UsageReport};
use scenario::wire::sse::Decoder;
use scenario::wire::{FinishReason, Reply, ReplyBuilder};

use super::rig::{Rig, STREAM, body, config};

/// The bytes of a stream, decoded as the client does.
fn decoded(bytes: &[u8]) -> Reply {
    let mut builder = ReplyBuilder::new();
    let mut decoder = Decoder::new();
    let mut failure = None;
    decoder
        .push(bytes, &mut |event| {
            if let Err(error) = builder.push(event.data) {
                failure = Some(error);
            }
        })
        .unwrap();
    assert_eq!(failure, None);
    builder.finish().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_stream_byte_by_byte() {
    let rig = Rig::new(config());
    let answer = rig.connect().await.chat("sim_001", &body(STREAM)).await;
    assert_eq!(answer.headers["content-type"], "text/event-stream; charset=utf-8");
    insta::assert_snapshot!(answer.text());
}

#[tokio::test(start_paused = true)]
async fn a_reply_in_one_piece() {
    let rig = Rig::new(config());
    let answer = rig.connect().await.chat("sim_001", &body("")).await;
    assert_eq!(answer.headers["content-type"], "application/json");
    insta::assert_snapshot!(answer.text());
}

#[tokio::test(start_paused = true)]
async fn the_client_reads_what_was_recorded() {
    let rig = Rig::new(config());
    let mut client = rig.connect().await;
    for (session, extra) in [("sim_001", STREAM), ("sim_001__repeat_3", STREAM), ("sim_001", "")] {
        let answer = client.chat(session, &body(extra)).await;
        let reply = if extra.is_empty() {
            let mut builder = ReplyBuilder::new();
            builder.push(&answer.bytes()).unwrap();
            builder.finish().unwrap()
        } else {
            decoded(&answer.bytes())
        };
        assert_eq!(reply.reasoning.joined(), "Think hard.");
        assert_eq!(reply.content.joined(), "Grüße, 世界");
        let call = reply.first_tool_calls.iter().chain(&reply.tool_calls).next().unwrap();
        assert_eq!(call.id.as_deref(), Some("call_a"));
        assert_eq!(call.name.as_deref(), Some("bash"));
        assert_eq!(call.arguments, r#"{"command": "ls"}"#);
        assert_eq!(reply.finish_reason, Some(FinishReason::ToolCalls));
        let usage = reply.usage.unwrap();
        assert_eq!((usage.completion_tokens, usage.reasoning_tokens), (13, Some(3)));
    }
}

#[tokio::test(start_paused = true)]
async fn usage_is_sent_when_asked_or_always() {
    let plain = body(r#","stream":true"#);
    let quiet = Rig::new(config());
    assert!(!quiet.connect().await.chat("sim_001", &plain).await.text().contains("usage"));
    let always = Rig::new(Config { usage: UsageReport::Always, ..config() });
    let text = always.connect().await.chat("sim_001", &plain).await.text();
    assert!(text.contains(r#""choices":[],"usage":{"prompt_tokens":"#), "{text}");
}

#[tokio::test(start_paused = true)]
async fn the_token_limit_is_honoured() {
    let rig = Rig::new(config());
    let mut client = rig.connect().await;
    for limit in ["max_completion_tokens", "max_tokens"] {
        let limited = body(&format!(r#","{limit}":4{STREAM}"#));
        let reply = decoded(&client.chat("sim_001", &limited).await.bytes());
        assert_eq!(reply.reasoning.joined(), "Think hard.");
        // Four bytes, less the one that would cut a character.
        assert_eq!(reply.content.joined(), "Grü");
        assert!(reply.tool_calls.is_empty());
        assert_eq!(reply.finish_reason, Some(FinishReason::Length));
        assert_eq!(reply.usage.unwrap().completion_tokens, 4);
    }
}

#[tokio::test(start_paused = true)]
async fn another_reasoning_key() {
    let rig = Rig::new(Config { reasoning_field: "reasoning".to_owned(), ..config() });
    let mut client = rig.connect().await;
    let text = client.chat("sim_001", &body(STREAM)).await.text();
    assert!(text.contains(r#"{"reasoning":"Thin"}"#) && !text.contains("reasoning_content"));
    let json = client.chat("sim_001", &body("")).await.json();
    assert_eq!(json["choices"][0]["message"]["reasoning"], "Think hard.");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_reply_is_as_long_as_the_right_one() {
    let rig = Rig::new(Config { replies: ReplySource::Recorded { wrong_share: 1.0 }, ..config() });
    let answer = rig.connect().await.chat("sim_001", &body(STREAM)).await;
    let reply = decoded(&answer.bytes());
    assert_eq!(reply.reasoning.joined(), "Guvax uneq.");
    assert_eq!(reply.tool_calls[0].arguments, r#"{"command": "yf"}"#);
    assert_eq!(reply.usage.unwrap().completion_tokens, 13);
}

#[tokio::test(start_paused = true)]
async fn without_a_record_replies_are_made_up_and_repeatable() {
    const TOOLS: &str = r#","tool_choice":"required","tools":[{"type":"function","function":{
        "name":"bash","parameters":{"properties":{"command":{"type":"string"}}}}}]"#;
    let mut replies = Vec::new();
    for _ in 0..2 {
        let rig = Rig::new(config());
        let mut client = rig.connect().await;
        let body = body(&format!("{TOOLS}{STREAM}"));
        let answer = client.chat("elsewhere", &body).await;
        replies.push(decoded(&answer.bytes()));
    }
    assert_eq!(replies[0], replies[1]);
    let reply = &replies[0];
    assert_eq!(reply.reasoning.joined().len(), 32);
    assert_eq!(reply.content.joined().len(), 64);
    assert_eq!(reply.tool_calls[0].name.as_deref(), Some("bash"));
    let arguments: serde_json::Value =
        serde_json::from_str(&reply.tool_calls[0].arguments).unwrap();
    assert!(arguments["command"].is_string());
}
