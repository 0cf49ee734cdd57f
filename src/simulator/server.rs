//! Serving connections: over any byte stream, or on a TCP listener.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::routes;
use super::state::Simulator;
use crate::clock::Nanos;

/// How long replies may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(1);

/// What a connection and the replies on it tell each other.
#[derive(Debug)]
pub(super) struct Connection {
    /// Whether the connection must end abruptly.
    reset: AtomicBool,
    /// Since when the connection has had nothing to do; none while it has.
    idle_since: watch::Sender<Option<Nanos>>,
}

impl Connection {
    fn new(now: Nanos) -> Arc<Self> {
        let idle_since = watch::Sender::new(Some(now));
        Arc::new(Self { reset: AtomicBool::new(false), idle_since })
    }

    /// Asks for an abrupt end, once the connection is dropped.
    pub(super) fn reset(&self) {
        self.reset.store(true, Ordering::Relaxed);
    }

    /// Notes that a request came (none) or that its reply is over.
    pub(super) fn idle(&self, since: Option<Nanos>) {
        self.idle_since.send_replace(since);
    }

    /// Returns once the connection has been idle for `limit`.
    async fn idle_for(&self, limit: Nanos, simulator: &Simulator) {
        let clock = simulator.clock();
        let mut changes = self.idle_since.subscribe();
        loop {
            let since = *changes.borrow_and_update();
            let changed = async { changes.changed().await.is_err() };
            match since {
                None => {
                    changed.await;
                }
                Some(since) => tokio::select! {
                    () = clock.sleep_until(since.saturating_add(limit)) => return,
                    _ = changed => {}
                },
            }
        }
    }
}

impl Simulator {
    /// Serves one connection until either side ends it. Over a pipe a reset is a plain end.
    pub async fn serve_connection(
        self: Arc<Self>,
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) {
        let connection = Connection::new(self.clock().now());
        if !self.is_gone() {
            self.drive(io, connection).await;
        }
    }

    /// Serves a listener until `shutdown`. Replies that are then under way get one more second.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        let mut connections = JoinSet::new();
        let mut listener = Some(listener);
        let mut gone = self.watch_gone();
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                () = until(&mut gone), if listener.is_some() => listener = None,
                accepted = accept(listener.as_ref()) => match accepted {
                    Ok(stream) => self.spawn(stream, &mut connections),
                    // Out of file descriptors, for example: the next try may succeed.
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
        drop(listener);
        self.stop();
        let all = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            connections.shutdown().await;
        }
    }

    fn spawn(self: &Arc<Self>, stream: TcpStream, connections: &mut JoinSet<()>) {
        // A late small write costs more than it saves; a socket that is gone already says so later.
        let _ = stream.set_nodelay(true);
        let connection = Connection::new(self.clock().now());
        let simulator = Arc::clone(self);
        connections.spawn(async move {
            let io = TcpIo { stream, connection: Arc::clone(&connection) };
            simulator.drive(io, connection).await;
        });
    }

    async fn drive(
        self: Arc<Self>,
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        connection: Arc<Connection>,
    ) {
        let service = {
            let (simulator, connection) = (Arc::clone(&self), Arc::clone(&connection));
            service_fn(move |request| {
                routes::handle(Arc::clone(&simulator), Arc::clone(&connection), request)
            })
        };
        let mut http = pin!(
            http1::Builder::new()
                .auto_date_header(false)
                .header_read_timeout(None)
                .serve_connection(TokioIo::new(io), service)
        );
        let (mut stopped, mut gone) = (self.watch_stopped(), self.watch_gone());
        let mut dead = self.watch_dead();
        let idle = async {
            match self.idle_limit() {
                Some(limit) => connection.idle_for(limit, &self).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // An end of the connection, whichever way, is not this side's trouble.
            _ = http.as_mut() => return,
            () = until(&mut dead) => return connection.reset(),
            () = until(&mut stopped) => {}
            () = until(&mut gone) => {}
            () = idle => {}
        }
        http.as_mut().graceful_shutdown();
        tokio::select! {
            _ = http => {}
            () = until(&mut dead) => connection.reset(),
        }
    }
}

/// Waits until the flag is up.
async fn until(flag: &mut watch::Receiver<bool>) {
    // Its sender is the endpoint, which outlives everything that waits.
    let _ = flag.wait_for(|up| *up).await;
}

async fn accept(listener: Option<&TcpListener>) -> io::Result<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// A TCP stream that can end with a reset.
struct TcpIo {
    stream: TcpStream,
    connection: Arc<Connection>,
}

impl Drop for TcpIo {
    fn drop(&mut self) {
        if self.connection.reset.load(Ordering::Relaxed) {
            // Without lingering, closing sends RST; a socket that is gone needs none.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for TcpIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for TcpIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.connection.reset.load(Ordering::Relaxed) {
            // A reset must not be preceded by an orderly end.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
