//! The requests of a probe, over reqwest.

use std::error::Error as _;
use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::Value;

use crate::client::{Config, Endpoint, tls_config};
use crate::clock::{Clock, Nanos, wall_now};
use crate::units::Secret;
use crate::wire::sse::Decoder;
use crate::wire::{Failure, Reply, ReplyBuilder, Step, error_message, excerpt};

/// The most of a body that is not streamed.
const MAX_BODY_BYTES: usize = 1 << 20;

/// Asks one endpoint.
pub(super) struct Asker {
    http: Client,
    pub(super) endpoint: Endpoint,
    key: Option<Secret>,
    session_header: String,
    pub(super) clock: Clock,
}

/// A whole answer to a GET.
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// The `Date` header.
    pub(super) date: Option<String>,
    /// Our wall time before the request and after the head, in seconds since 1970.
    pub(super) asked_at: f64,
    pub(super) answered_at: f64,
    pub(super) took: Nanos,
}

/// What came of a chat request.
pub(super) enum Answer {
    /// A 2xx reply.
    Reply(Box<Chat>),
    /// A refusal or a failure, in one line.
    Refused(String),
}

/// A 2xx reply to a chat request.
pub(super) struct Chat {
    /// The reply, or why it is none.
    pub(super) reply: Result<Reply, Failure>,
    /// Whether it came as server-sent events.
    pub(super) streamed: bool,
    pub(super) events: u64,
    pub(super) first_token: Option<Nanos>,
    pub(super) reasoning_key: Option<&'static str>,
}

/// What an answer is made of while it arrives.
#[derive(Default)]
struct Reading {
    builder: ReplyBuilder,
    events: u64,
    first_token: Option<Nanos>,
    reasoning_key: Option<&'static str>,
    failed: Option<Failure>,
}

impl Asker {
    /// An asker for the only URL of a configuration.
    pub(super) fn new(config: &Config, timeout: Duration) -> Result<Self, String> {
        let endpoint = Endpoint::new(config).map_err(|error| error.to_string())?;
        let tls = tls_config(&endpoint).map_err(|error| error.to_string())?;
        let http = Client::builder()
            .tls_backend_preconfigured(tls)
            // As the replay does it: straight to the server, and what it says is what it says.
            .no_proxy()
            .http1_only()
            // A connection for each request: nothing here depends on how long the server keeps one.
            .pool_max_idle_per_host(0)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(config.connect_timeout)
            .timeout(timeout)
            .build()
            .map_err(|error| root_cause(&error))?;
        Ok(Self {
            http,
            endpoint,
            key: config.api_key.clone(),
            session_header: config.session_header.clone(),
            clock: Clock::start(),
        })
    }

    /// Fetches a page of the server.
    pub(super) async fn get(&self, path: &str) -> Result<Page, String> {
        let (started, asked_at) = (self.clock.now(), wall_seconds());
        let request = self.http.get(self.endpoint.service_url(0, path));
        let mut response = self.authorized(request).send().await.map_err(|e| self.broken(&e))?;
        let answered_at = wall_seconds();
        let status = response.status().as_u16();
        let date = response.headers().get("date").and_then(|date| date.to_str().ok());
        let date = date.map(str::to_owned);
        let body = body_of(&mut response).await.map_err(|error| self.broken(&error))?;
        let took = self.clock.now().saturating_sub(started);
        Ok(Page { status, body, date, asked_at, answered_at, took })
    }

