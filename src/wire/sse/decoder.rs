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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Owned = (Vec<u8>, Vec<u8>);

    fn push_all<'a>(
        decoder: &mut Decoder,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Vec<Owned>, TooLarge> {
        let mut events = Vec::new();
        let mut sink = |event: Event<'_>| events.push((event.name.to_vec(), event.data.to_vec()));
        for piece in pieces {
            decoder.push(piece, &mut sink)?;
        }
        Ok(events)
    }

    /// The data of each event of a text.
    fn datas(text: &str) -> Vec<String> {
        let mut decoder = Decoder::new();
        let events = push_all(&mut decoder, [text.as_bytes()]).unwrap();
        events.into_iter().map(|(_, data)| String::from_utf8(data).unwrap()).collect()
    }

    /// The whole text read at once, in the words of the standard and without any cleverness.
    fn read_whole(bytes: &[u8]) -> Vec<Owned> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut lines = vec![Vec::new()];
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'\r' || bytes[at] == b'\n' {
                at += usize::from(bytes[at..].starts_with(b"\r\n"));
                lines.push(Vec::new());
            } else {
                lines.last_mut().unwrap().push(bytes[at]);
            }
            at += 1;
        }
        lines.pop();
        let (mut events, mut name, mut data) = (Vec::new(), Vec::new(), None::<Vec<u8>>);
        for line in lines {
            if line.is_empty() {
                events.extend(data.take().map(|data| (std::mem::take(&mut name), data)));
                name.clear();
                continue;
            }
            let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
            let mut value = line.get(colon + 1..).unwrap_or(b"");
            value = value.strip_prefix(b" ").unwrap_or(value);
            match &line[..colon] {
                b"data" => match &mut data {
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                    None => data = Some(value.to_vec()),
                },
                b"event" => name = value.to_vec(),
                _ => {}
            }
        }
        events
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(
            datas("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\n"),
            ["a", "b", "c", "d"]
        );
    }

    #[test]
    fn data_lines_are_joined_and_one_space_is_taken_off() {
        assert_eq!(datas("data: a\ndata:b\ndata\ndata:  c\n\n"), ["a\nb\n\n c"]);
        assert_eq!(datas("data\n\n"), [""]);
        assert_eq!(datas("event: x\n\ndata: y\n\n"), ["y"]);
    }

    #[test]
    fn comments_and_other_fields_are_skipped() {
        let text = ": hi\nid: 7\nretry: 3\nfoo: bar\ndata: a\nDATA: b\n: bye\n\n:\n\n";
        assert_eq!(datas(text), ["a"]);
        let mut decoder = Decoder::new();
        push_all(&mut decoder, [text.as_bytes()]).unwrap();
        assert_eq!(decoder.ignored_lines(), 2);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start_only() {
        assert_eq!(datas("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
        assert_eq!(datas("\u{feff}\n\ndata: a\n\n"), ["a"]);
    }

    #[test]
    fn an_error_field_is_an_error_event() {
        let events = push_all(&mut Decoder::new(), [&b"error: {}\n\ndata: a\n\n"[..]]).unwrap();
        assert_eq!(events, [(b"error".to_vec(), b"{}".to_vec()), (Vec::new(), b"a".to_vec())]);
    }

    #[test]
    fn the_end_hands_out_what_lacks_its_blank_line() {
        for (text, last) in
            [("data: a", Some("a")), ("data: a\n", Some("a")), ("da", None), ("", None)]
        {
            let mut decoder = Decoder::new();
            assert_eq!(push_all(&mut decoder, [text.as_bytes()]).unwrap(), []);
            let mut data = None;
            decoder.finish(&mut |event| data = Some(event.data.to_vec())).unwrap();
            assert_eq!(data.as_deref(), last.map(str::as_bytes), "{text:?}");
        }
    }

    #[test]
    fn events_beyond_the_bound_are_refused_in_every_shape() {
        let long = "x".repeat(101);
        for text in [
            format!("data: {long}\n\n"),
            format!("data: {long}"),
            long.clone(),
            format!("event: {long}\n"),
            "data: xxxxxxxxxx\n".repeat(11),
        ] {
            for size in [1, 7, 1000] {
                let mut decoder = Decoder::with_limit(100);
                let refused = push_all(&mut decoder, text.as_bytes().chunks(size));
                assert_eq!(refused, Err(TooLarge { limit: 100 }), "{text:?} by {size}");
            }
        }
        let many = "data: xxxxxxxxxx\n\n".repeat(1000);
        let events = push_all(&mut Decoder::with_limit(100), [many.as_bytes()]).unwrap();
        assert_eq!(events.len(), 1000);
    }

    /// Pieces of streams, among them everything that has a meaning.
    fn piece() -> impl Strategy<Value = Vec<u8>> {
        let pieces: Vec<&[u8]> = vec![
            b"data",
            b"data: ",
            b"event: x",
            b"id: 3",
            b": note",
            b":",
            b" ",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b"\xEF\xBB\xBF",
            "{\"é\":\"日本\"}".as_bytes(),
            b"[DONE]",
            b"\xff\x00",
        ];
        proptest::sample::select(pieces).prop_map(<[u8]>::to_vec)
    }

    proptest! {
        #[test]
        fn every_cutting_gives_what_reading_at_once_gives(
            pieces in proptest::collection::vec(piece(), 0..60),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
        ) {
            let text = pieces.concat();
            let mut ends: Vec<usize> =
                cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([text.len()]).collect();
            ends.sort_unstable();
            let mut start = 0;
            let parts: Vec<&[u8]> = ends
                .iter()
                .map(|end| &text[std::mem::replace(&mut start, *end)..*end])
                .collect();
            let expected = read_whole(&text);
            prop_assert_eq!(&push_all(&mut Decoder::new(), parts).unwrap(), &expected);
            prop_assert_eq!(&push_all(&mut Decoder::new(), text.chunks(1)).unwrap(), &expected);
        }
    }
}
