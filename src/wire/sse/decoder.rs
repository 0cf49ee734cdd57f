//! The incremental decoder.

use memchr::{memchr, memchr2};

/// The most bytes that one event may hold: 16 MiB.
pub const MAX_EVENT_BYTES: usize = 16 << 20;

/// One decoded event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The event's type; empty where the server named none. A line of field `error` (older
    /// llama.cpp servers) counts as data of an event of type `error`.
    pub name: &'a [u8],
    /// The data lines, joined by line feeds; any bytes.
    pub data: &'a [u8],
}

/// An event is larger than the decoder's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a server-sent event is larger than {limit} bytes")]
pub struct TooLarge {
    /// The bound.
    pub limit: usize,
}

/// Decodes a `text/event-stream`, in whatever pieces it arrives.
///
/// Follows the WHATWG text: lines end in CRLF, LF or a lone CR, a byte order mark at the start is
/// skipped, comments and unknown fields are ignored, data lines are joined by LF, and a blank line
/// ends an event. An event that lies in one piece with one data line is handed out without a copy.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The start of a line whose end has not arrived.
    line: Vec<u8>,
    /// The data of an event whose end has not arrived.
    data: Vec<u8>,
    has_data: bool,
    name: Vec<u8>,
    /// The last byte seen was a CR, so that an LF right behind it belongs to it.
    after_cr: bool,
    started: bool,
    ignored_lines: u64,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl Decoder {
    /// A decoder with the usual bound.
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder that refuses events larger than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: Vec::new(),
            after_cr: false,
            started: false,
            ignored_lines: 0,
        }
    }

    /// How many lines were neither a comment nor a known field; a stream with many of them and no
    /// events is not an event stream.
    pub fn ignored_lines(&self) -> u64 {
        self.ignored_lines
    }

    /// Takes the next piece of the stream and hands every event that it completes to `sink`.
    ///
    /// # Errors
    /// [`TooLarge`]; the decoder is of no use afterwards.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        let mut rest = bytes;
        if self.after_cr {
            let Some(&next) = rest.first() else { return Ok(()) };
            self.after_cr = false;
            if next == b'\n' {
                rest = &rest[1..];
            }
        }
        if !self.line.is_empty() {
            let Some((tail, after)) = self.next_line(rest) else {
                return self.keep_line(rest);
            };
            self.keep_line(tail)?;
            rest = after;
            let mut line = std::mem::take(&mut self.line);
            let mut data = None;
            let taken = self.take_line(&line, &mut data, sink);
            let kept = data.map_or(Ok(()), |data| self.keep_data(data));
            line.clear();
            self.line = line;
            taken.and(kept)?;
        }
        // The event's only data line so far, as long as it can stay where it is.
        let mut data = None;
        while let Some((line, after)) = self.next_line(rest) {
            rest = after;
            self.take_line(line, &mut data, sink)?;
        }
        if let Some(data) = data {
            self.keep_data(data)?;
        }
        self.keep_line(rest)
    }

    /// Says that the stream has ended: a last event that lacks its blank line is handed out too,
    /// since some servers leave that line away.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn finish(&mut self, sink: &mut impl FnMut(Event<'_>)) -> Result<(), TooLarge> {
        let line = std::mem::take(&mut self.line);
        let mut data = None;
        if !line.is_empty() {
            self.take_line(&line, &mut data, sink)?;
        }
        self.take_line(b"", &mut data, sink)
    }

    /// Splits `bytes` at the first line end; remembers a CR at the very end.
    fn next_line<'a>(&mut self, bytes: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let end = memchr2(b'\n', b'\r', bytes)?;
        let mut after = end + 1;
        if bytes[end] == b'\r' {
            match bytes.get(after) {
                Some(b'\n') => after += 1,
                Some(_) => {}
                None => self.after_cr = true,
            }
        }
        Some((&bytes[..end], &bytes[after..]))
    }

    /// Takes one whole line. `data` holds the event's only data line where that was not copied.
    fn take_line<'a>(
        &mut self,
        mut line: &'a [u8],
        data: &mut Option<&'a [u8]>,
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), TooLarge> {
        if !self.started {
            self.started = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(data.take(), sink);
            return Ok(());
        }
        let (field, value) = match memchr(b':', line) {
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match field {
            b"data" => self.add_data(value, data),
            b"error" => {
                self.name.clear();
                self.name.extend_from_slice(b"error");
                self.add_data(value, data)
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
                self.check()
            }
            b"" | b"id" | b"retry" => Ok(()),
            _ => {
                self.ignored_lines += 1;
                Ok(())
            }
        }
    }

    fn add_data<'a>(
        &mut self,
        value: &'a [u8],
        data: &mut Option<&'a [u8]>,
    ) -> Result<(), TooLarge> {
        if !self.has_data && data.is_none() {
            *data = Some(value);
            return self.check_size(value.len());
        }
        if let Some(earlier) = data.take() {
            self.keep_data(earlier)?;
        }
        self.keep_data(value)
    }

    fn dispatch(&mut self, data: Option<&[u8]>, sink: &mut impl FnMut(Event<'_>)) {
        match data {
            Some(data) => sink(Event { name: &self.name, data }),
            None if self.has_data => sink(Event { name: &self.name, data: &self.data }),
            None => {}
        }
        self.has_data = false;
        self.data.clear();
        self.name.clear();
    }

    fn keep_data(&mut self, value: &[u8]) -> Result<(), TooLarge> {
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value);
        self.check()
    }

    fn keep_line(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        self.line.extend_from_slice(part);
        self.check()
    }

    fn check(&self) -> Result<(), TooLarge> {
        self.check_size(self.line.len() + self.data.len() + self.name.len())
    }

    fn check_size(&self, bytes: usize) -> Result<(), TooLarge> {
        if bytes > self.limit { Err(TooLarge { limit: self.limit }) } else { Ok(()) }
    }
}
