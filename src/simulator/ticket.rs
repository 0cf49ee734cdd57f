//! One request from its arrival to its end: what must be undone or noted, however it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::OwnedSemaphorePermit;

use crate::clock::{Clock, Nanos};
use crate::wire::FinishReason;

use super::server::Connection;
use super::simulator::Simulator;

/// Counts a request as running until it is dropped with the reply's body.
pub(super) struct Ticket {
    simulator: Arc<Simulator>,
    connection: Arc<Connection>,
    slot: Option<OwnedSemaphorePermit>,
    counted: bool,
    finished: bool,
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
    pub(super) fn new(simulator: Arc<Simulator>, connection: Arc<Connection>) -> Self {
        connection.idle(None);
        Self { simulator, connection, slot: None, counted: false, finished: false }
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

    /// The time to the next fragment, with what is running now.
    pub(super) fn step(&self) -> Nanos {
        self.simulator.latency().next(self.simulator.running())
    }

    /// Notes a fragment.
    pub(super) fn fragment(&mut self) {}

    /// Notes that the reply is complete.
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
        let counters = self.simulator.counters();
        if self.counted {
            counters.running.fetch_sub(1, Ordering::Relaxed);
            if !self.finished {
                counters.finished_abort.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.slot = None;
        self.connection.idle(Some(self.now()));
    }
}
