//! The requests are the reference client's.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use scenario::client::Connect;
use scenario::clock::Clock;
use scenario::prompt::{PromptOptions, RequestTemplate};
use scenario::wire::Failure;
use serde_json::Value;
use tokio::io::DuplexStream;

use super::harness::{Replay, fixture, library};

const REPLY: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\
                     \"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

/// One request as it was received.
#[derive(Clone, Debug, PartialEq)]
struct Received {
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// An endpoint that notes what it receives and answers at once.
#[derive(Default)]
struct Notebook(Arc<Mutex<Vec<Received>>>);

impl Connect for Notebook {
    type Io = DuplexStream;

    async fn connect(&self, _url: usize) -> Result<DuplexStream, Failure> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let received = Arc::clone(&self.0);
        let service = service_fn(move |request| answer(request, Arc::clone(&received)));
        tokio::spawn(async move {
            let io = TokioIo::new(theirs);
            hyper::server::conn::http1::Builder::new().serve_connection(io, service).await
        });
        Ok(ours)
    }
}

async fn answer(
    request: Request<Incoming>,
    received: Arc<Mutex<Vec<Received>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let headers = request.headers().iter();
    let headers =
        headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
    let headers: Vec<(String, String)> = headers.collect();
    let body = request.into_body().collect().await.unwrap().to_bytes().to_vec();
    received.lock().unwrap().push(Received { headers, body });
    Ok(Response::builder()
        .header("content-type", "text/event-stream")
        .body(Full::new(Bytes::from_static(REPLY.as_bytes())))
        .unwrap())
}

fn template(usage: bool) -> RequestTemplate {
    let fields = [
        ("temperature", "1.0"),
        ("top_k", "20"),
        ("top_p", "0.95"),
        ("repetition_penalty", "1.0"),
        ("presence_penalty", "1.5"),
        ("chat_template_kwargs", "{\"preserve_thinking\":true}"),
        ("max_completion_tokens", "8192"),
    ];
    let fields = fields.map(|(key, value)| (key.to_owned(), value.to_owned()));
    RequestTemplate::new("mock-model", fields.to_vec(), usage)
}

/// Per session, in order: the headers and the body.
type Sessions = BTreeMap<String, Vec<(Vec<(String, String)>, Value)>>;

async fn replayed() -> Vec<Received> {
    let keep = PromptOptions { clear_generated: false, ..PromptOptions::default() };
    let library = library(&fixture("reference-replay/dataset.jsonl"), template(false), keep);
    let notebook = Arc::new(Notebook::default());
    let received = Arc::clone(&notebook.0);
    let clock = Clock::start_at(SystemTime::UNIX_EPOCH);
    let outcome = Replay::new(library, 2, 2).run_on(clock, notebook, |_, _| async {}).await;
    outcome.assert_clean();
    std::mem::take(&mut received.lock().unwrap())
}

fn recorded() -> Sessions {
    let text = std::fs::read_to_string(fixture("reference-replay/requests.jsonl")).unwrap();
    let mut sessions = Sessions::new();
    for line in text.lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        let headers = request["headers"].as_array().unwrap().iter().map(|pair| {
            (pair[0].as_str().unwrap().to_owned(), pair[1].as_str().unwrap().to_owned())
        });
        let session = request["session_id"].as_str().unwrap().to_owned();
        sessions.entry(session).or_default().push((headers.collect(), request["body"].clone()));
    }
    sessions
}

#[tokio::test(start_paused = true)]
async fn the_reference_replay_s_requests_are_sent_session_by_session() {
    let mut sessions = Sessions::new();
    for Received { headers, body } in replayed().await {
        let session = headers.iter().find(|(name, _)| name == "x-session-id").unwrap().1.clone();
        let own =
            headers.into_iter().filter(|(name, _)| name != "host" && name != "content-length");
        let body = serde_json::from_slice(&body).unwrap();
        sessions.entry(session).or_default().push((own.collect(), body));
    }
    let recorded = recorded();
    assert_eq!(recorded.values().map(Vec::len).sum::<usize>(), 30);
    for (session, expected) in &recorded {
        assert_eq!(sessions.get(session), Some(expected), "{session}");
    }
    assert_eq!(sessions.len(), recorded.len());
}

#[tokio::test(start_paused = true)]
async fn headers_stand_in_the_reference_order_and_keys_as_well() {
    let received = replayed().await;
    for Received { headers, body } in &received {
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["host", "content-type", "accept", "x-session-id", "content-length"]);
        let length = body.len().to_string();
        assert_eq!(headers.last().map(|(_, value)| value), Some(&length));
        let text = std::str::from_utf8(body).unwrap();
        let body: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
        let keys: Vec<&String> = body.keys().collect();
        let expected = [
            "model",
            "messages",
            "temperature",
            "max_completion_tokens",
            "stream",
            "top_p",
            "top_k",
            "repetition_penalty",
            "presence_penalty",
            "chat_template_kwargs",
            "tools",
        ];
        assert_eq!(keys, expected.iter().take(keys.len()).collect::<Vec<_>>());
        // Compact JSON, UTF-8 unescaped: what serde_json writes for the same value.
        assert_eq!(text, serde_json::to_string(&body).unwrap());
    }
}
