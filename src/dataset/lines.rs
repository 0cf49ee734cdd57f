//! Lines of a source, bounded.

use std::io::Read;

use super::source::{Source, SourceError};

/// The buffer's first size; it grows with the longest line.
const START: usize = 256 * 1024;

/// Why there is no next line.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    /// The bytes could not be had.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A line without an end within the limit.
    #[error("a line is longer than {0} bytes")]
    TooLong(usize),
    /// More decompressed bytes than the limit.
    #[error("more than {0} bytes of text")]
    TooMuch(u64),
}

/// Splits a source into lines.
pub(super) struct Lines<R: Read> {
    source: Source<R>,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    start: usize,
    end: usize,
    /// Bytes of that part known to hold no line feed.
    searched: usize,
    total: u64,
    line: u64,
    max_line: usize,
    max_total: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: Source<R>, max_line: usize, max_total: u64) -> Self {
        Self {
            source,
            buffer: vec![0; START],
            start: 0,
            end: 0,
            searched: 0,
            total: 0,
            line: 0,
            max_line,
            max_total,
        }
    }

    /// Decompressed bytes read so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The number of the last line that was returned.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The source, to finish its digest.
    pub(super) fn into_source(self) -> Source<R> {
        self.source
    }

    /// The next line without its line feed, and its 1-based number; none at the end of the text.
    /// The last line needs no line feed.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &[u8])>, LineError> {
        let length = loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(found) = memchr::memchr(b'\n', &unread[self.searched..]) {
                break self.searched + found;
            }
            self.searched = unread.len();
            if unread.len() > self.max_line {
                return Err(LineError::TooLong(self.max_line));
            }
            if self.fill()? == 0 {
                if self.start == self.end {
                    return Ok(None);
                }
                break self.end - self.start;
            }
        };
        if length > self.max_line {
            return Err(LineError::TooLong(self.max_line));
        }
        let from = self.start;
        // Behind the line feed; the last line may have none.
        self.start = (from + length + 1).min(self.end);
        self.searched = 0;
        self.line += 1;
        Ok(Some((self.line, &self.buffer[from..from + length])))
    }

    /// Reads more behind the unread bytes; returns how many.
    fn fill(&mut self) -> Result<usize, LineError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let n = self.source.read(&mut self.buffer[self.end..])?;
        self.end += n;
        self.total += n as u64;
        if self.total > self.max_total {
            return Err(LineError::TooMuch(self.max_total));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::source::Compression;
    use super::*;

    /// Hands out a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            let n = self.1.min(buf.len()).min(self.0.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn lines(text: &[u8], step: usize, max: usize) -> Result<Vec<Vec<u8>>, LineError> {
        let source = Source::new(Drip(text, step), Compression::None).unwrap();
        let mut lines = Lines::new(source, max, u64::MAX);
        // A tiny buffer, so that moving and growing happen.
        lines.buffer = vec![0; 4];
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next()? {
            all.push(line.to_vec());
            assert_eq!(number, all.len() as u64);
        }
        assert!(lines.next()?.is_none());
        Ok(all)
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let source = Source::new(std::io::repeat(b'x'), Compression::None).unwrap();
        let mut lines = Lines::new(source, 1_000_000, u64::MAX);
        assert!(matches!(lines.next(), Err(LineError::TooLong(1_000_000))));
        assert!(lines.buffer.len() < 3_000_000);
        assert!(matches!(super::tests::lines(b"abcd\n", 9, 3), Err(LineError::TooLong(3))));
        assert!(super::tests::lines(b"abc\n", 9, 3).is_ok());
    }

    #[test]
    fn too_much_text_is_an_error() {
        let source = Source::new(std::io::repeat(b'\n'), Compression::None).unwrap();
        let mut lines = Lines::new(source, 10, 1_000_000);
        let error = loop {
            match lines.next() {
                Ok(line) => assert!(line.is_some()),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, LineError::TooMuch(1_000_000)));
    }

    proptest! {
        #[test]
        fn agrees_with_split(text in "[ab\n]{0,60}", step in 1_usize..9) {
            let mut expected: Vec<_> = text.as_bytes().split(|b| *b == b'\n').collect();
            if expected.last() == Some(&&b""[..]) {
                expected.pop();
            }
            prop_assert_eq!(lines(text.as_bytes(), step, 100).unwrap(), expected);
        }
    }
}
