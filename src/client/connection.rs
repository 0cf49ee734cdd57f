//! One open connection: writing a request and reading what comes back, each read stamped.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::http1::Outgoing;
use crate::clock::{Clock, Nanos};

/// How much is read at once.
const READ_BYTES: usize = 64 << 10;

thread_local! {
    /// Where reads go. What was read is used up before the next read, so that one buffer serves
    /// every connection of a thread.
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into_boxed_slice());
}

/// An open connection. Nothing runs in the background: it makes progress while it is awaited, on
/// the slot's own task, so that a read and what waits for it are one step apart.
#[derive(Debug)]
pub(super) struct Connection<Io> {
    io: Io,
    /// When the last exchange ended.
    idle_since: Nanos,
}

impl<Io: AsyncRead + AsyncWrite + Unpin> Connection<Io> {
    /// A connection over an open stream.
    pub(super) fn new(io: Io, now: Nanos) -> Self {
        Self { io, idle_since: now }
    }

    /// Whether the next request can go out here: it did not idle too long, and the server neither
    /// closed it nor sent anything in the meantime.
    pub(super) fn is_usable(&mut self, cx: &mut Context<'_>, now: Nanos, max_idle: Nanos) -> bool {
        let mut byte = [0];
        now.saturating_sub(self.idle_since) <= max_idle
            && Pin::new(&mut self.io).poll_read(cx, &mut ReadBuf::new(&mut byte)).is_pending()
    }

    /// Says that an exchange has ended here.
    pub(super) fn rest(&mut self, now: Nanos) {
        self.idle_since = now;
    }

    /// Sends what is left of `request` and reads once. `take` gets the bytes, none at the end of
    /// the stream, with the stamp of the moment at which the read returned, before HTTP or anything
    /// else looked at them.
    pub(super) fn poll_exchange<T>(
        &mut self,
        cx: &mut Context<'_>,
        request: &mut Outgoing,
        clock: &Clock,
        take: impl FnOnce(&[u8], Nanos) -> T,
    ) -> Poll<io::Result<T>> {
        // A server may answer before it has read everything, and close: the answer counts.
        let sent = request.poll_send(&mut self.io, cx);
        let read = self.poll_read(cx, clock, take);
        match sent {
            Poll::Ready(Err(error)) if read.is_pending() && !is_close(&error) => {
                Poll::Ready(Err(error))
            }
            _ => read,
        }
    }

    fn poll_read<T>(
        &mut self,
        cx: &mut Context<'_>,
        clock: &Clock,
        take: impl FnOnce(&[u8], Nanos) -> T,
    ) -> Poll<io::Result<T>> {
        BUFFER.with_borrow_mut(|buffer| {
            let mut buffer = ReadBuf::new(buffer);
            ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
            let stamp = clock.now();
            Poll::Ready(Ok(take(buffer.filled(), stamp)))
        })
    }
}

/// Whether the peer is gone, so that the next read tells of it.
fn is_close(error: &io::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionReset | ConnectionAborted)
}
