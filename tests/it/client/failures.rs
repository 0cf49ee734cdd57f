//! Everything that can go wrong with a reply, classified and timed.

use std::time::Duration;

use bytes::Bytes;
use scenario::client::{Config, Rope};
use scenario::wire::FailureKind;

use super::pipe::{Peer, Rig, chunk_json, sleep_ms};

/// A rig whose server answers each request with these raw bytes and closes the connection.
fn closing(raw: impl AsRef<[u8]> + Clone + Send + Sync + 'static) -> Rig {
    Rig::new(move |_, mut peer| {
        let raw = raw.clone();
        async move {
            peer.request().await;
            sleep_ms(10).await;
            peer.write(raw).await;
        }
    })
}

/// What a 200 event stream with these chunks gives; it ends properly.
async fn streamed(chunks: &[&str]) -> String {
    let chunks: Vec<String> = chunks.iter().map(|chunk| (*chunk).to_owned()).collect();
    let mut rig = Rig::new(move |_, mut peer| {
        let chunks = chunks.clone();
        async move {
            peer.request().await;
            peer.stream_head().await;
            for chunk in chunks {
                peer.chunk(chunk).await;
            }
            peer.write("0\r\n\r\n").await;
        }
    });
    let turn = rig.exchange().await;
    turn.text()
}

fn with_length(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}

#[tokio::test(start_paused = true)]
async fn http_errors_carry_the_servers_message() {
    let mut said = Vec::new();
    for raw in [
        with_length("500 Oops", "", r#"{"error":{"message":"boom","type":"server_error"}}"#),
        with_length("429 Too Many Requests", "retry-after: 7\r\n", r#"{"detail":"slow down"}"#),
        with_length(
            "422 Unprocessable",
            "",
            r#"{"detail":[{"loc":["body"],"msg":"no such field"}]}"#,
        ),
        with_length("404 Not Found", "content-type: text/html\r\n", "<h1>\n404</h1>"),
        with_length("503 Service Unavailable", "", ""),
        with_length("307 Temporary Redirect", "location: http://other/v1\r\n", ""),
        with_length("400 Bad Request", "", r#"{"object":"error","message":"context too long"}"#),
        with_length("499 Odd", "", &"é".repeat(100_000)),
    ] {
        let mut rig = closing(raw);
        let turn = rig.exchange().await;
        let failure = turn.exchange.outcome.as_ref().unwrap_err();
        assert_eq!((failure.kind, turn.first, turn.completed), (FailureKind::HttpStatus, None, 10));
        said.push(format!("{} {}", failure.status.unwrap(), turn.text()));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    500 http_status: HTTP 500 Internal Server Error: boom
    429 http_status: HTTP 429 Too Many Requests: slow down (Retry-After: 7)
    422 http_status: HTTP 422 Unprocessable Entity: body: no such field
    404 http_status: HTTP 404 Not Found: <h1> 404</h1>
    503 http_status: HTTP 503 Service Unavailable
    307 http_status: HTTP 307 Temporary Redirect (Location: http://other/v1)
    400 http_status: HTTP 400 Bad Request: context too long
    499 http_status: HTTP 499: éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé…
    ");
}

#[tokio::test(start_paused = true)]
async fn a_connection_survives_an_http_error() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        peer.write(with_length("500 Oops", "", "{}")).await;
        peer.request().await;
        peer.say("ok").await;
    });
    assert!(rig.exchange().await.exchange.outcome.is_err());
    assert_eq!((rig.exchange().await.text().as_str(), rig.opened()), ("ok", 1));
}

#[tokio::test(start_paused = true)]
async fn an_error_body_that_stalls_is_not_waited_for() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        peer.write("HTTP/1.1 500 Oops\r\ncontent-length: 50\r\n\r\nhalf of").await;
        std::future::pending::<()>().await;
    });
    let turn = rig.exchange().await;
    insta::assert_snapshot!(turn.text(), @"http_status: HTTP 500 Internal Server Error: half of");
    assert_eq!(turn.completed, 2000);
}

