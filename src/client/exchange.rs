//! One request and its response on one connection.

use std::future::poll_fn;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout_at;

use super::connection::Connection;
use super::fault;
use super::http1::Outgoing;
use super::model::Progress;
use super::response::Response;
use crate::clock::{Clock, Nanos, nanos};
use crate::wire::{Failure, Reply};

/// How long an error body may take; its status is known already.
const ERROR_BODY_GRACE: Duration = Duration::from_secs(2);

/// How long the end of the response may lag behind `[DONE]` before the connection is given up. The
/// reply itself is complete by then and its stamps are taken.
const END_GRACE: Duration = Duration::from_millis(250);

/// What an exchange brought.
pub(super) struct Received {
    /// The reply, or why the response is none.
    pub(super) outcome: Result<Reply, Failure>,
    /// The stamp of the reply's last byte.
    pub(super) completed_at: Nanos,
    /// Whether the connection can be used again.
    pub(super) keep_alive: bool,
}

/// Why an exchange gave no response.
pub(super) enum Broken {
    /// The connection broke before any byte of a response.
    BeforeReply(Failure),
    /// Anything else.
    Failed(Failure),
}

/// Sends `request` and receives the whole response; the first token's stamp goes to `progress` and
/// `on_first_token` as soon as it is known.
pub(super) async fn exchange<Io: AsyncRead + AsyncWrite + Unpin>(
    connection: &mut Connection<Io>,
    request: &mut Outgoing,
    clock: Clock,
    progress: &mut Progress,
    on_first_token: &mut (impl FnMut(Nanos) + Send),
) -> Result<Received, Broken> {
    let mut receiving = Receiving { response: Response::new(), completed_at: None, end_by: None };
    while !receiving.is_over() {
        let end_by = receiving.end_by;
        let read = poll_fn(|cx| {
            let taken = |bytes: &[u8], stamp| receiving.take(bytes, stamp);
            connection.poll_exchange(cx, request, &clock, taken)
        });
        let read = match end_by {
            None => read.await,
            Some(limit) => match timeout_at(clock.instant(limit), read).await {
                Ok(read) => read,
                Err(_) => break,
            },
        };
        let taken = match read {
            Ok(taken) => taken,
            Err(_) if receiving.is_answered() => break,
            Err(error) => return Err(receiving.broken(&error)),
        };
        if taken.first {
            progress.first_token_at = Some(taken.stamp);
            on_first_token(taken.stamp);
        }
        taken.result.map_err(|failure| receiving.failed(failure))?;
        if taken.ended {
            break;
        }
    }
    let Receiving { response, completed_at, .. } = receiving;
    Ok(Received {
        // A server that answers early would take the rest of this request for the next one.
        keep_alive: response.keeps_alive() && request.is_sent(),
        completed_at: completed_at.unwrap_or_else(|| clock.now()),
        outcome: response.finish(),
    })
}

/// A response being received, and when it must be over.
struct Receiving {
    response: Response,
    completed_at: Option<Nanos>,
    end_by: Option<Nanos>,
}

/// What one read brought.
struct Read {
    stamp: Nanos,
    /// The first fragment was in it.
    first: bool,
    /// Nothing more can come.
    ended: bool,
    result: Result<(), Failure>,
}

impl Receiving {
    /// Takes what was read, or the end of the stream.
    fn take(&mut self, bytes: &[u8], stamp: Nanos) -> Read {
        let closed = bytes.is_empty();
        let result = if closed { self.response.close() } else { self.response.take(bytes) };
        if self.completed_at.is_some() {
            // The reply was complete before; what is wrong with its wrapping costs the connection.
            return Read { stamp, first: false, ended: closed || result.is_err(), result: Ok(()) };
        }
        let first = self.response.take_first();
        let done = self.response.is_done();
        if done || closed || self.response.is_over() {
            self.completed_at = Some(stamp);
        }
        let grace = match () {
            () if done => Some(END_GRACE),
            () if self.response.is_error() => Some(ERROR_BODY_GRACE),
            () => None,
        };
        self.end_by = self.end_by.or(grace.map(|grace| stamp.saturating_add(nanos(grace))));
        let ended = closed || result.is_err();
        Read { stamp, first, ended, result: if done { Ok(()) } else { result } }
    }

    fn is_over(&self) -> bool {
        self.response.is_over() || self.response.is_enough()
    }

    /// Whether the outcome is known, be it that the response goes on.
    fn is_answered(&self) -> bool {
        self.completed_at.is_some() || self.response.is_error()
    }

    /// The failure for a socket that broke.
    fn broken(&self, error: &io::Error) -> Broken {
        let place =
            if self.response.has_body() { "inside the reply" } else { "before the reply began" };
        self.failed(fault::from_io(error, place))
    }

    fn failed(&self, failure: Failure) -> Broken {
        if self.response.has_begun() {
            Broken::Failed(failure)
        } else {
            Broken::BeforeReply(failure)
        }
    }
}
