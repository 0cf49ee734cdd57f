//! JSON values of a file one by one: JSON Lines, one document, or the elements of one array.

use std::io::Read;

use super::super::source::{Source, SourceError};

/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// Why there is no next value.
#[derive(Debug, thiserror::Error)]
pub(super) enum ValueError {
    /// The bytes could not be had.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A value without an end within the limit.
    #[error("a value is longer than {0} bytes")]
    TooLong(usize),
}

/// One value as it stands in the file, unchecked; the last one may lack its end.
pub(super) struct Raw {
    /// 1-based line where it starts.
    pub(super) line: u64,
    pub(super) text: Vec<u8>,
}

/// Splits a source into values.
pub(super) struct Values<R: Read> {
    source: Source<R>,
    buffer: Vec<u8>,
    at: usize,
    line: u64,
    limit: usize,
    /// Whether each line is a value; known after the first byte that counts.
    lines: Option<bool>,
}

impl<R: Read> Values<R> {
    pub(super) fn new(source: Source<R>, limit: usize) -> Self {
        Self { source, buffer: Vec::new(), at: 0, line: 1, limit, lines: None }
    }

    fn fill(&mut self) -> Result<bool, ValueError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + CHUNK, 0);
        let read = self.source.read(&mut self.buffer[length..]);
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    /// The next value; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Raw>, ValueError> {
        if !self.skip_blank()? {
            return Ok(None);
        }
        let by_lines = match self.lines {
            Some(known) => known,
            None => self.decide()?,
        };
        if by_lines { self.take_line().map(Some) } else { self.take_element() }
    }

    /// Skips white space, and what stands between values; whether anything is left.
    fn skip_blank(&mut self) -> Result<bool, ValueError> {
        loop {
            while let Some(byte) = self.buffer.get(self.at) {
                let between = self.lines == Some(false) && matches!(byte, b',' | b'[' | b']');
                if !between && !byte.is_ascii_whitespace() && !matches!(byte, 0xef | 0xbb | 0xbf) {
                    return Ok(true);
                }
                self.line += u64::from(*byte == b'\n');
                self.at += 1;
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }

    /// An array has elements; a first line that is a value by itself has others behind it.
    fn decide(&mut self) -> Result<bool, ValueError> {
        if self.buffer.get(self.at) == Some(&b'[') {
            self.lines = Some(false);
            return Ok(false);
        }
        let end = self.line_end()?;
        let first = self.buffer.get(self.at..end).unwrap_or_default();
        let whole = serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok();
        // A broken line that opens nothing for the next one is still a line.
        let opens =
            first.trim_ascii_end().ends_with(b"{") || first.trim_ascii_end().ends_with(b",");
        let lines = whole || !opens;
        self.lines = Some(lines);
        Ok(lines)
    }

    fn line_end(&mut self) -> Result<usize, ValueError> {
        let mut searched = 0;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.at + searched..]) {
                return Ok(self.at + searched + found);
            }
            searched = self.buffer.len() - self.at;
            if searched > self.limit {
                return Err(ValueError::TooLong(self.limit));
            }
            if !self.fill()? {
                return Ok(self.buffer.len());
            }
        }
    }

    fn take_line(&mut self) -> Result<Raw, ValueError> {
        let end = self.line_end()?;
        let text = self.buffer[self.at..end].to_vec();
        let line = self.line;
        self.at = end;
        Ok(Raw { line, text })
    }

    /// Takes one value by its brackets and quotes.
    fn take_element(&mut self) -> Result<Option<Raw>, ValueError> {
        if !self.skip_blank()? {
            return Ok(None);
        }
        let line = self.line;
        let (mut length, mut depth, mut quoted, mut escaped) = (0, 0_u64, false, false);
        loop {
            while let Some(byte) = self.buffer.get(self.at + length) {
                length += 1;
                self.line += u64::from(*byte == b'\n');
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    _ if quoted => {}
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                let scalar_ends = byte.is_ascii_whitespace() || matches!(byte, b',');
                if depth == 0 && !quoted && (matches!(byte, b'}' | b']' | b'"') || scalar_ends) {
                    return Ok(Some(self.take(line, length)));
                }
            }
            if length > self.limit {
                return Err(ValueError::TooLong(self.limit));
            }
            if !self.fill()? {
                return Ok(Some(self.take(line, length)));
            }
        }
    }

    fn take(&mut self, line: u64, length: usize) -> Raw {
        let text = self.buffer[self.at..self.at + length].to_vec();
        self.at += length;
        Raw { line, text }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::super::super::source::Compression;
    use super::*;

    fn values(text: &[u8]) -> Vec<(u64, String)> {
        let source = Source::new(Cursor::new(text.to_vec()), Compression::None).unwrap();
        let mut values = Values::new(source, 1 << 20);
        let mut out = Vec::new();
        while let Some(raw) = values.next().unwrap() {
            out.push((raw.line, String::from_utf8_lossy(&raw.text).into_owned()));
        }
        out
    }

    #[test]
    fn lines_documents_and_arrays_are_told_apart() {
        let pair = |line: u64, text: &str| (line, text.to_owned());
        assert_eq!(
            values(b"{\"a\":1}\n\n{\"b\n{}"),
            [pair(1, "{\"a\":1}"), pair(3, "{\"b"), pair(4, "{}")]
        );
        assert_eq!(
            values(b"\n[ {\"a\":\"]}\\\"\"},\n{\"b\":[1]}\n]\n"),
            [pair(2, "{\"a\":\"]}\\\"\"}"), pair(3, "{\"b\":[1]}")]
        );
        assert_eq!(values(b"{\n \"a\": {}\n}\n"), [pair(1, "{\n \"a\": {}\n}")]);
        assert_eq!(values(b"[{\"a\":1},{\"b\":"), [pair(1, "{\"a\":1}"), pair(1, "{\"b\":")]);
        assert_eq!(values(b"  \n"), []);
    }

    proptest! {
        #[test]
        fn never_panics_and_always_ends(text in "[\\[\\]{}\",:\\\\a\n ]{0,60}") {
            values(text.as_bytes());
        }
    }
}
