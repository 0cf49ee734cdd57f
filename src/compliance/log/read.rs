//! The pass over a log that feeds every watcher.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use serde_json::Value;

use super::super::document::Map;
use super::cache::{Answered, Cache, Head};
use super::delays::Delays;
use super::digest::{self, Mix};
use super::evidence::Fault;
use super::order::{InFlight, Order};
use super::salt::Salt;
use super::sessions::Sessions;
use super::window::Window;
use super::workload::Workload;
use super::{counts, passes};
use crate::clock::Nanos;
use crate::events::{Event, EventKind, LoggedPrompt, PromptFacts, Reader, SampleId, TurnKey};
use crate::metrics::Collector;
use crate::ruleset::DatasetFacts;
use crate::wire::Reply;

/// Most turns of a log that are followed; bounds memory.
const MAX_TURNS: u64 = 20_000_000;

/// What a log is held against.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Expected<'a> {
    /// The point's concurrency.
    pub(in crate::compliance) slots: Option<u64>,
    /// One pass of the benchmark.
    pub(in crate::compliance) pass: &'a DatasetFacts,
    /// The template's arguments that the benchmark has for the model, `null` where there are to be
    /// none; none where the model is not known.
    pub(in crate::compliance) arguments: Option<&'a Value>,
    /// Whether recorded delays are waited out.
    pub(in crate::compliance) delays: bool,
    /// Whether generated tokens may be reused.
    pub(in crate::compliance) kept: bool,
    /// Turns that were sent twice.
    pub(in crate::compliance) resent: u64,
    /// The performance summary.
    pub(in crate::compliance) summary: Option<&'a Map>,
    /// Whether the run came to its end.
    pub(in crate::compliance) complete: bool,
    /// The stored replay digest.
    pub(in crate::compliance) digest: Option<&'a str>,
    /// How the trajectories were put in order, where that is stated.
    pub(in crate::compliance) mix: Option<Mix>,
    /// What should have been sent, where it is known.
    pub(in crate::compliance) workload: Option<&'a Workload>,
}

/// Follows a log and says what is wrong with it. A log without an event says nothing.
pub(in crate::compliance) fn read(log: impl BufRead, expected: &Expected<'_>) -> Vec<Fault> {
    let mut reader = Reader::new(log);
    let mut follower = Follower::new(expected);
    let (mut events, mut turns) = (0_u64, 0_u64);
    loop {
        let event = match reader.next() {
            None => break,
            Some(Ok(event)) => event,
            Some(Err(error)) => {
                let fault = Fault::new("x-log-unusable", "fail").with("reason", &error.kind);
                return vec![fault.at(Some(error.line))];
            }
        };
        events += 1;
        turns += u64::from(matches!(event.kind, EventKind::Issued(..)));
        if turns > MAX_TURNS {
            let reason = format!("more than {MAX_TURNS} turns");
            let fault = Fault::new("x-log-unusable", "fail").with("reason", reason);
            return vec![fault.at(Some(reader.line()))];
        }
        follower.push(&event, reader.line(), reader.text());
    }
    if events == 0 { vec![Fault::new("x-log-missing", "empty")] } else { follower.finish() }
}

/// Everything that watches.
struct Follower<'a> {
    expected: &'a Expected<'a>,
    sessions: Sessions,
    in_flight: HashMap<SampleId, InFlight>,
    heads: HashMap<SampleId, Head>,
    conversations: HashMap<Arc<str>, u32>,
    ended: bool,
    order: Order,
    salt: Salt<'a>,
    window: Window,
    cache: Cache,
    delays: Option<Delays<'a>>,
    collector: Collector,
}

impl<'a> Follower<'a> {
    fn new(expected: &'a Expected<'a>) -> Self {
        let workload = expected.workload;
        let conversations = workload.map_or_else(HashMap::new, |workload| {
            let ids = workload.library.conversations().iter().map(|source| Arc::clone(&source.id));
            ids.zip(0..).collect()
        });
        Self {
            expected,
            sessions: Sessions::default(),
            in_flight: HashMap::new(),
            heads: HashMap::new(),
            conversations,
            ended: false,
            order: Order::default(),
            salt: Salt::new(expected.arguments),
            window: Window::default(),
            cache: Cache::new(expected.kept),
            delays: workload.filter(|_| expected.delays).map(Delays::new),
            collector: Collector::new(),
        }
    }

    fn push(&mut self, event: &Event, line: u64, text: &[u8]) {
        self.collector.push(event);
        let at = event.at;
        match &event.kind {
            EventKind::SessionStarted => self.delays.iter_mut().for_each(|d| d.starts(at)),
            EventKind::StartTracking => self.window.opens(line),
            EventKind::StopTracking => self.window.closes(line, at),
            EventKind::SessionEnded => self.ended = true,
            EventKind::Issued(key, prompt) => {
                self.issued(key, prompt.as_ref(), Step { line, at, text });
            }
            EventKind::FirstToken(key) => {
                self.order.later(key, self.in_flight.get(&key.sample), line, at);
            }
            EventKind::Failed(key, _) => {
                self.order.later(key, self.in_flight.get(&key.sample), line, at);
                if let Some(turn) = self.in_flight.get_mut(&key.sample) {
                    turn.failed = true;
                }
            }
            EventKind::Complete(key, reply) => self.complete(key, reply.as_deref(), line, at),
        }
    }

