//! The client of one slot: its connections, and one exchange at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{timeout, timeout_at};

use super::connection::Connection;
use super::model::Progress;
use super::receive::{Received, receive};
use super::{Connect, Endpoint, Exchange, Rope, fault};
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

/// One exchange's fixed parts.
struct Turn<'a> {
    url: usize,
    session: &'a str,
    body: Rope,
    started: Nanos,
}

/// Why an attempt gave no reply.
enum Broken {
    /// The connection broke before any byte of a response.
    BeforeReply(Failure),
    /// Anything else.
    Failed(Failure),
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
        let turn = Turn { url, session, body, started: self.clock.now() };
        let mut progress = Progress::default();
        let until = self.clock.instant(deadline);
        let attempts = self.attempts(&turn, &mut progress, on_first_token);
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
        let (completed_at, outcome) = match outcome {
            Ok(received) => (received.completed_at, Ok(received.reply)),
            Err(mut failure) => {
                failure.message = self.endpoint.redact(failure.message);
                (self.clock.now(), Err(failure))
            }
        };
        Exchange {
            first_token_at: progress.first_token_at,
            completed_at,
            connect: progress.connect,
            resent: progress.resent,
            outcome,
        }
    }

    /// Uses the open connection or a new one, and a new one once more where the open one turns out
    /// to have been closed while it idled.
    async fn attempts(
        &mut self,
        turn: &Turn<'_>,
        progress: &mut Progress,
        on_first_token: &mut (impl FnMut(Nanos) + Send),
    ) -> Result<Received, Failure> {
        if let Some(mut open) = self.connections[turn.url].take()
            && open.is_usable(turn.started, nanos(self.endpoint.max_idle)).await
        {
            match self.attempt(open, turn, progress, on_first_token).await {
                Ok(received) => return Ok(received),
                Err(Broken::BeforeReply(_)) if self.is_idle_close(turn) => progress.resent = true,
                Err(Broken::BeforeReply(failure) | Broken::Failed(failure)) => return Err(failure),
            }
        }
        let begun = if progress.resent { turn.started } else { self.clock.now() };
        let connection = self.connect(turn.url).await?;
        progress.connect = Some(self.clock.now().saturating_sub(begun));
        self.attempt(connection, turn, progress, on_first_token).await.map_err(
            |broken| match broken {
                Broken::BeforeReply(failure) | Broken::Failed(failure) => failure,
            },
        )
    }

    fn is_idle_close(&self, turn: &Turn<'_>) -> bool {
        self.clock.now().saturating_sub(turn.started) <= nanos(CLOSE_WINDOW)
    }

    async fn connect(&mut self, url: usize) -> Result<Connection<C::Io>, Failure> {
        let limit = self.endpoint.connect_timeout;
        let label = self.endpoint.label(url);
        let io = timeout(limit, self.connector.connect(url)).await.map_err(|_| {
            let message = format!("cannot connect to {label}: no answer within {limit:?}");
            Failure::new(FailureKind::Connect, message)
        })??;
        Connection::new(io, self.clock).await.map_err(|error| fault::from_hyper(&error, "at once"))
    }

    /// One request on one connection, which is kept where it can be used again.
    async fn attempt(
        &mut self,
        mut connection: Connection<C::Io>,
        turn: &Turn<'_>,
        progress: &mut Progress,
        on_first_token: &mut (impl FnMut(Nanos) + Send),
    ) -> Result<Received, Broken> {
        let request = self.endpoint.request(turn.url, turn.session, turn.body.clone());
        let Some(request) = request else {
            let message = format!("the session id {:?} cannot be sent in a header", turn.session);
            return Err(Broken::Failed(Failure::new(FailureKind::MalformedStream, message)));
        };
        let read_before = connection.reads().bytes();
        let response = match connection.send(request).await {
            Ok(response) => response,
            Err(error) => {
                let failure = fault::from_hyper(&error, "before the reply began");
                let silent = connection.reads().bytes() == read_before;
                return Err(if silent {
                    Broken::BeforeReply(failure)
                } else {
                    Broken::Failed(failure)
                });
            }
        };
        let result = receive(&mut connection, response, self.clock, progress, on_first_token).await;
        let to_the_end = match &result {
            Ok(received) => received.to_the_end,
            Err(refused) => refused.to_the_end,
        };
        if to_the_end {
            connection.rest(self.clock.now());
            self.connections[turn.url] = Some(connection);
        }
        result.map_err(|refused| Broken::Failed(refused.failure))
    }
}
