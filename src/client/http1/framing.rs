//! How long a response's body is (RFC 9112, section 6.3).

use super::Malformed;
use super::chunked::Chunked;

/// Where a body ends.
#[derive(Debug)]
pub(in crate::client) enum Framing {
    /// After this many more bytes.
    Length(u64),
    /// After its last chunk.
    Chunked(Chunked),
    /// Where the server closes the connection.
    UntilClose,
}

/// A body that ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::client) enum Cut {
    /// Behind a `content-length` that promised more.
    #[error("the server closed it {0} bytes before the end that content-length announced")]
    BeforeLength(u64),
    /// Without the last chunk.
    #[error("the server closed it before the last chunk")]
    BeforeLastChunk,
}

impl Framing {
    /// The framing of a chunked body.
    pub(super) fn chunked() -> Self {
        Self::Chunked(Chunked::new())
    }

    /// Splits the next piece of the body off `bytes`; none when more bytes must come first, or the
    /// body is over and `bytes` is what follows it.
    pub(in crate::client) fn next<'a>(
        &mut self,
        bytes: &mut &'a [u8],
    ) -> Result<Option<&'a [u8]>, Malformed> {
        let length = match self {
            Self::Chunked(chunked) => return chunked.next(bytes),
            Self::Length(left) => usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len()),
            Self::UntilClose => bytes.len(),
        };
        let (data, rest) = bytes.split_at(length);
        *bytes = rest;
        if let Self::Length(left) = self {
            *left -= length as u64;
        }
        Ok((length > 0).then_some(data))
    }

    /// Whether the whole body was taken; never so for one that ends with the connection.
    pub(in crate::client) fn is_over(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunked) => chunked.is_over(),
            Self::UntilClose => false,
        }
    }

    /// Says that the connection was closed.
    pub(in crate::client) fn close(&self) -> Result<(), Cut> {
        match self {
            Self::Length(0) | Self::UntilClose => Ok(()),
            Self::Length(left) => Err(Cut::BeforeLength(*left)),
            Self::Chunked(chunked) if chunked.is_over() => Ok(()),
            Self::Chunked(_) => Err(Cut::BeforeLastChunk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_takes_its_bytes_and_no_more() {
        let mut framing = Framing::Length(5);
        let mut bytes = &b"abc"[..];
        assert_eq!(framing.next(&mut bytes), Ok(Some(&b"abc"[..])));
        assert_eq!(framing.next(&mut bytes), Ok(None));
        assert_eq!(framing.close(), Err(Cut::BeforeLength(2)));
        let mut bytes = &b"deHTTP"[..];
        assert_eq!(framing.next(&mut bytes), Ok(Some(&b"de"[..])));
        assert!(framing.is_over());
        assert_eq!((framing.next(&mut bytes), bytes), (Ok(None), &b"HTTP"[..]));
        assert_eq!(framing.close(), Ok(()));
    }

    #[test]
    fn a_body_without_length_ends_with_the_connection() {
        let mut framing = Framing::UntilClose;
        assert_eq!(framing.next(&mut &b"abc"[..]), Ok(Some(&b"abc"[..])));
        assert!(!framing.is_over());
        assert_eq!(framing.close(), Ok(()));
        assert_eq!(Framing::chunked().close(), Err(Cut::BeforeLastChunk));
    }
}
