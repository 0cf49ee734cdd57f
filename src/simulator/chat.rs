//! Chat completions: from a request to the body that answers it.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;

use crate::clock::{Nanos, nanos};
use crate::wire::Usage;
use crate::wire::encode::{ChunkEncoder, Completion};

use super::answer::Answer;
use super::cache::{Lookup, Prompt};
use super::config::{ReplySource, UsageReport};
use super::faults::{FaultKind, RequestFacts, When};
use super::hash;
use super::replies::{RecordedReply, SessionId, garble, is_wrong};
use super::request::ChatRequest;
use super::routes::{JSON, error, whole};
use super::script;
use super::simulator::Simulator;
use super::stream::{
    Action, Break, BrokenOff, Interrupt, Progress, ReplyBody, Stream, fault_error,
};
use super::ticket::Ticket;

/// The longest request that is taken.
const MAX_BODY_BYTES: usize = 256 << 20;

/// What is common to all that happens to one request.
struct Exchange<'a> {
    /// Its number, from 1.
    number: u64,
    session: SessionId<'a>,
    request: ChatRequest<'a>,
    /// When the latency model starts to count.
    start: Nanos,
}

/// Answers a request for a chat completion.
pub(super) async fn handle(
    mut ticket: Ticket,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, BrokenOff> {
    let simulator = Arc::clone(ticket.simulator());
    let Some(number) = simulator.count_request() else {
        ticket.connection().reset();
        return Err(BrokenOff);
    };
    let (head, body) = request.into_parts();
    let body = match read(body).await? {
        Some(body) => body,
        None => {
            let message = format!("the body is longer than {MAX_BODY_BYTES} bytes");
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return Ok(error(status, "BadRequestError", &message, None, ticket));
        }
    };
    if !is_authorised(&simulator, &head.headers) {
        let message = "the API key is missing or wrong; send it as `Authorization: Bearer …`";
        return Ok(error(StatusCode::UNAUTHORIZED, "AuthenticationError", message, None, ticket));
    }
    let request = match ChatRequest::parse(&body) {
        Ok(request) => request,
        Err(refused) => {
            let (message, status) = (&refused.message, StatusCode::BAD_REQUEST);
            return Ok(error(status, "BadRequestError", message, refused.param, ticket));
        }
    };
    let models = &simulator.config().models;
    if !models.is_empty() && !models.iter().any(|model| *model == request.model) {
        let message = format!("the model `{}` does not exist; there are {models:?}", request.model);
        return Ok(error(StatusCode::NOT_FOUND, "NotFoundError", &message, Some("model"), ticket));
    }
    let session = head.headers.get(simulator.session_header()).map(HeaderValue::as_bytes);
    let session = SessionId::parse(session.map_or("", |id| str::from_utf8(id).unwrap_or("")));
    let exchange = Exchange { number, session, request, start: ticket.now() };
    ticket.admit().await;
    exchange.answer(ticket).await
}

/// Reads a body; none when it is too long.
async fn read(body: Incoming) -> Result<Option<Bytes>, BrokenOff> {
    match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(body) => Ok(Some(body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Ok(None),
        Err(_) => Err(BrokenOff),
    }
}

fn is_authorised(simulator: &Simulator, headers: &HeaderMap) -> bool {
    let Some(key) = &simulator.config().api_key else { return true };
    let sent = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    sent.and_then(|sent| sent.strip_prefix(b"Bearer ")) == Some(key.expose().as_bytes())
}

impl Exchange<'_> {
    async fn answer(mut self, mut ticket: Ticket) -> Result<Response<ReplyBody>, BrokenOff> {
        let simulator = Arc::clone(ticket.simulator());
        self.start = ticket.now();
        let facts = RequestFacts {
            number: self.number,
            turn: self.request.assistant_messages as u64 + 1,
            messages: self.request.messages.len(),
            logical: self.session.logical,
            source: self.session.source,
            seed: simulator.config().seed,
        };
        let fault = simulator.config().faults.iter().find(|fault| fault.hits(&facts));
        let mut answer = None;
        let mut interrupt = None;
        match fault.map(|fault| &fault.kind) {
            None | Some(FaultKind::Idle(_) | FaultKind::Refuse) => {}
            Some(FaultKind::Status { code, retry_after, body }) => {
                return Ok(status(*code, *retry_after, body.as_deref(), ticket));
            }
            Some(FaultKind::Reset(When::BeforeHead)) => {
                ticket.connection().reset();
                return Err(BrokenOff);
            }
            Some(FaultKind::Slow(time)) => {
                self.start = self.start.saturating_add(nanos(*time));
                ticket.clock().sleep_until(self.start).await;
            }
            Some(FaultKind::Empty) => answer = Some(Answer::empty()),
            Some(kind) => interrupt = Some(inside(kind)),
        }
        let answer = answer.unwrap_or_else(|| self.plan(&simulator));
        let found = self.prompt(&simulator);
        let config = simulator.config();
        let usage = Usage {
            prompt_tokens: found.prompt_tokens,
            completion_tokens: answer.completion_tokens(),
            cached_tokens: config.cache.reported.then_some(found.cached_tokens),
            reasoning_tokens: Some(answer.reasoning_tokens()),
        };
        let uncached = found.prompt_tokens - found.cached_tokens;
        let first = simulator.latency().first(uncached, simulator.running());
        let due = self.start.saturating_add(first);
        let created = created(&simulator);
        let id = format!("chatcmpl-{:016x}", hash::of(config.seed, &[&self.number.to_le_bytes()]));
        if self.request.stream {
            let encoder =
                ChunkEncoder::new(&id, created, &self.request.model, &config.reasoning_field);
            let asked = self.request.include_usage || config.usage == UsageReport::Always;
            let usage = asked.then_some(usage);
            let progress = Progress::default();
            let stream = Stream { answer, encoder, usage, interrupt, ticket, due, progress };
            return Ok(event_stream(ReplyBody::Stream(Box::new(stream))));
        }
        let steps = answer.fragments().saturating_sub(1);
        let due = due.saturating_add(ticket.step().saturating_mul(steps));
        ticket.clock().sleep_until(due).await;
        ticket.fragment();
        let calls: Vec<_> = answer
            .calls
            .iter()
            .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
            .collect();
        let bytes = Completion {
            id: &id,
            created,
            model: &self.request.model,
            reasoning_field: &config.reasoning_field,
            content: Some(answer.content.as_str()).filter(|text| !text.is_empty()),
            reasoning: Some(answer.reasoning.as_str()).filter(|text| !text.is_empty()),
            calls: &calls,
            finish: &answer.finish,
            usage,
        }
        .encode();
        if let Some(interrupt) = interrupt {
            return interrupted(bytes, interrupt.action, ticket).await;
        }
        ticket.finished(&answer.finish, answer.completion_tokens());
        Ok(whole(StatusCode::OK, JSON, bytes.into(), ticket))
    }

    /// The reply without any fault.
    fn plan(&self, simulator: &Simulator) -> Answer {
        let config = simulator.config();
        let reply = match config.replies {
            ReplySource::Recorded { wrong_share } => self.recorded(simulator, wrong_share),
            ReplySource::Scripted => None,
        };
        let reply = reply.unwrap_or_else(|| {
            let (chunk, seed) = (config.chunk_tokens, config.seed);
            script::reply(&config.script, chunk, seed, self.session, &self.request)
        });
        Answer::new(reply, config.chunk_tokens, self.request.max_tokens)
    }

    fn recorded(&self, simulator: &Simulator, wrong_share: f64) -> Option<RecordedReply> {
        let messages = self.request.messages.len();
        let reply = simulator.recorded()?.reply(self.session.source, messages)?;
        let wrong = is_wrong(wrong_share, simulator.config().seed, self.session, messages);
        Some(if wrong { garble(reply) } else { reply })
    }

    /// Looks the prompt up: the tools, which templates put first, and the messages.
    fn prompt(&self, simulator: &Simulator) -> Lookup {
        let tools = self.request.tools.map(|tools| tools.get().as_bytes());
        let messages = self.request.messages.iter().map(|message| message.get().as_bytes());
        let parts = tools.into_iter().chain(messages);
        simulator.cache_lookup(&Prompt::new(simulator.config().cache.block_tokens, parts))
    }
}

/// The seconds since 1970 that a reply says it was made at.
fn created(simulator: &Simulator) -> u64 {
    let start = simulator.clock().wall_start().duration_since(UNIX_EPOCH).unwrap_or_default();
    start.as_secs() + simulator.clock().now() / 1_000_000_000
}

/// What a fault does inside a reply.
fn inside(kind: &FaultKind) -> Interrupt {
    let (after, action) = match kind {
        FaultKind::Reset(When::After(after)) => (*after, Action::Reset),
        FaultKind::Stall { after, resume } => (*after, Action::Stall(resume.map(nanos))),
        FaultKind::Malformed { after } => (*after, Action::Malformed),
        FaultKind::Cut { after } => (*after, Action::Cut),
        FaultKind::Error { after } => (*after, Action::Error),
        // The others never come here: they act before there is a reply.
        _ => (0, Action::Reset),
    };
    Interrupt { after, action }
}

fn event_stream(body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn status(
    code: u16,
    retry_after: Option<u64>,
    body: Option<&str>,
    ticket: Ticket,
) -> Response<ReplyBody> {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = match body {
        Some(body) => whole(status, JSON, Bytes::copy_from_slice(body.as_bytes()), ticket),
        None => {
            let message = format!("simulated fault: status {code}");
            error(status, "SimulatedFault", &message, None, ticket)
        }
    };
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A reply in one piece that a fault breaks.
async fn interrupted(
    mut bytes: Vec<u8>,
    action: Action,
    mut ticket: Ticket,
) -> Result<Response<ReplyBody>, BrokenOff> {
    let half = bytes.len() / 2;
    let end = match action {
        Action::Reset => Break::Reset,
        Action::Cut => {
            bytes.truncate(half);
            // The first byte of a three-byte character.
            bytes.push(0xe6);
            Break::Close
        }
        Action::Stall(None) => Break::Stall,
        Action::Stall(Some(time)) => {
            let until = ticket.now().saturating_add(time);
            ticket.clock().sleep_until(until).await;
            return Ok(whole(StatusCode::OK, JSON, bytes.into(), ticket));
        }
        Action::Malformed => {
            bytes.truncate(half);
            return Ok(whole(StatusCode::OK, JSON, bytes.into(), ticket));
        }
        Action::Error => return Ok(whole(StatusCode::OK, JSON, fault_error().into(), ticket)),
    };
    bytes.truncate(half + 1);
    ticket.fragment();
    let mut response = Response::new(ReplyBody::Broken { bytes: Some(bytes.into()), end, ticket });
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    Ok(response)
}
