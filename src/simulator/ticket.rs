//! One request from its arrival to its end: what must be undone or noted, however it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::request::Parts;
use tokio::sync::OwnedSemaphorePermit;

use crate::clock::{Clock, Nanos};
use crate::wire::FinishReason;

use super::record::RequestRecord;
use super::server::Connection;
use super::state::Simulator;

/// A request. It counts as running from [`Ticket::admit`] on, until it is dropped with the
/// reply's body.
pub(super) struct Ticket {
    simulator: Arc<Simulator>,
    connection: Arc<Connection>,
    slot: Option<OwnedSemaphorePermit>,
    /// Whether it is counted as running.
    counted: bool,
    /// Whether its tokens and reason were counted.
    finished: bool,
    /// Whether the reply comes without pauses.
    at_once: bool,
    record: Option<Box<RequestRecord>>,
}

/// Counts a request as waiting; its client may give up meanwhile.
struct Waiting<'a>(&'a Simulator);

impl<'a> Waiting<'a> {
    fn new(simulator: &'a Simulator) -> Self {
        simulator.counters().waiting.fetch_add(1, Ordering::Relaxed);
        Self(simulator)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.counters().waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Ticket {
    /// A request on `connection` that just came.
    pub(super) fn new(
        simulator: Arc<Simulator>,
        connection: Arc<Connection>,
        head: &Parts,
    ) -> Self {
        connection.idle(None);
        let record = simulator.recorder().map(|_| {
            let session = head.headers.get(simulator.session_header());
            Box::new(RequestRecord::start(simulator.clock().now(), head, session))
        });
        let (slot, counted, finished, at_once) = (None, false, false, false);
        Self { simulator, connection, slot, counted, finished, at_once, record }
    }

    /// The endpoint.
    pub(super) fn simulator(&self) -> &Arc<Simulator> {
        &self.simulator
    }

    /// The connection that the request came on.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The endpoint's clock.
    pub(super) fn clock(&self) -> Clock {
        self.simulator.clock()
    }

    /// The time.
    pub(super) fn now(&self) -> Nanos {
        self.clock().now()
    }

    /// Notes the request's body.
    pub(super) fn body(&mut self, body: &Bytes) {
        if let Some(record) = &mut self.record {
            record.body = body.clone();
        }
    }

    /// Waits for a place in the batch, in order of arrival, and counts the request as running
    /// from then on.
    pub(super) async fn admit(&mut self) {
        if let Some(slots) = self.simulator.slots() {
            let waiting = Waiting::new(&self.simulator);
            self.slot = Arc::clone(slots).acquire_owned().await.ok();
            drop(waiting);
        }
        self.counted = true;
        self.simulator.counters().running.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the fragments come without a pause.
    pub(super) fn at_once(&mut self, at_once: bool) {
        self.at_once = at_once;
    }

    /// The time to the next fragment, with what is running now.
    pub(super) fn step(&self) -> Nanos {
        if self.at_once {
            return 0;
        }
        self.simulator.latency().next(self.simulator.running())
    }

    /// Notes the status of the reply.
    pub(super) fn status(&mut self, status: u16) {
        if let Some(record) = &mut self.record {
            record.status = Some(status);
        }
    }

    /// Notes a fragment.
    pub(super) fn fragment(&mut self) {
        if let Some(record) = &mut self.record
            && record.first_fragment.is_none()
        {
            record.first_fragment = Some(self.simulator.clock().now());
        }
    }

    /// Notes that the last byte was handed to the connection.
    pub(super) fn complete(&mut self) {
        if let Some(record) = &mut self.record {
            record.end = self.simulator.clock().now();
            record.complete = true;
        }
    }

    /// Counts the generated tokens and why generation ended.
    pub(super) fn finished(&mut self, reason: &FinishReason, tokens: u64) {
        self.finished = true;
        let counters = self.simulator.counters();
        let finished = match reason {
            FinishReason::Length => &counters.finished_length,
            FinishReason::Other(_) => &counters.finished_abort,
            _ => &counters.finished_stop,
        };
        finished.fetch_add(1, Ordering::Relaxed);
        counters.generation_tokens.fetch_add(tokens, Ordering::Relaxed);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let now = self.now();
        let counters = self.simulator.counters();
        if self.counted {
            counters.running.fetch_sub(1, Ordering::Relaxed);
            if !self.finished {
                counters.finished_abort.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.connection.idle(Some(now));
        if let (Some(mut record), Some(recorder)) = (self.record.take(), self.simulator.recorder())
        {
            if !record.complete {
                record.end = now;
            }
            recorder.record(*record);
        }
    }
}
