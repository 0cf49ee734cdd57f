//! A request on its way out.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::AsyncWrite;

/// The most slices that go out in one system call.
const MAX_SLICES: usize = 16;

/// A head and the slices of a body, written from where they lie.
#[derive(Debug)]
pub(in crate::client) struct Outgoing {
    head: Vec<u8>,
    body: Vec<Bytes>,
    /// The slice that goes out next (0 is the head), and how much of it is gone.
    next: usize,
    gone: usize,
    flushed: bool,
}

impl Outgoing {
    /// A request of which nothing is sent. No slice of `body` is empty.
    pub(in crate::client) fn new(head: Vec<u8>, body: Vec<Bytes>) -> Self {
        Self { head, body, next: 0, gone: 0, flushed: false }
    }

    /// Begins again, for another connection.
    pub(in crate::client) fn restart(&mut self) {
        (self.next, self.gone, self.flushed) = (0, 0, false);
    }

    /// Whether all of it is with the system.
    pub(in crate::client) fn is_sent(&self) -> bool {
        self.flushed
    }

    /// Writes what is left; ready when everything is with the system.
    pub(in crate::client) fn poll_send(
        &mut self,
        io: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.next <= self.body.len() {
            let mut slices = [IoSlice::new(&[]); MAX_SLICES];
            let mut count = 0;
            for (place, slice) in slices.iter_mut().zip(self.left()) {
                *place = IoSlice::new(slice);
                count += 1;
            }
            let written = ready!(Pin::new(&mut *io).poll_write_vectored(cx, &slices[..count]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.advance(written);
        }
        if !self.flushed {
            ready!(Pin::new(io).poll_flush(cx))?;
            self.flushed = true;
        }
        Poll::Ready(Ok(()))
    }

    /// What is not sent.
    fn left(&self) -> impl Iterator<Item = &[u8]> {
        let slices = std::iter::once(&*self.head).chain(self.body.iter().map(|slice| &**slice));
        let gone = |index| if index == 0 { self.gone } else { 0 };
        slices.skip(self.next).enumerate().map(move |(index, slice)| &slice[gone(index)..])
    }

    fn advance(&mut self, written: usize) {
        let mut written = self.gone + written;
        loop {
            let length = match self.next {
                0 => self.head.len(),
                index => self.body.get(index - 1).map_or(usize::MAX, Bytes::len),
            };
            if written < length {
                break;
            }
            written -= length;
            self.next += 1;
        }
        // Behind the last slice nothing is left over.
        self.gone = written;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Takes a few bytes at a time, and sometimes none yet.
    struct Narrow {
        taken: Vec<u8>,
        steps: Vec<usize>,
    }

    impl AsyncWrite for Narrow {
        fn poll_write(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
        }

        fn poll_write_vectored(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let Some(room) = self.steps.pop().filter(|room| *room > 0) else {
                return Poll::Pending;
            };
            let bytes: Vec<u8> =
                slices.iter().flat_map(|slice| slice.iter().copied()).take(room).collect();
            self.taken.extend(&bytes);
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    proptest! {
        /// Every byte goes out once and in order, whatever the socket takes at a time, and again
        /// after a restart.
        #[test]
        fn every_byte_goes_out_once(
            head in prop::collection::vec(any::<u8>(), 1..20),
            body in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 0..40),
            steps in prop::collection::vec(0..30_usize, 0..80),
        ) {
            let whole: Vec<u8> = head.iter().chain(body.iter().flatten()).copied().collect();
            let slices = body.into_iter().map(Bytes::from).collect();
            let mut outgoing = Outgoing::new(head, slices);
            let mut cx = Context::from_waker(std::task::Waker::noop());
            for _ in 0..2 {
                let mut io = Narrow { taken: Vec::new(), steps: steps.clone() };
                while !io.steps.is_empty() && outgoing.poll_send(&mut io, &mut cx).is_pending() {}
                io.steps = vec![7; whole.len()];
                prop_assert!(outgoing.poll_send(&mut io, &mut cx).is_ready());
                prop_assert!(outgoing.is_sent());
                prop_assert_eq!(&io.taken, &whole);
                outgoing.restart();
                prop_assert!(!outgoing.is_sent());
            }
        }
    }
}