    fn issued(&mut self, key: &TurnKey, prompt: Option<&PromptFacts>, step: Step<'_>) {
        let Step { line, at, text } = step;
        if !self.order.issued(key, line) {
            return;
        }
        let place = self.sessions.place(key, line, at);
        let session = self.sessions.at(place);
        if session.turns.0 == 0 {
            self.window.trajectory(&key.session, line);
        }
        session.count(key.turn);
        let sent = prompt.is_some();
        let flight = InFlight {
            place,
            session: Arc::clone(&key.session),
            issued_at: at,
            sent,
            failed: false,
        };
        self.in_flight.insert(key.sample, flight);
        let Some(prompt) = prompt else { return };
        self.order.sent(key, session, line, at);
        self.salt.sent(key, prompt, session, line, text);
        self.delays.iter_mut().for_each(|delays| delays.sent(key, session, line, at));
        let is_first = session.last_turn.is_none();
        session.last_turn = Some(key.turn);
        session.waiting = Some(key.turn);
        session.digests.extend(prompt.digest.map(|digest| (key.turn, digest)));
        if is_first {
            let head = self.head(place, text);
            self.heads.insert(key.sample, head);
        }
    }

    /// How much of a trajectory's first prompt others can share.
    fn head(&mut self, place: usize, text: &[u8]) -> Head {
        let session = self.sessions.at(place);
        if let Some(workload) = self.expected.workload
            && let Some(conversation) = self.conversations.get(session.source())
        {
            if let Some(tokens) = workload.heads.get(&session.id) {
                return Head::Exact(*tokens);
            }
            let body = workload.library.session(*conversation, session.pass).body(0);
            return Head::Bytes(body.shared_len() + body.tail().len() as u64, body.len());
        }
        match LoggedPrompt::of_line(text) {
            Ok(Some(logged)) => logged_head(&logged).unwrap_or(Head::Unknown),
            _ => Head::Unknown,
        }
    }

    fn complete(&mut self, key: &TurnKey, reply: Option<&Reply>, line: u64, at: Nanos) {
        let turn = self.in_flight.remove(&key.sample);
        self.order.later(key, turn.as_ref(), line, at);
        let head = self.heads.remove(&key.sample).unwrap_or(Head::Unknown);
        let Some(turn) = turn else { return };
        let head = if self.sessions.is_salted_alone(turn.place) { head } else { Head::Whole };
        self.order.ended(key, &turn, reply.is_some(), line);
        let session = self.sessions.at(turn.place);
        session.failed |= reply.is_none();
        session.ended_at = session.ended_at.max(Some(at));
        if turn.sent {
            session.waiting = None;
        }
        let Some(usage) = reply.and_then(|reply| reply.usage) else { return };
        let before = session.tokens;
        let (id, number) = (&*key.session, key.turn);
        // Of a trajectory some of whose turns have no counts, the bound is not known.
        if before.is_some() || session.turns.0 == 1 {
            self.cache.answered(&Answered { session: id, turn: number, line, usage, before, head });
        }
        let (prompts, both) = before.unwrap_or_default();
        let with_reply = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        session.tokens = Some((prompts.max(usage.prompt_tokens), both.max(with_reply)));
    }

    fn finish(mut self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let Expected { slots, pass, summary, .. } = *self.expected;
        for session in self.sessions.list().iter().filter(|session| session.waiting.is_some()) {
            self.order.open(session);
        }
        if !self.ended {
            self.order.no_end();
        }
        self.order.faults(slots, &mut faults);
        gaps(&self.sessions, &mut faults);
        self.salt.faults(&mut faults);
        self.delays.iter().for_each(|delays| delays.faults(&mut faults));
        if self.ended && self.expected.complete {
            self.window.faults(self.sessions.list(), slots, &mut faults);
            passes::faults(self.sessions.list(), pass, &mut faults);
        }
        if let Some(summary) = summary {
            counts::faults(summary, &self.collector.finish(), &mut faults);
        }
        if let (Some(mix), Some(stored)) = (&self.expected.mix, self.expected.digest) {
            digest::of_log(&self.sessions, mix, stored, &mut faults);
        }
        if let Some(workload) = self.expected.workload {
            digest::of_workload(&self.sessions, workload, self.expected.digest, &mut faults);
        }
        self.cache.faults(self.expected.resent, &mut faults);
        faults
    }
}

/// A line of the log.
#[derive(Clone, Copy)]
struct Step<'a> {
    line: u64,
    at: Nanos,
    text: &'a [u8],
}

/// Passes of a conversation that are counted but were not replayed: their ids cannot be right.
fn gaps(sessions: &Sessions, faults: &mut Vec<Fault>) {
    let mut odd = super::evidence::Evidence::default();
    for session in sessions.list().iter().filter(|session| session.pass > 1) {
        let before = match session.pass - 1 {
            1 => session.source().to_owned(),
            pass => format!("{}__repeat_{pass}", session.source()),
        };
        if sessions.named(&before).is_none() {
            odd.add(Some(session.line), || format!("{} without {before}", session.id));
        }
    }
    faults.extend(odd.fault("x-session-id", "gap"));
}

/// The bytes of a logged prompt up to its conversation's marker, tools included, and of all of it.
fn logged_head(logged: &LoggedPrompt) -> Option<Head> {
    let messages: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(&logged.messages).ok()?;
    let tools = logged.tools.as_ref().map_or(0, String::len);
    let shared = messages.first()?.get().len() + tools;
    Some(Head::Bytes(shared as u64, (logged.messages.len() + tools) as u64))
}
