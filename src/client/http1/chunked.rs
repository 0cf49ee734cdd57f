//! The chunked transfer coding (RFC 9112, section 7.1).

use super::Malformed;

/// The most bytes that chunk extensions and trailers may take in one body: 16 KiB. Nothing reads
/// them.
const MAX_EXTRA_BYTES: usize = 16 << 10;

/// Where in a chunked body the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the size of a chunk, which has this many digits so far.
    Size { size: u64, digits: u8 },
    /// Behind the digits: white space or an extension.
    Extension { size: u64 },
    /// The line feed behind a size line.
    SizeEnd { size: u64 },
    /// This many bytes of data are left; never none.
    Data(u64),
    /// The carriage return behind the data.
    DataReturn,
    /// The line feed behind that.
    DataEnd,
    /// At the start of a trailer line.
    TrailerStart,
    /// Inside a trailer line.
    Trailer,
    /// The line feed behind the empty line.
    End,
    /// Behind the whole body.
    Over,
}

/// Takes the coding off a body, in whatever pieces it arrives.
#[derive(Debug)]
pub(in crate::client) struct Chunked {
    state: State,
    extra: usize,
}

impl Chunked {
    /// At the start of a body.
    pub(super) fn new() -> Self {
        Self { state: State::Size { size: 0, digits: 0 }, extra: 0 }
    }

    /// Whether the whole body was taken.
    pub(super) fn is_over(&self) -> bool {
        self.state == State::Over
    }

    /// Splits the next piece of data off `bytes`; none when more bytes must come first, or the body
    /// is over and `bytes` is what follows it.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Malformed> {
        loop {
            if let State::Data(left) = self.state {
                let length = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                let (data, rest) = bytes.split_at(length);
                *bytes = rest;
                let left = left - length as u64;
                self.state = if left == 0 { State::DataReturn } else { State::Data(left) };
                return Ok((length > 0).then_some(data));
            }
            if self.is_over() {
                return Ok(None);
            }
            let Some((&byte, rest)) = bytes.split_first() else { return Ok(None) };
            *bytes = rest;
            self.state = self.after(byte)?;
        }
    }

    /// The state behind a byte that is not data.
    fn after(&mut self, byte: u8) -> Result<State, Malformed> {
        Ok(match (self.state, byte) {
            (State::Size { size, digits }, _) => size_digit(size, digits, byte)?,
            (State::Extension { size } | State::SizeEnd { size }, _) => {
                self.size_line(size, byte)?
            }
            (State::DataReturn, b'\r') => State::DataEnd,
            (State::DataEnd, b'\n') => State::Size { size: 0, digits: 0 },
            (State::TrailerStart, b'\r') => State::End,
            (State::Trailer, b'\n') => State::TrailerStart,
            (State::TrailerStart | State::Trailer, _) => {
                self.count_extra("trailers")?;
                State::Trailer
            }
            (State::End, b'\n') => State::Over,
            (State::DataReturn | State::DataEnd, _) => {
                return Err(Malformed("a chunk is longer than its size says".to_owned()));
            }
            _ => return Err(Malformed("the last chunk does not end in an empty line".to_owned())),
        })
    }

    /// Behind the digits of a size.
    fn size_line(&mut self, size: u64, byte: u8) -> Result<State, Malformed> {
        match (self.state, byte) {
            (State::Extension { .. }, b'\r') => Ok(State::SizeEnd { size }),
            (State::SizeEnd { .. }, b'\n') if size == 0 => Ok(State::TrailerStart),
            (State::SizeEnd { .. }, b'\n') => Ok(State::Data(size)),
            (State::Extension { .. }, byte) if byte != b'\n' => {
                self.count_extra("chunk extensions")?;
                Ok(State::Extension { size })
            }
            _ => Err(Malformed("a chunk size line does not end in CR LF".to_owned())),
        }
    }

    fn count_extra(&mut self, what: &str) -> Result<(), Malformed> {
        self.extra += 1;
        if self.extra > MAX_EXTRA_BYTES {
            return Err(Malformed(format!("more than {MAX_EXTRA_BYTES} bytes of {what}")));
        }
        Ok(())
    }
}

