//! Chat completions: from a request to the body that answers it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;

use crate::clock::{Nanos, nanos};
use crate::wire::Usage;
use crate::wire::encode::{ChunkEncoder, Completion};

use super::answer::Answer;
use super::body::{Break, BrokenOff, ReplyBody};
use super::cache::{Lookup, Prompt};
use super::config::{ReplySource, UsageReport};
use super::faults::{FaultKind, RequestFacts, When};
use super::hash;
use super::replies::{RecordedReply, SessionId, garble, is_wrong};
use super::request::ChatRequest;
use super::routes::{JSON, error, whole};
use super::script;
use super::state::Simulator;
use super::stream::{Action, Interrupt, Stream, fault_error};
use super::ticket::Ticket;

/// The longest request that is taken.
const MAX_BODY_BYTES: usize = 256 << 20;

/// A reply, or the end of the connection.
type Outcome = Result<Response<ReplyBody>, BrokenOff>;

/// Answers a request for a chat completion.
pub(super) async fn handle(mut ticket: Ticket, head: Parts, body: Incoming) -> Outcome {
    let simulator = Arc::clone(ticket.simulator());
    let Some(number) = simulator.count_request() else {
        ticket.connection().reset();
        return Err(BrokenOff);
    };
    let Some(body) = read(body).await? else {
        let message = format!("the body is longer than {MAX_BODY_BYTES} bytes");
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return Ok(error(status, "BadRequestError", &message, None, ticket));
    };
    ticket.body(&body);
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
    ticket.admit().await;
    let start = ticket.now();
    Exchange { simulator: &simulator, number, session, request, start }.answer(ticket).await
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

/// A request that was understood and admitted.
struct Exchange<'a> {
    simulator: &'a Simulator,
    /// Its number, from 1.
    number: u64,
    session: SessionId<'a>,
    request: ChatRequest<'a>,
    /// When the latency model starts to count.
    start: Nanos,
}

/// What is to be sent, and when.
struct Planned {
    id: String,
    created: u64,
    answer: Answer,
    usage: Usage,
    /// When the first fragment is due.
    due: Nanos,
    /// Whether the reply was kept from before.
    kept: bool,
}

impl Exchange<'_> {
    async fn answer(mut self, ticket: Ticket) -> Outcome {
        let mut interrupt = None;
        let mut empty = false;
        match self.fault() {
            None | Some(FaultKind::Idle(_) | FaultKind::Refuse | FaultKind::Die) => {}
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
            Some(FaultKind::Empty) => empty = true,
            Some(kind) => interrupt = inside(kind),
        }
        let answer = if empty { Answer::empty() } else { self.plan_answer() };
        let planned = self.plan(answer);
        if self.request.stream {
            Ok(self.streamed(planned, interrupt, ticket))
        } else {
            self.in_one_piece(planned, interrupt, ticket).await
        }
    }

    /// The first fault that hits this request.
    fn fault(&self) -> Option<&'_ FaultKind> {
        let config = self.simulator.config();
        let facts = RequestFacts {
            number: self.number,
            turn: self.request.assistant_messages as u64 + 1,
            messages: self.request.messages.len(),
            logical: self.session.logical,
            source: self.session.source,
            seed: config.seed,
        };
        config.faults.iter().find(|fault| fault.hits(&facts)).map(|fault| &fault.kind)
    }

    /// The reply without any fault.
    fn plan_answer(&self) -> Answer {
        let config = self.simulator.config();
        let reply = match config.replies {
            ReplySource::Recorded { wrong_share } => self.recorded(wrong_share),
            ReplySource::Scripted => None,
        };
        let reply = reply.unwrap_or_else(|| {
            let (chunk, seed) = (config.chunk_tokens, config.seed);
            script::reply(&config.script, chunk, seed, self.session, &self.request)
        });
        Answer::new(reply, config.chunk_tokens, self.request.max_tokens)
    }

    fn recorded(&self, wrong_share: f64) -> Option<RecordedReply> {
        let messages = self.request.messages.len();
        let reply = self.simulator.recorded()?.reply(self.session.source, messages)?;
        let wrong = is_wrong(wrong_share, self.simulator.config().seed, self.session, messages);
        Some(if wrong { garble(reply) } else { reply })
    }

    fn plan(&self, answer: Answer) -> Planned {
        let (simulator, config) = (self.simulator, self.simulator.config());
        let found = self.prompt();
        let kept = config.output_cache && simulator.was_answered(self.unsalted());
        let usage = Usage {
            prompt_tokens: found.prompt_tokens,
            completion_tokens: answer.completion_tokens(),
            cached_tokens: config.cache.reported.then_some(found.cached_tokens),
            reasoning_tokens: Some(answer.reasoning_tokens()),
        };
        let uncached = found.prompt_tokens.saturating_sub(found.cached_tokens);
        let first = simulator.latency().first(uncached, simulator.running());
        let wall = simulator.clock().wall_start().duration_since(UNIX_EPOCH).unwrap_or_default();
        Planned {
            id: format!("chatcmpl-{:016x}", hash::of(config.seed, &[&self.number.to_le_bytes()])),
            created: wall.as_secs().saturating_add(self.start / 1_000_000_000),
            answer,
            usage,
            due: if kept { self.start } else { self.start.saturating_add(first) },
            kept,
        }
    }

    /// Looks the prompt up, in the order in which most templates render it: the system prompt,
    /// the tools, the other messages. A salt in the system prompt so keeps all of it apart.
    fn prompt(&self) -> Lookup {
        let config = self.simulator.config().cache;
        let (system, others) = self.request.messages.split_at(usize::from(self.request.has_system));
        let system = system.first().map(|message| {
            let text = message.get();
            if config.ignores_salt { Cow::Owned(without_salt(text)) } else { Cow::Borrowed(text) }
        });
        let others = self.request.tools.iter().chain(others).map(|part| part.get().as_bytes());
        let parts = system.iter().map(|text| text.as_bytes()).chain(others);
        self.simulator.cache_lookup(&Prompt::new(config, parts))
    }

    /// What stands for the prompt without its salt.
    fn unsalted(&self) -> u64 {
        let (system, others) = self.request.messages.split_at(usize::from(self.request.has_system));
        let system = system.iter().map(|message| without_salt(message.get()));
        let key = system.fold(0, |key, text| hash::extend(key, text.as_bytes()));
        let others = self.request.tools.iter().chain(others);
        others.fold(key, |key, part| hash::extend(key, part.get().as_bytes()))
    }

    fn streamed(
        &self,
        planned: Planned,
        interrupt: Option<Interrupt>,
        mut ticket: Ticket,
    ) -> Response<ReplyBody> {
        let config = self.simulator.config();
        let Planned { id, created, answer, usage, due, kept } = planned;
        ticket.at_once(kept);
        let encoder = ChunkEncoder::new(&id, created, &self.request.model, &config.reasoning_field);
        let asked = self.request.include_usage || config.usage == UsageReport::Always;
        ticket.status(StatusCode::OK.as_u16());
        let stream = Stream::new(answer, encoder, asked.then_some(usage), interrupt, due, ticket);
        let mut response = Response::new(ReplyBody::Stream(Box::new(stream)));
        let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }

    async fn in_one_piece(
        &self,
        planned: Planned,
        interrupt: Option<Interrupt>,
        mut ticket: Ticket,
    ) -> Outcome {
        let Planned { id, created, answer, usage, due, kept } = planned;
        ticket.at_once(kept);
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
            reasoning_field: &self.simulator.config().reasoning_field,
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
        ticket.finished(&answer.finish, usage.completion_tokens);
        Ok(whole(StatusCode::OK, JSON, bytes.into(), ticket))
    }
}

