//! A rope as an HTTP request body.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::Rope;

/// Hands a rope's slices to hyper one by one; no text is copied.
#[derive(Debug)]
pub(super) struct RopeBody {
    slices: std::vec::IntoIter<Bytes>,
    left: u64,
}

impl From<Rope> for RopeBody {
    fn from(rope: Rope) -> Self {
        Self { left: rope.len(), slices: rope.into_slices().into_iter() }
    }
}

impl Body for RopeBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let slice = self.slices.next();
        self.left -= slice.as_ref().map_or(0, |slice| slice.len() as u64);
        Poll::Ready(slice.map(|slice| Ok(Frame::data(slice))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
