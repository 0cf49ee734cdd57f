//! The simulated endpoint over an in-memory pipe under virtual time, and over a real socket.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use scenario::clock::{Clock, Nanos};
use scenario::simulator::{Config, RecordedReplies, RecordedReply, Simulator, ToolCall};

/// Answers `sim_001` after two messages.
struct Record;

impl RecordedReplies for Record {
    fn reply(&self, source_id: &str, messages: usize) -> Option<RecordedReply> {
        (source_id == "sim_001" && messages == 2).then(|| RecordedReply {
            content: Some("Grüße, 世界".to_owned()),
            reasoning: Some("Think hard.".to_owned()),
            tool_calls: vec![ToolCall {
                id: "call_a".to_owned(),
                name: "bash".to_owned(),
                arguments: r#"{"command": "ls"}"#.to_owned(),
            }],
        })
    }
}

fn config() -> Config {
    Config {
        ttft: Duration::from_millis(30),
        inter_token: Duration::from_millis(4),
        ..Config::default()
    }
}

fn simulator(config: Config, clock: Clock) -> Arc<Simulator> {
    Simulator::new(config, Some(Arc::new(Record)), clock).unwrap()
}

/// An endpoint, and a client connected to it by a pipe.
async fn pipe(config: Config) -> (Clock, SendRequest<Full<Bytes>>) {
    let clock = Clock::start_at(std::time::UNIX_EPOCH);
    let (client, server) = tokio::io::duplex(64 * 1024);
    tokio::spawn(simulator(config, clock).serve_connection(server));
    let (sender, connection) = handshake(TokioIo::new(client)).await.unwrap();
    tokio::spawn(connection);
    (clock, sender)
}

fn chat(session: &str, body: &str) -> Request<Full<Bytes>> {
    Request::post("/v1/chat/completions")
        .header("host", "sim")
        .header("X-Session-ID", session)
        .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
        .unwrap()
}

const STREAM: &str = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],"stream":true,"stream_options":{"include_usage":true}}"#;

/// The body's frames with the time of their arrival.
async fn frames(clock: Clock, response: Response<Incoming>) -> Vec<(Nanos, String)> {
    let mut body = response.into_body();
    let mut frames = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = frame.unwrap().into_data().unwrap();
        frames.push((clock.now(), String::from_utf8(data.to_vec()).unwrap()));
    }
    frames
}

#[tokio::test(start_paused = true)]
async fn fragments_come_exactly_when_the_model_says() {
    let (clock, mut sender) = pipe(config()).await;
    let response = sender.send_request(chat("sim_001", STREAM)).await.unwrap();
    assert_eq!((response.status().as_u16(), clock.now()), (200, 0));
    let frames = frames(clock, response).await;
    let times: Vec<_> = frames.iter().map(|(at, _)| at / 1_000_000).collect();
    assert_eq!(times, (0..13).map(|k| 30 + 4 * k).collect::<Vec<_>>());
}