/// A system message in which every salt reads alike.
fn without_salt(message: &str) -> String {
    const OPEN: &str = "[salt: ";
    let mut parts = message.split(OPEN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(OPEN);
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        text.extend(std::iter::repeat_n('0', digits));
        text.push_str(&part[digits..]);
    }
    text
}

/// What a fault does inside a reply; none for the kinds that act before there is one.
fn inside(kind: &FaultKind) -> Option<Interrupt> {
    let (after, action) = match kind {
        FaultKind::Reset(When::After(after)) => (*after, Action::Reset),
        FaultKind::Stall { after, resume } => (*after, Action::Stall(resume.map(nanos))),
        FaultKind::Malformed { after } => (*after, Action::Malformed),
        FaultKind::Cut { after } => (*after, Action::Cut),
        FaultKind::Error { after } => (*after, Action::Error),
        _ => return None,
    };
    Some(Interrupt { after, action })
}

fn status(
    code: u16,
    retry_after: Option<u64>,
    body: Option<&str>,
    ticket: Ticket,
) -> Response<ReplyBody> {
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = if let Some(body) = body {
        whole(status, JSON, Bytes::copy_from_slice(body.as_bytes()), ticket)
    } else {
        let message = format!("simulated fault: status {code}");
        error(status, "SimulatedFault", &message, None, ticket)
    };
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A reply in one piece that a fault breaks: half of it is sent, or something else.
async fn interrupted(mut bytes: Vec<u8>, action: Action, mut ticket: Ticket) -> Outcome {
    let whole = |bytes: Vec<u8>, ticket| Ok(whole(StatusCode::OK, JSON, bytes.into(), ticket));
    let half = bytes.len() / 2;
    let end = match action {
        Action::Reset => Break::Reset,
        Action::Cut => Break::Close,
        Action::Stall(None) => Break::Stall,
        Action::Stall(Some(time)) => {
            let until = ticket.now().saturating_add(time);
            ticket.clock().sleep_until(until).await;
            return whole(bytes, ticket);
        }
        Action::Malformed => {
            bytes.truncate(half);
            return whole(bytes, ticket);
        }
        Action::Error => return whole(fault_error(), ticket),
    };
    bytes.truncate(half);
    if action == Action::Cut {
        // The first byte of a character that takes three.
        bytes.push(0xe6);
    }
    ticket.status(StatusCode::OK.as_u16());
    let mut response = Response::new(ReplyBody::Broken { bytes: Some(bytes.into()), end, ticket });
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salts_are_blanked_and_nothing_else() {
        let text = r#"{"content":"[salt: 4461]\n\nSalt: [salt: x] ab\n\n[salt: ff0b]"}"#;
        let blank = r#"{"content":"[salt: 0000]\n\nSalt: [salt: x] ab\n\n[salt: 0000]"}"#;
        assert_eq!(without_salt(text), blank);
    }
}
