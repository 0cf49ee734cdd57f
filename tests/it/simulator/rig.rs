//! An endpoint with a small record, and a plain HTTP client on a pipe to it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use scenario::clock::{Clock, Nanos};
use scenario::simulator::{
    Config, RecordedReplies, RecordedReply, Recorder, RequestRecord, Simulator, ToolCall,
};

/// Streams the reply to the two messages of [`body`], token counts included.
pub(crate) const STREAM: &str = r#","stream":true,"stream_options":{"include_usage":true}"#;

/// Answers the session `sim_001` after two messages: reasoning, content and a tool call in 13
/// fragments of one token.
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

/// 30 ms to the first fragment, 4 ms between fragments.
pub(crate) fn config() -> Config {
    Config {
        ttft: Duration::from_millis(30),
        inter_token: Duration::from_millis(4),
        ..Config::default()
    }
}

/// The configuration with one fault.
pub(crate) fn with_fault(fault: &str) -> Config {
    Config { faults: vec![fault.parse().unwrap()], ..config() }
}

/// A request body with two messages; `extra` is put at its end.
pub(crate) fn body(extra: &str) -> String {
    format!(
        r#"{{"model":"m","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"u"}}]{extra}}}"#
    )
}

/// Keeps every record.
#[derive(Default)]
pub(crate) struct Kept(pub(crate) Mutex<Vec<RequestRecord>>);

impl Recorder for Kept {
    fn record(&self, request: RequestRecord) {
        self.0.lock().unwrap().push(request);
    }
}

/// An endpoint whose time starts in 1970.
pub(crate) struct Rig {
    pub(crate) clock: Clock,
    pub(crate) simulator: Arc<Simulator>,
    pub(crate) kept: Arc<Kept>,
}

/// A connection to the endpoint.
pub(crate) struct Client {
    clock: Clock,
    sender: SendRequest<Full<Bytes>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    /// When the head came.
    pub(crate) head_at: Nanos,
    /// The frames of the body with the time of each.
    pub(crate) frames: Vec<(Nanos, Vec<u8>)>,
    /// When the body ended.
    pub(crate) end_at: Nanos,
    /// Whether the body ended as HTTP says it must.
    pub(crate) complete: bool,
}

impl Rig {
    pub(crate) fn new(config: Config) -> Self {
        let clock = Clock::start_at(UNIX_EPOCH);
        let kept = Arc::new(Kept::default());
        let recorder: Arc<dyn Recorder> = Arc::<Kept>::clone(&kept);
        let simulator =
            Simulator::with_recorder(config, Some(Arc::new(Record)), clock, recorder).unwrap();
        Self { clock, simulator, kept }
    }

    pub(crate) async fn connect(&self) -> Client {
        let (client, server) = tokio::io::duplex(64 * 1024);
        tokio::spawn(Arc::clone(&self.simulator).serve_connection(server));
        let (sender, connection) = handshake(TokioIo::new(client)).await.unwrap();
        tokio::spawn(connection);
        Client { clock: self.clock, sender }
    }
}

impl Client {
    /// Sends a chat request; none when the connection ends before the head.
    pub(crate) async fn try_chat(&mut self, session: &str, body: &str) -> Option<Answer> {
        let request = Request::post("/v1/chat/completions").header("X-Session-ID", session);
        self.send(request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap()).await
    }

    /// Sends a chat request.
    pub(crate) async fn chat(&mut self, session: &str, body: &str) -> Answer {
        self.try_chat(session, body).await.expect("a head")
    }

    /// Asks for a page.
    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send(Request::get(path).body(Full::default()).unwrap()).await.expect("a head")
    }

    /// Whether the connection is still open.
    pub(crate) async fn is_open(&mut self) -> bool {
        self.sender.ready().await.is_ok()
    }

    /// Sends a request and reads the reply to its end.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> Option<Answer> {
        self.sender.ready().await.ok()?;
        let response = self.sender.send_request(request).await.ok()?;
        let head_at = self.clock.now();
        let (head, mut body) = response.into_parts();
        let (frames, complete) = read(self.clock, &mut body).await;
        Some(Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            head_at,
            frames,
            end_at: self.clock.now(),
            complete,
        })
    }
}

async fn read(clock: Clock, body: &mut Incoming) -> (Vec<(Nanos, Vec<u8>)>, bool) {
    let mut frames = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => frames.push((clock.now(), frame.into_data().unwrap().to_vec())),
            Err(_) => return (frames, false),
        }
    }
    (frames, true)
}

impl Answer {
    /// The body's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.frames.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect()
    }

    /// The body.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes()).unwrap()
    }

    /// When each frame came, in whole milliseconds; fails where one came in between.
    pub(crate) fn times_ms(&self) -> Vec<u64> {
        self.frames.iter().map(|(at, _)| ms(*at)).collect()
    }
}

/// Whole milliseconds; fails where there is a rest.
pub(crate) fn ms(nanos: Nanos) -> u64 {
    assert_eq!(nanos % 1_000_000, 0, "{nanos} ns");
    nanos / 1_000_000
}
