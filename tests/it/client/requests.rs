//! What goes over the wire.

use std::time::Duration;

use bytes::Bytes;
use scenario::client::{Config, Endpoint, Rope, assign_url};
use scenario::units::Secret;

use super::pipe::{Rig, sleep_ms};

const KEY: &str = "sk-very-secret-0815";

fn keyed(url: &str) -> Config {
    Config {
        api_key: Some(Secret::new(KEY)),
        headers: vec![
            ("X-Team".to_owned(), "bench".to_owned()),
            ("X-Auth-Token".to_owned(), "hidden-too".to_owned()),
        ],
        ..Config::new(vec![url.to_owned()])
    }
}

#[tokio::test(start_paused = true)]
async fn the_head_has_exactly_these_headers_in_this_order() {
    let config = keyed("http://server:8000/tenant/v1/");
    let mut rig = Rig::with(&config, Duration::ZERO, |_, mut peer| async move {
        peer.request().await;
        peer.say("ok").await;
    });
    rig.exchange().await;
    let seen = rig.seen();
    insta::assert_snapshot!(seen[0].head.replace("\r\n", "\n"), @r"
    POST /tenant/v1/chat/completions HTTP/1.1
    host: server:8000
    authorization: Bearer sk-very-secret-0815
    content-type: application/json
    accept: text/event-stream
    x-team: bench
    x-auth-token: hidden-too
    x-session-id: conv-1
    content-length: 13
    ");
    assert_eq!(seen[0].body, br#"{"model":"m"}"#);
}

#[tokio::test(start_paused = true)]
async fn a_plain_endpoint_gets_no_key_and_no_extra_header() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        peer.say("ok").await;
    });
    rig.exchange().await;
    insta::assert_snapshot!(rig.seen()[0].head.replace("\r\n", "\n"), @r"
    POST /v1/chat/completions HTTP/1.1
    host: pipe
    content-type: application/json
    accept: text/event-stream
    x-session-id: conv-1
    content-length: 13
    ");
}

