//! The client of one slot: its connections, and one exchange at a time.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{timeout, timeout_at};

use super::connection::Connection;
use super::exchange::{Broken, Received, exchange};
use super::http1::Outgoing;
use super::model::Progress;
use super::{Connect, Endpoint, Exchange, Rope};
use crate::clock::{Clock, Nanos, nanos};
use crate::wire::{Failure, FailureKind};

/// How soon after sending a reused connection must break for the break to count as the close of an
/// idle connection, which had been under way already, and not as a failure of this request.
const CLOSE_WINDOW: Duration = Duration::from_secs(1);

/// Sends one request at a time for one slot, over at most one connection per URL.
pub struct SlotClient<C: Connect> {
    endpoint: Arc<Endpoint>,
    connector: Arc<C>,
    clock: Clock,
    connections: Vec<Option<Connection<C::Io>>>,
}

impl<C: Connect> SlotClient<C> {
    /// A client without connections.
    pub fn new(endpoint: Arc<Endpoint>, connector: Arc<C>, clock: Clock) -> Self {
        let connections = (0..endpoint.urls()).map(|_| None).collect();
        Self { endpoint, connector, clock, connections }
    }

    /// Sends `body` to the URL with this index and receives the whole reply.
    ///
    /// `issued_at` is when the turn was issued and `deadline` when it must be over.
    /// `on_first_token` is called with the stamp of the first non-empty fragment as soon as that
    /// was decoded. The future may be dropped at any point; the connection is then closed.
    pub async fn exchange(
        &mut self,
        url: usize,
        session: &str,
        body: Rope,
        issued_at: Nanos,
        deadline: Nanos,
        on_first_token: &mut (impl FnMut(Nanos) + Send),
    ) -> Exchange {
        let url = url.min(self.connections.len() - 1);
        let mut progress = Progress::default();
        let Some(head) = self.endpoint.head(url, session, body.len()) else {
            let message = format!("the session id {session:?} cannot be sent in a header");
            let outcome = Err(Failure::new(FailureKind::MalformedStream, message));
            return progress.exchange(self.clock.now(), outcome);
        };
        let request = Outgoing::new(head, body.into_slices());
        let until = self.clock.instant(deadline);
        let attempts = self.attempts(url, request, &mut progress, on_first_token);
        let outcome = timeout_at(until, attempts).await;
        let outcome = outcome.unwrap_or_else(|_| {
            let limit = Duration::from_nanos(deadline.saturating_sub(issued_at));
            let seen = match progress.first_token_at {
                Some(_) => "the reply had begun",
                None => "no token had arrived",
            };
            let message = format!("no complete reply within {limit:?}; {seen}");
            Err(Failure::new(FailureKind::TurnTimeout, message))
        });
        let received = outcome.unwrap_or_else(|failure| Received {
            outcome: Err(failure),
            completed_at: self.clock.now(),
            keep_alive: false,
        });
        let outcome = received.outcome.map_err(|failure| Failure {
            message: self.endpoint.redact(failure.message),
            ..failure
        });
        progress.exchange(received.completed_at, outcome)
    }

    /// Uses the open connection or a new one, and a new one once more where the open one turns out
    /// to have been closed while it idled.
    async fn attempts(
        &mut self,
        url: usize,
        mut request: Outgoing,
        progress: &mut Progress,
        on_first_token: &mut (impl FnMut(Nanos) + Send),
    ) -> Result<Received, Failure> {
        let started = self.clock.now();
        if let Some(open) = self.open_connection(url, started).await {
            match self.attempt(url, open, &mut request, progress, on_first_token).await {
                Ok(received) => return Ok(received),
                Err(Broken::BeforeReply(_)) if self.is_idle_close(started) => {
                    progress.resent = true;
                    request.restart();
                }
                Err(Broken::BeforeReply(failure) | Broken::Failed(failure)) => return Err(failure),
            }
        }
        let begun = if progress.resent { started } else { self.clock.now() };
        let connection = self.connect(url).await?;
        progress.connect = Some(self.clock.now().saturating_sub(begun));
        self.attempt(url, connection, &mut request, progress, on_first_token).await.map_err(
            |broken| match broken {
                Broken::BeforeReply(failure) | Broken::Failed(failure) => failure,
            },
        )
    }

    fn is_idle_close(&self, started: Nanos) -> bool {
        self.clock.now().saturating_sub(started) <= nanos(CLOSE_WINDOW)
    }

    /// The connection that the exchange before left open, where it can still be used.
    async fn open_connection(&mut self, url: usize, now: Nanos) -> Option<Connection<C::Io>> {
        let mut open = self.connections[url].take()?;
        let max_idle = nanos(self.endpoint.max_idle);
        let usable = poll_fn(|cx| Poll::Ready(open.is_usable(cx, now, max_idle))).await;
        usable.then_some(open)
    }

    async fn connect(&mut self, url: usize) -> Result<Connection<C::Io>, Failure> {
        let limit = self.endpoint.connect_timeout;
        let label = self.endpoint.label(url);
        let io = timeout(limit, self.connector.connect(url)).await.map_err(|_| {
            let message = format!("cannot connect to {label}: no answer within {limit:?}");
            Failure::new(FailureKind::Connect, message)
        })??;
        Ok(Connection::new(io, self.clock.now()))
    }

    /// One request on one connection, which is kept where it can be used again.
    async fn attempt(
        &mut self,
        url: usize,
        mut connection: Connection<C::Io>,
        request: &mut Outgoing,
        progress: &mut Progress,
        on_first_token: &mut (impl FnMut(Nanos) + Send),
    ) -> Result<Received, Broken> {
        let received =
            exchange(&mut connection, request, self.clock, progress, on_first_token).await?;
        if received.keep_alive {
            connection.rest(self.clock.now());
            self.connections[url] = Some(connection);
        }
        Ok(received)
    }
}
