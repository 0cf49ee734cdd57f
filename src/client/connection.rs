//! One HTTP/1.1 connection, driven by whoever waits for it.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use super::body::RopeBody;
use super::stream::{Reads, Stamped};
use crate::clock::{Clock, Nanos};

/// The largest buffer for a response head or a piece of a body.
const MAX_BUFFER_BYTES: usize = 256 << 10;

type Driver<Io> = http1::Connection<TokioIo<Stamped<Io>>, RopeBody>;

/// An open connection. Nothing runs in the background: it makes progress while [`Self::drive`] is
/// awaited, on the slot's own task, so that a read and what waits for it are one step apart.
pub(super) struct Connection<Io: AsyncRead + AsyncWrite + Unpin + Send + 'static> {
    sender: http1::SendRequest<RopeBody>,
    /// None once the connection has ended.
    driver: Option<Driver<Io>>,
    reads: Arc<Reads>,
    /// When the last exchange ended.
    idle_since: Nanos,
}

impl<Io: AsyncRead + AsyncWrite + Unpin + Send + 'static> Connection<Io> {
    /// Speaks HTTP/1.1 over an open stream.
    pub(super) async fn new(io: Io, clock: Clock) -> hyper::Result<Self> {
        let (io, reads) = Stamped::new(io, clock);
        let (sender, driver) = http1::Builder::new()
            .max_buf_size(MAX_BUFFER_BYTES)
            .handshake(TokioIo::new(io))
            .await?;
        Ok(Self { sender, driver: Some(driver), reads, idle_since: clock.now() })
    }

    /// What was read so far.
    pub(super) fn reads(&self) -> &Reads {
        &self.reads
    }

    /// Whether the next request can go out here: it did not idle too long, and the server neither
    /// closed it nor sent anything in the meantime.
    pub(super) async fn is_usable(&mut self, now: Nanos, max_idle: Nanos) -> bool {
        if now.saturating_sub(self.idle_since) > max_idle {
            return false;
        }
        // One poll lets the connection see what happened to it while nobody looked.
        poll_fn(|cx| {
            poll_driver(&mut self.driver, cx);
            Poll::Ready(())
        })
        .await;
        self.driver.is_some() && self.sender.is_ready()
    }

    /// Says that an exchange has ended here.
    pub(super) fn rest(&mut self, now: Nanos) {
        self.idle_since = now;
    }

    /// Sends a request and waits for the head of its response.
    pub(super) async fn send(
        &mut self,
        request: Request<RopeBody>,
    ) -> hyper::Result<Response<Incoming>> {
        let response = self.sender.send_request(request);
        drive(&mut self.driver, response).await
    }

    /// Waits for something that this connection must bring.
    pub(super) async fn drive<F: Future>(&mut self, future: F) -> F::Output {
        drive(&mut self.driver, future).await
    }
}

/// Polls `future` and, while it waits, the connection.
async fn drive<Io, F>(driver: &mut Option<Driver<Io>>, future: F) -> F::Output
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    F: Future,
{
    let mut future = pin!(future);
    poll_fn(|cx| {
        // First what has already arrived; this also tells the connection that more is wanted.
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(output);
        }
        poll_driver(driver, cx);
        future.as_mut().poll(cx)
    })
    .await
}

fn poll_driver<Io>(driver: &mut Option<Driver<Io>>, cx: &mut std::task::Context<'_>)
where
    Io: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    if let Some(connection) = driver
        && Pin::new(connection).poll(cx).is_ready()
    {
        // How it ended is told through the response and its body.
        *driver = None;
    }
}