/// Behind a byte of a chunk's size.
fn size_digit(size: u64, digits: u8, byte: u8) -> Result<State, Malformed> {
    match (char::from(byte).to_digit(16), byte) {
        (Some(_), _) if digits == 16 => Err(Malformed("a chunk size is too large".to_owned())),
        (Some(digit), _) => {
            Ok(State::Size { size: size << 4 | u64::from(digit), digits: digits + 1 })
        }
        (None, _) if digits == 0 => Err(Malformed("a chunk size has no digits".to_owned())),
        (None, b'\r') => Ok(State::SizeEnd { size }),
        (None, b';' | b' ' | b'\t') => Ok(State::Extension { size }),
        (None, _) => Err(Malformed("a chunk size is not hexadecimal".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The data of a body that arrives in `pieces`, and what is left behind it.
    fn decode<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(Vec<u8>, bool, usize), Malformed> {
        let (mut chunked, mut data, mut behind) = (Chunked::new(), Vec::new(), 0);
        for mut piece in pieces {
            while let Some(part) = chunked.next(&mut piece)? {
                assert!(!part.is_empty());
                data.extend_from_slice(part);
            }
            behind += piece.len();
        }
        Ok((data, chunked.is_over(), behind))
    }

    fn refused(body: &str) -> String {
        decode([body.as_bytes()]).unwrap_err().0
    }

    #[test]
    fn sizes_extensions_and_trailers() {
        let body = b"3;a=\"b\"\r\nabc\r\n0000A \r\n0123456789\r\n0\r\nx: 1\r\ny: 2\r\n\r\nHTTP";
        assert_eq!(decode([&body[..]]), Ok((b"abc0123456789".to_vec(), true, 4)));
        assert_eq!(decode([&b"0\r\n\r\n"[..]]), Ok((Vec::new(), true, 0)));
        assert_eq!(decode([&b"2\r\na"[..]]), Ok((b"a".to_vec(), false, 0)));
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        assert_eq!(refused("zz\r\n"), "a chunk size has no digits");
        assert_eq!(refused("\r\n"), "a chunk size has no digits");
        assert_eq!(refused("1g\r\n"), "a chunk size is not hexadecimal");
        assert_eq!(refused("1\n"), "a chunk size is not hexadecimal");
        assert_eq!(refused("1 \n"), "a chunk size line does not end in CR LF");
        assert_eq!(refused("1\rx"), "a chunk size line does not end in CR LF");
        assert_eq!(refused("10000000000000000\r\n"), "a chunk size is too large");
        assert_eq!(refused("1\r\nabc"), "a chunk is longer than its size says");
        assert_eq!(refused("0\r\n\rx"), "the last chunk does not end in an empty line");
        let endless = format!("1;{}", "x".repeat(20_000));
        assert_eq!(refused(&endless), "more than 16384 bytes of chunk extensions");
        let endless = format!("0\r\n{}", "x: y\r\n".repeat(20_000));
        assert_eq!(refused(&endless), "more than 16384 bytes of trailers");
    }

    proptest! {
        /// However a body is cut, its data is what was put in, and nothing behind it is taken.
        #[test]
        fn data_survives_any_cut(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..8),
            cuts in prop::collection::vec(1..9_usize, 1..200),
            behind in prop::collection::vec(any::<u8>(), 0..5),
        ) {
            let mut body = Vec::new();
            for chunk in &chunks {
                body.extend(format!("{:x}\r\n", chunk.len()).bytes());
                body.extend(chunk);
                body.extend(b"\r\n");
            }
            body.extend(b"0\r\n\r\n");
            body.extend(&behind);
            let (mut pieces, mut rest) = (Vec::new(), &body[..]);
            for cut in cuts.iter().cycle() {
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(decode(pieces), Ok((chunks.concat(), true, behind.len())));
        }

        /// No bytes make it panic.
        #[test]
        fn any_bytes_are_data_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _either_is_fine = decode(bytes.chunks(3));
        }
    }
}