#[tokio::test(start_paused = true)]
async fn a_stall_is_a_timeout_at_exactly_the_deadline() {
    let mut rig = Rig::new(|n, mut peer| async move {
        peer.request().await;
        if n > 0 {
            sleep_ms(20).await;
            peer.stream_head().await;
            peer.delta(r#"{"content":"a"}"#).await;
        }
        std::future::pending::<()>().await;
    });
    let turn = rig.exchange_within(1500).await;
    assert_eq!((turn.first, turn.completed), (None, 1500));
    insta::assert_snapshot!(turn.text(), @"turn_timeout: no complete reply within 1.5s; no token had arrived");
    let turn = rig.exchange_within(1500).await;
    assert_eq!((turn.first, turn.completed), (Some(1520), 3000));
    insta::assert_snapshot!(turn.text(), @"turn_timeout: no complete reply within 1.5s; the reply had begun");
    assert_eq!(rig.opened(), 2, "the stalled connection was given up");
}

#[tokio::test(start_paused = true)]
async fn a_slow_connect_is_a_connect_failure_and_a_deadline_within_it_a_timeout() {
    let config = Config {
        connect_timeout: Duration::from_secs(10),
        ..Config::new(vec!["http://pipe".to_owned()])
    };
    let mut rig = Rig::with(&config, Duration::from_mins(1), |_, _peer: Peer| async {});
    let turn = rig.exchange().await;
    assert_eq!(turn.completed, 10_000);
    insta::assert_snapshot!(turn.text(), @"connect: cannot connect to http://pipe: no answer within 10s");
    let turn = rig.exchange_within(4000).await;
    assert_eq!(turn.completed, 14_000);
    insta::assert_snapshot!(turn.text(), @"turn_timeout: no complete reply within 4s; no token had arrived");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_cut_is_a_reset_wherever_the_cut_is() {
    let event = format!("data: {}\n\n", chunk_json(r#"{"content":"日本"}"#));
    let framed = format!("{:x}\r\n{event}\r\n", event.len());
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let whole = format!("{head}{framed}{framed}");
    for cut in 1..=whole.len() {
        let mut rig = closing(whole.as_bytes()[..cut].to_vec());
        let turn = rig.exchange().await;
        let failure = turn.exchange.outcome.as_ref().unwrap_err();
        assert_eq!(failure.kind, FailureKind::Reset, "cut at {cut}: {failure}");
        assert_eq!((turn.completed, rig.opened()), (10, 1));
        // An event counts once its blank line has arrived.
        let first_event_whole = head.len() + framed.len() - 2;
        assert_eq!(turn.first, (cut >= first_event_whole).then_some(10), "cut at {cut}");
    }
    let mut rig = closing(whole.as_bytes()[..whole.len() - 20].to_vec());
    insta::assert_snapshot!(rig.exchange().await.text(), @"reset: the connection broke inside the reply: the server closed it before the last chunk");
    let mut rig = closing(whole.as_bytes()[..20].to_vec());
    insta::assert_snapshot!(rig.exchange().await.text(), @"reset: the connection broke inside the head of the response: the server closed it");
}

#[tokio::test(start_paused = true)]
async fn streams_that_are_not_what_they_should_be() {
    let good = format!("data: {}\n\n", chunk_json(r#"{"content":"a"}"#));
    let mid_character = good.replace("\"a\"", "\"日");
    let mid_character = &mid_character[..mid_character.find('日').unwrap() + 3];
    let cases: &[(&str, &[&str])] = &[
        ("json", &[&good, "data: {\"choices\":[{]}\n\n"]),
        ("text", &["data: hello\n\n"]),
        ("list", &["data: [1]\n\n"]),
        ("content", &["data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n"]),
        ("half a line", &[&good, mid_character]),
        ("no finish", &[&good]),
        ("no events", &["nonsense\n\nmore: nonsense\n\n"]),
        (
            "error object",
            &[&good, "data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n"],
        ),
        ("error text", &["data: {\"error\":\"no\"}\n\n"]),
        ("old vLLM", &["data: {\"object\":\"error\",\"message\":\"abort\",\"code\":400}\n\n"]),
        ("error event", &["event: error\ndata: {\"message\":\"bad\"}\n\n"]),
        ("error field", &["error: {\"code\":500,\"message\":\"oops\"}\n\n"]),
        ("nothing", &[]),
        ("only done", &["data: [DONE]\n\n"]),
        (
            "only a role",
            &[
                "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
                "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                "data: [DONE]\n\n",
            ],
        ),
    ];
    let mut said = Vec::new();
    for (name, chunks) in cases {
        said.push(format!("{name} -> {}", streamed(chunks).await));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    json -> malformed_stream: chunk 2 of the reply is not chat-completions JSON (key must be a string at line 1 column 14): {"choices":[{]}
    text -> malformed_stream: chunk 1 of the reply is not chat-completions JSON (expected value at line 1 column 1): hello
    list -> malformed_stream: chunk 1 of the reply is not chat-completions JSON (invalid type: integer `1`, expected a list or null at line 1 column 2): [1]
    content -> malformed_stream: chunk 1 of the reply is not chat-completions JSON (invalid type: integer `7`, expected a text or null at line 1 column 33): {"choices":[{"delta":{"content":7}}]}
    half a line -> malformed_stream: chunk 2 of the reply is not chat-completions JSON (EOF while parsing a string at line 1 column 46): {"choices":[{"index":0,"delta":{"content":"日
    no finish -> reset: the stream ended after 1 chunks without a finish reason or [DONE]: the reply is incomplete
    no events -> malformed_stream: the response held nothing: no event and no JSON; 2 of its lines were no server-sent events
    error object -> server_error: the server reported an error: out of memory
    error text -> server_error: the server reported an error: no
    old vLLM -> server_error: the server reported an error: abort
    error event -> server_error: the server reported an error: bad
    error field -> server_error: the server reported an error: oops
    nothing -> empty_reply: the response held nothing: no event and no JSON
    only done -> empty_reply: the reply held no content, no reasoning and no tool call
    only a role -> empty_reply: the reply held no content, no reasoning and no tool call (finish reason stop)
    "#);
}

#[tokio::test(start_paused = true)]
async fn a_character_cut_by_a_proper_end_is_malformed() {
    let event = format!("data: {}", chunk_json(r#"{"content":"日本"}"#));
    let cut = event.find('本').unwrap() + 1;
    let mut rig = Rig::new(move |_, mut peer| {
        let half = event.as_bytes()[..cut].to_vec();
        async move {
            peer.request().await;
            peer.stream_head().await;
            peer.chunk(half).await;
            peer.write("0\r\n\r\n").await;
        }
    });
    insta::assert_snapshot!(rig.exchange().await.text(), @r#"malformed_stream: chunk 1 of the reply is not chat-completions JSON (EOF while parsing a string at line 1 column 47): {"choices":[{"index":0,"delta":{"content":"日�"#);
}

#[tokio::test(start_paused = true)]
async fn bodies_of_every_framing_are_read() {
    let message = r#"{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"whole"}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let events = format!(
        "data: {}\r\n\r\ndata: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\r\n",
        chunk_json(r#"{"content":"events"}"#)
    );
    let half = message.len() / 2;
    for (raw, text) in [
        (with_length("200 OK", "content-type: application/json\r\n", message), "whole"),
        (format!("HTTP/1.1 200 OK\r\n\r\n{message}"), "whole"),
        (format!("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n  {message}\n"), "whole"),
        (
            format!(
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{half:x}\r\n{}\r\n{:x};ext=1\r\n{}\r\n0\r\ntrailer: 1\r\n\r\n",
                &message[..half],
                message.len() - half,
                &message[half..]
            ),
            "whole",
        ),
        (with_length("200 OK", "content-type: application/json\r\n", &events), "events"),
        (format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{events}"), "events"),
        (format!("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{events}"), "events"),
    ] {
        let mut rig = closing(raw);
        let turn = rig.exchange().await;
        assert_eq!((turn.text().as_str(), turn.first, turn.completed), (text, Some(10), 10));
    }
}

#[tokio::test(start_paused = true)]
async fn replies_that_are_no_replies() {
    let mut said = Vec::new();
    let gzip = "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n";
    for (name, raw) in [
        ("gzip", with_length("200 OK", gzip, "\u{1f}\u{8b}")),
        ("html", with_length("200 OK", "content-type: text/html\r\n", "<html>Sign in</html>")),
        ("no content", "HTTP/1.1 204 No Content\r\n\r\n".to_owned()),
        ("empty", with_length("200 OK", "", "")),
        ("json cut", with_length("200 OK", "", "{\"choices\":[")),
        ("no choices", with_length("200 OK", "", "{\"object\":\"list\"}")),
        ("error in 200", with_length("200 OK", "", "{\"error\":{\"message\":\"busy\"}}")),
        ("not http", "SSH-2.0-OpenSSH_9.6\r\n".to_owned()),
        ("bad chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned()),
        ("short", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"choices\":".to_owned()),
    ] {
        let mut rig = closing(raw);
        said.push(format!("{name} -> {}", rig.exchange().await.text()));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    gzip -> malformed_stream: the reply is compressed (content-encoding: gzip) although the request accepts no encoding; switch compression off in the server or the proxy before it
    html -> malformed_stream: expected server-sent events or JSON, got content-type `text/html`: <html>Sign in</html>
    no content -> empty_reply: the response held nothing: no event and no JSON
    empty -> empty_reply: the response held nothing: no event and no JSON
    json cut -> malformed_stream: chunk 1 of the reply is not chat-completions JSON (EOF while parsing a list at line 1 column 12): {"choices":[
    no choices -> malformed_stream: the reply is JSON but no chat completion: {"object":"list"}
    error in 200 -> server_error: the server reported an error: busy
    not http -> malformed_stream: the server does not speak HTTP/1.1 as expected (invalid HTTP version) before the reply began
    bad chunk -> malformed_stream: the server does not speak HTTP/1.1 as expected (a chunk size has no digits) inside the reply
    short -> reset: the connection broke inside the reply: the server closed it 88 bytes before the end that content-length announced
    "#);
}

#[tokio::test(start_paused = true)]
async fn an_event_without_end_is_refused_at_its_bound() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        peer.stream_head().await;
        peer.chunk("data: ").await;
        for _ in 0..1000 {
            peer.chunk(vec![b'x'; 60_000]).await;
        }
    });
    insta::assert_snapshot!(rig.exchange().await.text(), @"malformed_stream: a server-sent event is larger than 16777216 bytes");
}

#[tokio::test(start_paused = true)]
async fn an_answer_before_the_request_is_read_counts() {
    let mut rig = Rig::new(|_, mut peer| async move {
        sleep_ms(10).await;
        peer.write(with_length("413 Too Large", "connection: close\r\n", "{\"detail\":\"big\"}"))
            .await;
    });
    let mut body = Rope::default();
    body.push(Bytes::from(vec![b'x'; 1 << 20]));
    let exchange = rig.client.exchange(0, "c", body, 0, 1_000_000_000, &mut |_| ()).await;
    let failure = exchange.outcome.unwrap_err();
    assert_eq!((failure.kind, failure.status), (FailureKind::HttpStatus, Some(413)));
    assert_eq!(exchange.completed_at, 10_000_000);
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_half_a_request_on_it_is_not_used_again() {
    let mut rig = Rig::new(|connection, mut peer| async move {
        if connection == 0 {
            sleep_ms(10).await;
            peer.write(with_length("413 Too Large", "", "{\"detail\":\"big\"}")).await;
            sleep_ms(60_000).await;
        }
        peer.request().await;
        peer.say("ok").await;
    });
    let mut body = Rope::default();
    body.push(Bytes::from(vec![b'x'; 1 << 20]));
    let exchange = rig.client.exchange(0, "c", body, 0, 1_000_000_000, &mut |_| ()).await;
    assert_eq!(exchange.outcome.unwrap_err().status, Some(413));
    assert_eq!((rig.exchange().await.text().as_str(), rig.opened()), ("ok", 2));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_reads_is_a_timeout() {
    let mut rig = Rig::new(|_, peer| async move {
        std::future::pending::<()>().await;
        drop(peer);
    });
    let mut body = Rope::default();
    body.push(Bytes::from(vec![b'x'; 1 << 20]));
    let exchange = rig.client.exchange(0, "c", body, 0, 1_000_000_000, &mut |_| ()).await;
    assert_eq!(exchange.outcome.unwrap_err().kind, FailureKind::TurnTimeout);
    assert_eq!(exchange.completed_at, 1_000_000_000);
}
