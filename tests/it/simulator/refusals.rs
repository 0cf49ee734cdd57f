//! Requests that are refused, each with an error object.

use std::fmt::Write as _;

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use scenario::simulator::Config;
use scenario::units::Secret;

use super::rig::{Rig, body, config};

#[tokio::test(start_paused = true)]
async fn every_refusal_says_why() {
    let rig = Rig::new(Config { models: vec!["m".to_owned()], ..config() });
    let mut client = rig.connect().await;
    let bodies = [
        "",
        "{",
        "[]",
        "{}",
        r#"{"messages":[]}"#,
        r#"{"messages":[{"role":"user"}]}"#,
        r#"{"messages":"hello"}"#,
        r#"{"model":"m","messages":["hello"]}"#,
        r#"{"model":"m","messages":[{"role":"user"},{"content":"x"}]}"#,
        r#"{"model":"other","messages":[{"role":"user"}]}"#,
        &body(r#","n":2"#),
        &body(r#","max_completion_tokens":0"#),
        &body(r#","max_tokens":-1"#),
        &body(r#","stream_options":{"include_usage":true}"#),
        &body(r#","stream":"yes""#),
    ];
    let mut seen = String::new();
    for body in bodies {
        let answer = client.chat("sim_001", body).await;
        writeln!(seen, "{body}\n  {} {}", answer.status, answer.text()).unwrap();
    }
    let request = |method: &str, path: &str| {
        Request::builder().method(method).uri(path).body(Full::<Bytes>::default()).unwrap()
    };
    for (method, path) in [
        ("GET", "/v1/chat/completions"),
        ("POST", "/health"),
        ("GET", "/"),
        ("GET", "/v1/models/m"),
    ] {
        let answer = client.send(request(method, path)).await.unwrap();
        writeln!(seen, "{method} {path}\n  {} {}", answer.status, answer.text()).unwrap();
    }
    insta::assert_snapshot!(seen);
    // All of them on one connection, which goes on as before.
    assert_eq!(client.chat("sim_001", &body("")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_key_is_checked() {
    let rig = Rig::new(Config { api_key: Some(Secret::new("right")), ..config() });
    let mut client = rig.connect().await;
    let mut status = async |authorization: Option<&str>| {
        let mut request = Request::post("/v1/chat/completions");
        if let Some(value) = authorization {
            request = request.header("authorization", value);
        }
        let answer = client.send(request.body(Full::from(body(""))).unwrap()).await.unwrap();
        (answer.status, answer.json()["error"]["type"].as_str().map(str::to_owned))
    };
    let refused = (401, Some("AuthenticationError".to_owned()));
    assert_eq!(status(None).await, refused);
    assert_eq!(status(Some("Bearer wrong")).await, refused);
    assert_eq!(status(Some("right")).await, refused);
    assert_eq!(status(Some("Bearer right")).await, (200, None));
    for record in rig.kept.0.lock().unwrap().iter() {
        assert!(!String::from_utf8(record.to_json()).unwrap().contains("right"));
    }
}
