//! A streamed reply, produced on time.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::time::Sleep;

use crate::clock::Nanos;
use crate::wire::encode::{ChunkEncoder, DONE, error_object, push_event};
use crate::wire::{FinishReason, Usage};

use super::answer::{Answer, Cursor};
use super::body::{Break, BrokenOff};
use super::ticket::Ticket;

/// Fragments that are due together are sent together, up to about this many bytes.
const FRAME_BYTES: usize = 32 * 1024;

/// What a fault does inside a stream, once `after` fragments were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interrupt {
    pub(super) after: u64,
    pub(super) action: Action,
}

/// What happens to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The connection is reset.
    Reset,
    /// The connection is closed inside a character.
    Cut,
    /// Nothing more is sent, or not for a time.
    Stall(Option<Nanos>),
    /// An event that is not JSON.
    Malformed,
    /// An `error` object, and the end.
    Error,
}

/// A streamed reply. Fragment `k` is due at the first one's time plus `k` steps, whatever the
/// delay of earlier ones was.
pub(super) struct Stream {
    answer: Answer,
    encoder: ChunkEncoder,
    /// Sent at the end, where asked for.
    usage: Option<Usage>,
    interrupt: Option<Interrupt>,
    ticket: Ticket,
    /// When the next fragment is to be sent.
    due: Nanos,
    cursor: Cursor,
    /// Fragments sent.
    sent: u64,
    /// Whether the role was sent.
    opened: bool,
    end: Option<End>,
    /// What is not handed over yet.
    out: Vec<u8>,
    sleep: Option<Pin<Box<Sleep>>>,
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Complete,
    Broken(Break),
}

impl Stream {
    /// A stream of `answer` whose first fragment is sent at `due`.
    pub(super) fn new(
        answer: Answer,
        encoder: ChunkEncoder,
        usage: Option<Usage>,
        interrupt: Option<Interrupt>,
        due: Nanos,
        ticket: Ticket,
    ) -> Self {
        Self {
            answer,
            encoder,
            usage,
            interrupt,
            ticket,
            due,
            cursor: Cursor::default(),
            sent: 0,
            opened: false,
            end: None,
            out: Vec::new(),
            sleep: None,
        }
    }

    /// Whether everything was handed over.
    pub(super) fn is_over(&self) -> bool {
        self.end == Some(End::Complete) && self.out.is_empty()
    }

    /// The next bytes; none at the end.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, BrokenOff>>> {
        loop {
            let early = self.end.is_none() && self.due > self.ticket.now();
            let handed_over = early || self.end.is_some() || self.out.len() >= FRAME_BYTES;
            if handed_over && !self.out.is_empty() {
                return Poll::Ready(Some(Ok(std::mem::take(&mut self.out).into())));
            }
            match &mut self.end {
                Some(End::Broken(end)) => return end.poll(&self.ticket, cx).map(|e| Some(Err(e))),
                Some(End::Complete) => return Poll::Ready(None),
                None if early => ready!(self.poll_due(cx)),
                None => self.step(),
            }
        }
    }

    /// Waits until the next fragment is due.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let deadline = self.ticket.clock().instant(self.due);
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx)
    }

    /// Appends what is due now: the next fragment, or what a fault puts in its place, and after
    /// the last one the end of the stream.
    fn step(&mut self) {
        if !self.opened {
            self.opened = true;
            self.encoder.role(&mut self.out);
        }
        if self.interrupt.is_some_and(|i| i.after <= self.sent || self.at_end()) {
            let interrupt = self.interrupt.take().expect("looked at just now");
            return self.interrupted(interrupt.action);
        }
        if let Some(fragment) = self.answer.next(&mut self.cursor) {
            fragment.encode(&self.encoder, &mut self.out);
            self.sent += 1;
            self.ticket.fragment();
        }
        if !self.at_end() {
            self.due = self.due.saturating_add(self.ticket.step());
        } else if self.interrupt.is_none() {
            self.finish();
        }
    }

    fn at_end(&self) -> bool {
        self.answer.next(&mut self.cursor.clone()).is_none()
    }

    fn finish(&mut self) {
        let out = &mut self.out;
        self.encoder.finish(out, &self.answer.finish);
        if let Some(usage) = &self.usage {
            self.encoder.usage(out, usage);
        }
        out.extend_from_slice(DONE);
        self.end = Some(End::Complete);
        self.ticket.complete();
        self.ticket.finished(&self.answer.finish, self.answer.completion_tokens());
    }

    fn interrupted(&mut self, action: Action) {
        let out = &mut self.out;
        match action {
            Action::Reset => self.end = Some(End::Broken(Break::Reset)),
            Action::Stall(None) => self.end = Some(End::Broken(Break::Stall)),
            Action::Stall(Some(time)) => self.due = self.due.saturating_add(time),
            Action::Cut => {
                self.encoder.content(out, "日");
                let character = out.iter().rposition(|byte| !byte.is_ascii());
                out.truncate(character.expect("just written"));
                self.end = Some(End::Broken(Break::Close));
            }
            Action::Malformed => push_event(out, br#"{"id":"chatcmpl-broken","choices":[{"del"#),
            Action::Error => {
                push_event(out, &fault_error());
                out.extend_from_slice(DONE);
                self.end = Some(End::Complete);
                self.ticket.complete();
                self.ticket.finished(&FinishReason::Other("error".to_owned()), 0);
            }
        }
    }
}

/// The `error` object that a fault sends.
pub(super) fn fault_error() -> Vec<u8> {
    error_object("simulated fault: the engine died", "InternalServerError", None, 500)
}
