//! Byte streams: the kinds of socket, and the stamping of reads.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::clock::{Clock, Nanos};

/// A connection to a server, with or without TLS.
#[derive(Debug)]
pub enum Stream {
    /// Plain TCP.
    Plain(TcpStream),
    /// TLS over TCP.
    Tls(Box<TlsStream<TcpStream>>),
    /// A pipe in memory, to a server in this process.
    Pipe(DuplexStream),
}

macro_rules! either {
    ($stream:expr, $io:ident => $call:expr) => {
        match $stream.get_mut() {
            Stream::Plain($io) => {
                let $io = Pin::new($io);
                $call
            }
            Stream::Tls($io) => {
                let $io = Pin::new($io.as_mut());
                $call
            }
            Stream::Pipe($io) => {
                let $io = Pin::new($io);
                $call
            }
        }
    };
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_read(cx, buf))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, io => io.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, io => io.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(io) => io.is_write_vectored(),
            Self::Tls(io) => io.is_write_vectored(),
            Self::Pipe(io) => io.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, io => io.poll_shutdown(cx))
    }
}

/// What a connection has read: how many bytes, and when the last of them.
#[derive(Debug, Default)]
pub(super) struct Reads {
    bytes: AtomicU64,
    last: AtomicU64,
}

impl Reads {
    /// Bytes read since the connection was opened.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// When the last read returned, be it with bytes or with the end of the stream.
    pub(super) fn last(&self) -> Nanos {
        self.last.load(Ordering::Relaxed)
    }
}

/// A stream that stamps each read the moment it returns, before HTTP or anything else looks at the
/// bytes.
#[derive(Debug)]
pub(super) struct Stamped<Io> {
    io: Io,
    clock: Clock,
    reads: Arc<Reads>,
}

impl<Io> Stamped<Io> {
    pub(super) fn new(io: Io, clock: Clock) -> (Self, Arc<Reads>) {
        let reads = Arc::new(Reads::default());
        (Self { io, clock, reads: Arc::clone(&reads) }, reads)
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for Stamped<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = Pin::new(&mut self.io).poll_read(cx, buf);
        if result.is_ready() {
            self.reads.last.store(self.clock.now(), Ordering::Relaxed);
            let read = buf.filled().len() - before;
            self.reads.bytes.fetch_add(read as u64, Ordering::Relaxed);
        }
        result
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for Stamped<Io> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
