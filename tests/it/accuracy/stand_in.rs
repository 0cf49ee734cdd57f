//! A stand-in for the SWE-bench service that misbehaves on demand.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// What a request meets instead of the service.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// This status with this body.
    Answer(u16, String),
    /// A redirect to this place.
    Redirect(String),
    /// The connection closes without an answer. The request was taken before.
    Close,
    /// Half of the announced body, then the connection closes.
    Half,
    /// No answer for this long, then the usual one.
    Slow(Duration),
}

/// What the service is and knows.
pub(super) struct Inner {
    /// The token that it wants.
    pub(super) token: Option<String>,
    /// What `GET /health` says.
    pub(super) health: Value,
    /// How many questions a run takes.
    pub(super) steps: u32,
    /// What the status of a run that is done says beyond the usual.
    pub(super) end: Value,
    /// Faults by route (`submit`, `status`, `cancel`, `artifact`, `health`), first come first.
    pub(super) faults: BTreeMap<&'static str, VecDeque<Fault>>,
    /// Every request: method and path, and its body.
    pub(super) seen: Vec<(String, Value)>,
    /// Runs with the questions so far; cancelled ones hold none.
    pub(super) runs: BTreeMap<String, Option<u32>>,
    /// The id of the next run.
    pub(super) next_id: String,
}