#[tokio::test(start_paused = true)]
async fn a_large_rope_arrives_whole() {
    let mut rig = Rig::new(|_, mut peer| async move {
        while peer.request().await.is_some() {
            peer.say("ok").await;
        }
    });
    let arena = Bytes::from((0..3_000_000_u32).map(|n| b'a' + (n % 23) as u8).collect::<Vec<_>>());
    let mut body = Rope::default();
    for n in 0..40 {
        body.push(arena.slice(n * 7..n * 7 + 50_000));
        body.push(Bytes::new());
        body.push(Bytes::from_static(b"|"));
    }
    for _ in 0..2 {
        let now = rig.clock.now();
        let exchange =
            rig.client.exchange(0, "c", body.clone(), now, now + 1_000_000_000, &mut |_| ()).await;
        assert!(exchange.outcome.is_ok());
    }
    assert_eq!(rig.opened(), 1);
    for request in rig.seen() {
        assert!(request.body == body.to_vec());
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_id_that_no_header_can_carry_fails_before_sending() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
    });
    let now = rig.clock.now();
    let exchange =
        rig.client.exchange(0, "a\nb", Rope::default(), now, now + 1_000_000, &mut |_| ()).await;
    insta::assert_snapshot!(exchange.outcome.unwrap_err().message, @r#"the session id "a\nb" cannot be sent in a header"#);
    assert!(rig.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn no_secret_is_in_any_text() {
    let config = keyed("http://pipe");
    let mut rig = Rig::with(&config, Duration::ZERO, |n, mut peer| async move {
        peer.request().await;
        match n {
            0 => {
                let body = format!(r#"{{"error":{{"message":"bad key {KEY}, hidden-too"}}}}"#);
                let length = body.len();
                peer.write(format!(
                    "HTTP/1.1 401 Unauthorized\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                ))
                .await;
            }
            1 => {
                peer.stream_head().await;
                peer.chunk(format!("data: {{\"error\":\"no {KEY}\"}}\n\n")).await;
            }
            2 => {
                peer.stream_head().await;
                peer.chunk(format!("data: {KEY}\n\n")).await;
            }
            _ => peer.write(format!("{KEY}\r\n\r\n")).await,
        }
    });
    let mut texts = Vec::new();
    for _ in 0..4 {
        let turn = rig.exchange().await;
        assert!(turn.exchange.outcome.is_err());
        texts.push(format!("{:?} {}", turn.exchange, turn.text()));
        sleep_ms(1).await;
    }
    let endpoint = Endpoint::new(&config).unwrap();
    texts.push(format!("{endpoint:?} {config:?}"));
    let bad_key = Config { api_key: Some(Secret::new(format!("{KEY}\n"))), ..config.clone() };
    texts.push(format!("{:?}", Endpoint::new(&bad_key)));
    texts.push(Endpoint::new(&bad_key).unwrap_err().to_string());
    for url in [format!("http://user:{KEY}@host/v1"), format!("http://host/v1?key={KEY}")] {
        let in_url = Config::new(vec![url]);
        let error = Endpoint::new(&in_url).unwrap_err();
        texts.push(format!("{in_url:?} {error:?} {error}"));
    }
    for text in &texts {
        assert!(!text.contains(KEY) && !text.contains("hidden-too"), "{text}");
    }
    let half = endpoint.redact(format!("the key {}… and {KEY}", &KEY[..9]));
    assert_eq!(half, "the key ***… and ***");
    assert!(texts[0].contains("bad key ***, ***"), "{}", texts[0]);
}

#[test]
fn urls_and_headers_that_cannot_be_used_are_named() {
    let mut said = Vec::new();
    for url in [
        "",
        "localhost:8000",
        "ftp://host",
        "http://",
        "http://host:99999",
        "http://host:",
        "http://user:pw@host",
        "http://host/v1?key=1",
        "http://host/v1/chat/completions",
        "http://ho st",
    ] {
        let error = Endpoint::new(&Config::new(vec![url.to_owned()])).unwrap_err();
        said.push(error.to_string());
    }
    said.push(Endpoint::new(&Config::new(Vec::new())).unwrap_err().to_string());
    let good = Config::new(vec!["http://host".to_owned()]);
    for (name, value) in
        [("Content-Length", "1"), ("a b", "1"), ("X-Session-ID", "1"), ("X-Ok", "line\nend")]
    {
        let headers = vec![(name.to_owned(), value.to_owned())];
        let error = Endpoint::new(&Config { headers, ..good.clone() }).unwrap_err();
        said.push(error.to_string());
    }
    let no_name = Config { session_header: String::new(), ..good };
    said.push(Endpoint::new(&no_name).unwrap_err().to_string());
    insta::assert_snapshot!(said.join("\n"), @r"
    endpoint URL ``: empty string
    endpoint URL `localhost:8000`: no scheme; write http://… or https://…
    endpoint URL `ftp://host`: the scheme must be http or https
    endpoint URL `http://`: empty string
    endpoint URL `http://host:99999`: the port is not a number from 1 to 65535
    endpoint URL `http://host:`: the port is not a number from 1 to 65535
    endpoint URL `http://***@host`: credentials in a URL are not sent; use endpoint.api_key or endpoint.headers
    endpoint URL `http://host/v1?***`: a query is not supported; give the server's base URL
    endpoint URL `http://host/v1/chat/completions`: give the server's base URL, without /chat/completions
    endpoint URL `http://ho st`: invalid uri character
    endpoint.urls is empty; give at least one URL, such as http://localhost:8000
    endpoint header `Content-Length`: this header belongs to the connection and cannot be set
    endpoint header `a b`: not a header name (letters, digits and `-`)
    endpoint header `X-Session-ID`: this is endpoint.session_header, which carries the session id
    endpoint header `X-Ok`: its value holds characters that no HTTP header can carry
    endpoint header ``: not a header name (letters, digits and `-`)
    ");
}

#[test]
fn urls_that_can_be_used_are_taken_apart() {
    for (url, label) in [
        ("http://localhost:30000", "http://localhost:30000"),
        ("https://api.example.com/v1", "https://api.example.com"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        (" http://127.0.0.1 ", "http://127.0.0.1"),
    ] {
        let endpoint = Endpoint::new(&Config::new(vec![url.to_owned()])).unwrap();
        assert_eq!((endpoint.label(0), endpoint.label(9), endpoint.urls()), (label, label, 1));
    }
}

#[test]
fn conversations_are_spread_evenly_and_stay_where_they_are() {
    assert_eq!(assign_url("sim_001", 0), 0);
    assert_eq!(assign_url("sim_001", 1), 0);
    for n in [2, 3, 4, 8] {
        let mut counts = vec![0_u32; n];
        for id in 0..4000 {
            let id = format!("sim_{id:03}");
            let url = assign_url(&id, n);
            assert_eq!(url, assign_url(&id, n));
            counts[url] += 1;
        }
        let fair = 4000 / u32::try_from(n).unwrap();
        assert!(counts.iter().all(|count| count.abs_diff(fair) < fair / 5), "{n}: {counts:?}");
    }
    let pinned: Vec<usize> =
        ["sim_001", "django__django-0001", "x"].iter().map(|id| assign_url(id, 8)).collect();
    insta::assert_debug_snapshot!(pinned, @r"
    [
        4,
        3,
        2,
    ]
    ");
}