    /// Sends a chat request and reads the whole reply.
    pub(super) async fn chat(&self, body: &Value, session: Option<&str>) -> Answer {
        let started = self.clock.now();
        let url = self.endpoint.service_url(0, "/v1/chat/completions");
        let mut request = self
            .authorized(self.http.post(url))
            .header("content-type", "application/json")
            .header("accept", "text/event-stream")
            .body(body.to_string());
        if let Some(session) = session {
            request = request.header(&self.session_header, session);
        }
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Answer::Refused(self.broken(&error)),
        };
        let status = response.status();
        if !status.is_success() {
            let body = body_of(&mut response).await.unwrap_or_default();
            let text = error_message(&body).unwrap_or_else(|| excerpt(&body));
            let text = self.endpoint.redact(text);
            return Answer::Refused(format!("HTTP {}: {text}", status.as_u16()));
        }
        match self.read(response, started).await {
            Ok(chat) => Answer::Reply(Box::new(chat)),
            Err(text) => Answer::Refused(text),
        }
    }

    async fn read(&self, mut response: Response, started: Nanos) -> Result<Chat, String> {
        let mut reading = Reading::default();
        let mut decoder = Decoder::new();
        let mut whole = Vec::new();
        let mut streamed = None;
        while let Some(bytes) = response.chunk().await.map_err(|error| self.broken(&error))? {
            let at = self.clock.now().saturating_sub(started);
            let is_events = *streamed.get_or_insert_with(|| {
                bytes.trim_ascii_start().first().is_some_and(|b| *b != b'{')
            });
            if is_events {
                decoder
                    .push(&bytes, &mut |event| reading.take(event.data, at))
                    .map_err(|error| error.to_string())?;
            } else if whole.len() + bytes.len() <= MAX_BODY_BYTES {
                whole.extend_from_slice(&bytes);
            } else {
                return Err(format!("the reply is larger than {MAX_BODY_BYTES} bytes"));
            }
        }
        let at = self.clock.now().saturating_sub(started);
        if streamed == Some(true) {
            decoder
                .finish(&mut |event| reading.take(event.data, at))
                .map_err(|error| error.to_string())?;
        } else if !whole.is_empty() {
            reading.take(&whole, at);
        }
        let reply = match reading.failed {
            Some(failure) => Err(failure),
            None => reading.builder.finish(),
        };
        Ok(Chat {
            reply: reply.map_err(|failure| Failure {
                message: self.endpoint.redact(failure.message),
                ..failure
            }),
            streamed: streamed == Some(true),
            events: reading.events,
            first_token: reading.first_token,
            reasoning_key: reading.reasoning_key,
        })
    }

    /// The head of a plain GET, as bytes, for a connection of our own.
    pub(super) fn raw_get(&self, path: &str) -> String {
        let url = self.endpoint.service_url(0, path);
        let rest = url.split_once("://").map_or("", |(_, rest)| rest);
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let key = match self.key() {
            Some(key) => format!("authorization: Bearer {key}\r\n"),
            None => String::new(),
        };
        format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{key}accept: application/json\r\n\r\n")
    }

    fn key(&self) -> Option<&str> {
        self.key.as_ref().map(Secret::expose).filter(|key| !key.is_empty())
    }

    fn authorized(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self.key() {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    fn broken(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() {
            return "no complete answer in time (--timeout)".to_owned();
        }
        self.endpoint.redact(root_cause(error))
    }
}

impl Reading {
    fn take(&mut self, data: &[u8], at: Nanos) {
        if self.failed.is_some() {
            return;
        }
        self.events += 1;
        match self.builder.push(data) {
            Ok(Step::FirstFragment) => self.first_token = Some(at),
            Ok(_) => {}
            Err(failure) => self.failed = Some(failure),
        }
        if self.reasoning_key.is_none() {
            self.reasoning_key = reasoning_key(data);
        }
    }
}

/// The key under which a chunk carries reasoning.
fn reasoning_key(data: &[u8]) -> Option<&'static str> {
    let chunk: Value = serde_json::from_slice(data).ok()?;
    let choice = chunk.get("choices")?.get(0)?;
    let delta = choice.get("delta").or_else(|| choice.get("message"))?;
    ["reasoning_content", "reasoning"]
        .into_iter()
        .find(|key| delta.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty()))
}

async fn body_of(response: &mut Response) -> Result<Vec<u8>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        let room = MAX_BODY_BYTES - body.len();
        body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() >= room {
            break;
        }
    }
    Ok(body)
}

fn wall_seconds() -> f64 {
    let since = wall_now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_secs_f64()
}

/// The innermost cause, which says what happened; reqwest's own text only says to which URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}