/// The running service.
pub(super) struct StandIn {
    inner: Arc<Mutex<Inner>>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl StandIn {
    /// Starts a service that works.
    pub(super) async fn start() -> Self {
        let inner = Inner {
            token: Some("t0ken-secret".to_owned()),
            health: json!({
                "api_version": "v1", "status": "ok",
                "capabilities":
                    ["swebench.run", "swebench.cancel", "artifacts.download", "swebench.progress"],
            }),
            steps: 3,
            end: json!({ "result": { "submitted_instances": 2, "resolved_instances": 1 } }),
            faults: BTreeMap::new(),
            seen: Vec::new(),
            runs: BTreeMap::new(),
            next_id: "run-1".to_owned(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Arc::new(Mutex::new(inner));
        let task = tokio::spawn(serve(listener, Arc::clone(&inner)));
        Self { inner, address, task }
    }

    /// Its base URL.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it is and knows.
    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// Queues a fault.
    pub(super) fn fault(&self, route: &'static str, fault: Fault) {
        self.inner().faults.entry(route).or_default().push_back(fault);
    }

    /// How many requests of a method and path prefix there were.
    pub(super) fn count(&self, prefix: &str) -> usize {
        self.inner().seen.iter().filter(|(what, _)| what.starts_with(prefix)).count()
    }

    /// Dies: every connection breaks and nothing listens.
    pub(super) async fn die(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Comes back at the same place; with what it knew, or without.
    pub(super) async fn come_back(&mut self, remembers: bool) {
        if !remembers {
            self.inner().runs.clear();
        }
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.task = tokio::spawn(serve(listener, Arc::clone(&self.inner)));
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves until it is aborted, and all its connections with it.
async fn serve(listener: TcpListener, inner: Arc<Mutex<Inner>>) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let inner = Arc::clone(&inner);
        connections.spawn(async move {
            let service = service_fn(|request| answer(request, Arc::clone(&inner)));
            // A closed connection is one of the faults.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

/// A body that claims to be longer than it is.
type Body = http_body_util::Either<Full<Bytes>, Half>;

struct Half(Option<Bytes>);

impl hyper::body::Body for Half {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
        std::task::Poll::Ready(self.0.take().map(|bytes| Ok(hyper::body::Frame::data(bytes))))
    }
}

async fn answer(
    request: Request<Incoming>,
    inner: Arc<Mutex<Inner>>,
) -> Result<Response<Body>, std::io::Error> {
    let what = format!("{} {}", request.method(), request.uri().path());
    let authorization = request.headers().get("authorization");
    let authorization = authorization.map(|value| value.to_str().unwrap().to_owned());
    let body = request.into_body().collect().await.map_err(std::io::Error::other)?.to_bytes();
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let fault = {
        let mut inner = inner.lock().unwrap();
        inner.seen.push((what.clone(), body));
        inner.faults.get_mut(route(&what)).and_then(VecDeque::pop_front)
    };
    match fault {
        Some(Fault::Answer(status, text)) => return Ok(full(status, text)),
        Some(Fault::Redirect(to)) => {
            let mut response = full(307, String::new());
            response.headers_mut().insert("location", to.parse().unwrap());
            return Ok(response);
        }
        Some(Fault::Close) => {
            inner.lock().unwrap().usual(&what, authorization.as_deref());
            return Err(std::io::Error::other("closed on demand"));
        }
        Some(Fault::Half) => {
            let (_, text) = inner.lock().unwrap().usual(&what, authorization.as_deref());
            let half = Bytes::copy_from_slice(&text.as_bytes()[..text.len() / 2]);
            let mut response = Response::new(Body::Right(Half(Some(half))));
            response.headers_mut().insert("content-length", text.len().into());
            return Ok(response);
        }
        Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
        None => {}
    }
    let (status, text) = inner.lock().unwrap().usual(&what, authorization.as_deref());
    Ok(full(status, text))
}

fn full(status: u16, text: String) -> Response<Body> {
    let mut response = Response::new(Body::Left(Full::new(Bytes::from(text))));
    *response.status_mut() = status.try_into().unwrap();
    response
}

fn route(what: &str) -> &'static str {
    match what {
        "GET /health" => "health",
        "POST /v1/runs" => "submit",
        _ if what.ends_with("/cancel") => "cancel",
        _ if what.contains("/artifacts/") => "artifact",
        _ => "status",
    }
}

impl Inner {
    /// What the service answers when nothing is wrong.
    fn usual(&mut self, what: &str, authorization: Option<&str>) -> (u16, String) {
        if what == "GET /health" {
            return (200, self.health.to_string());
        }
        let wanted = self.token.as_ref().map(|token| format!("Bearer {token}"));
        if wanted.is_some() && wanted.as_deref() != authorization {
            return (401, json!({ "error": "unauthorized" }).to_string());
        }
        if what == "POST /v1/runs" {
            let id = self.next_id.clone();
            self.runs.insert(id.clone(), Some(0));
            return (202, status(&id, "queued", &json!({})));
        }
        let path = what.split_once("/v1/runs/").map_or("", |(_, rest)| rest);
        let (id, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(steps) = self.runs.get_mut(id) else {
            return (404, json!({ "error": "unknown run" }).to_string());
        };
        if let Some(name) = rest.strip_prefix("artifacts/") {
            return (200, format!("content of {name}"));
        }
        if rest == "cancel" {
            *steps = None;
        }
        let Some(asked) = steps else { return (200, status(id, "cancelled", &json!({}))) };
        *asked += 1;
        let asked = *asked;
        if asked > self.steps {
            let end = self.end.clone();
            let state = end.get("status").and_then(Value::as_str).unwrap_or("succeeded").to_owned();
            return (200, status(id, &state, &end));
        }
        let progress = json!({
            "phase": "agent", "agent_total": 2, "agent_completed": asked - 1,
        });
        (200, status(id, "running", &progress))
    }
}

fn status(id: &str, state: &str, more: &Value) -> String {
    let artifact =
        |name: &str| json!({ "name": name, "url": format!("/v1/runs/{id}/artifacts/{name}") });
    let mut status = json!({
        "run_id": id, "created_at": 1000.0, "updated_at": 1001.0, "status": state,
        "finished_at": null, "phase": state, "message": null, "error": null, "result": null,
        "artifacts": [],
    });
    if state == "succeeded" {
        status["finished_at"] = json!(1012.5);
        status["artifacts"] = json!([artifact("preds.json"), artifact("swe_bench_eval.log")]);
    }
    for (key, value) in more.as_object().unwrap() {
        status[key] = value.clone();
    }
    status.to_string()
}
