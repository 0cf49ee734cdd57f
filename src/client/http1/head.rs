//! The head of a response.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Response, Status};
use memchr::memmem;

use super::{Framing, Malformed};
use crate::wire::excerpt;

/// The most bytes that the heads before a body may take: 256 KiB.
const MAX_HEAD_BYTES: usize = 256 << 10;
/// The most headers that a head may have.
const MAX_HEADERS: usize = 128;

/// What a client needs to know of a response before its body.
#[derive(Debug)]
pub(in crate::client) struct Head {
    /// The status code.
    pub(in crate::client) status: u16,
    /// How the body is delimited.
    pub(in crate::client) framing: Framing,
    /// Whether the server keeps the connection open behind the body.
    pub(in crate::client) keep_alive: bool,
    /// `content-type`, unless it says `text/event-stream`: then [`Self::events`] is set.
    pub(in crate::client) content_type: String,
    /// `content-type` says `text/event-stream`.
    pub(in crate::client) events: bool,
    /// `content-encoding`, unless it says `identity`.
    pub(in crate::client) encoding: Option<String>,
    /// `retry-after`.
    pub(in crate::client) retry_after: Option<String>,
    /// `location`.
    pub(in crate::client) location: Option<String>,
}

/// Finds the head in the bytes of a connection.
#[derive(Debug, Default)]
pub(in crate::client) struct HeadReader {
    /// The start of a head whose end has not arrived.
    held: Vec<u8>,
    /// Bytes of interim responses.
    skipped: usize,
}

impl HeadReader {
    /// Takes `bytes` up to the end of the head and gives it; none when its end has not arrived.
    /// Interim responses (status 1xx) are skipped.
    ///
    /// # Errors
    /// [`Malformed`] for bytes that are no HTTP/1.1: at once where the first that arrive show it,
    /// else at the end of the head or where it is too long.
    pub(in crate::client) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Malformed> {
        loop {
            if self.held.is_empty() {
                // Nearly always the whole head is there, and nothing needs to be kept.
                let Some((head, length)) = parse(bytes)? else { return self.hold(bytes) };
                *bytes = &bytes[length..];
                if let Some(head) = self.unless_interim(head, length)? {
                    return Ok(Some(head));
                }
                continue;
            }
            let before = self.held.len();
            self.held.extend_from_slice(bytes);
            if !ends_head(&self.held, before) {
                *bytes = &[];
                return self.check_length(self.held.len()).map(|()| None);
            }
            let Some((head, length)) = parse(&self.held)? else {
                *bytes = &[];
                return self.check_length(self.held.len()).map(|()| None);
            };
            // The end is in the bytes that arrived last, or it would have been found before.
            *bytes = &bytes[length.saturating_sub(before)..];
            self.held.clear();
            if let Some(head) = self.unless_interim(head, length)? {
                return Ok(Some(head));
            }
        }
    }

    fn hold(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Malformed> {
        self.held.extend_from_slice(bytes);
        *bytes = &[];
        self.check_length(self.held.len()).map(|()| None)
    }

    fn unless_interim(&mut self, head: Head, length: usize) -> Result<Option<Head>, Malformed> {
        // 101 would change the protocol, which nobody asked for.
        if !(100..200).contains(&head.status) || head.status == 101 {
            return Ok(Some(head));
        }
        self.skipped += length;
        self.check_length(0).map(|()| None)
    }

    fn check_length(&self, held: usize) -> Result<(), Malformed> {
        if self.skipped + held > MAX_HEAD_BYTES {
            return Err(Malformed(format!("a head of more than {MAX_HEAD_BYTES} bytes")));
        }
        Ok(())
    }
}

/// Whether an empty line may end in the bytes of `held` from `from` on.
fn ends_head(held: &[u8], from: usize) -> bool {
    let recent = &held[from.saturating_sub(3)..];
    memmem::find(recent, b"\n\r\n").is_some() || memmem::find(recent, b"\n\n").is_some()
}

/// The head at the start of `bytes` with its length; none where its end is not there.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Malformed> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = Response::new(&mut []);
    let parsed = ParserConfig::default()
        .parse_response_with_uninit_headers(&mut response, bytes, &mut headers)
        .map_err(|error| Malformed(error.to_string()))?;
    let Status::Complete(length) = parsed else { return Ok(None) };
    let head = understand(&response)?;
    Ok(Some((head, length)))
}

fn understand(response: &Response<'_, '_>) -> Result<Head, Malformed> {
    let mut head = Head {
        status: response.code.unwrap_or(0),
        framing: Framing::UntilClose,
        // Behind a 101 something else than HTTP is spoken.
        keep_alive: response.version == Some(1) && response.code != Some(101),
        content_type: String::new(),
        events: false,
        encoding: None,
        retry_after: None,
        location: None,
    };
    let (mut length, mut chunked) = (None, None);
    for Header { name, value } in response.headers.iter() {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("content-length") {
            length = Some(content_length(value, length)?);
        } else if is("transfer-encoding") {
            // Only as the last coding it frames the body; a header may come in several lines.
            chunked = Some(last_token(value).eq_ignore_ascii_case(b"chunked"));
        } else if is("connection") {
            connection(value, &mut head.keep_alive);
        } else if is("content-type") {
            head.events = starts_with(value, b"text/event-stream");
            head.content_type = if head.events { String::new() } else { excerpt(value) };
        } else if is("content-encoding") {
            let identity = value.trim_ascii().eq_ignore_ascii_case(b"identity");
            head.encoding = (!identity).then(|| excerpt(value));
        } else if is("retry-after") {
            head.retry_after = Some(excerpt(value));
        } else if is("location") {
            head.location = Some(excerpt(value));
        }
    }
    head.framing = match (head.status, chunked, length) {
        (100..200 | 204 | 304, _, _) => Framing::Length(0),
        (_, Some(true), length) => {
            // Both are a sign of a proxy that was confused; the next response may be too.
            head.keep_alive &= length.is_none();
            Framing::chunked()
        }
        (_, Some(false), _) | (_, None, None) => Framing::UntilClose,
        (_, None, Some(length)) => Framing::Length(length),
    };
    Ok(head)
}

/// The length that a `content-length` line states; every statement must be the same.
fn content_length(value: &[u8], before: Option<u64>) -> Result<u64, Malformed> {
    let malformed = || Malformed(format!("content-length is `{}`", excerpt(value)));
    let mut length = before;
    for part in value.split(|byte| *byte == b',') {
        let digits = part.trim_ascii();
        let number = str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'));
        let number: u64 = number.and_then(|text| text.parse().ok()).ok_or_else(malformed)?;
        if length.is_some_and(|length| length != number) {
            return Err(malformed());
        }
        length = Some(number);
    }
    length.ok_or_else(malformed)
}

/// What a `connection` line says of keeping the connection.
fn connection(value: &[u8], keep_alive: &mut bool) {
    for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
        if token.eq_ignore_ascii_case(b"close") {
            *keep_alive = false;
        } else if token.eq_ignore_ascii_case(b"keep-alive") {
            *keep_alive = true;
        }
    }
}

fn last_token(value: &[u8]) -> &[u8] {
    value.rsplit(|byte| *byte == b',').next().unwrap_or(value).trim_ascii()
}

fn starts_with(value: &[u8], start: &[u8]) -> bool {
    value.get(..start.len()).is_some_and(|begun| begun.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(lines: &str) -> Result<Head, Malformed> {
        let text = format!("HTTP/1.1 {}\r\n\r\n", lines.replace('\n', "\r\n"));
        let mut bytes = text.as_bytes();
        let head = HeadReader::default().next(&mut bytes)?;
        assert!(bytes.is_empty());
        Ok(head.unwrap())
    }

    fn framing(lines: &str) -> String {
        head(lines).map_or_else(
            |error| error.0,
            |head| {
                let keep = if head.keep_alive { "" } else { ", then close" };
                match head.framing {
                    Framing::Chunked(_) => format!("chunked{keep}"),
                    framing => format!("{framing:?}{keep}"),
                }
            },
        )
    }

    #[test]
    fn the_framing_follows_the_headers() {
        assert_eq!(framing("200 OK\ncontent-length: 7"), "Length(7)");
        assert_eq!(framing("200 OK\nContent-Length: 7\nCONTENT-LENGTH: 7, 7"), "Length(7)");
        assert_eq!(framing("200 OK\ncontent-length: 7, 8"), "content-length is `7, 8`");
        assert_eq!(framing("200 OK\ncontent-length: +7"), "content-length is `+7`");
        assert_eq!(framing("200 OK\ncontent-length:"), "content-length is ``");
        assert_eq!(framing("200 OK\nTransfer-Encoding: Chunked"), "chunked");
        assert_eq!(framing("200\ntransfer-encoding: gzip, chunked"), "chunked");
        assert_eq!(framing("200\ntransfer-encoding: gzip\ntransfer-encoding: chunked"), "chunked");
        assert_eq!(framing("200 OK\ntransfer-encoding: gzip"), "UntilClose");
        let both = "200 OK\ncontent-length: 7\ntransfer-encoding: chunked";
        assert_eq!(framing(both), "chunked, then close");
        assert_eq!(framing("204 No Content\ncontent-length: 7"), "Length(0)");
        assert_eq!(framing("200 OK\nconnection: Close"), "UntilClose, then close");
        assert_eq!(framing("101 Switching Protocols"), "Length(0), then close");
        assert_eq!(framing("200 OK"), "UntilClose");
    }

    #[test]
    fn old_servers_keep_a_connection_only_where_they_say_so() {
        for (headers, keep_alive) in [("", false), ("connection: foo, Keep-Alive\r\n", true)] {
            let text = format!("HTTP/1.0 200 OK\r\n{headers}\r\n");
            let head = HeadReader::default().next(&mut text.as_bytes()).unwrap().unwrap();
            assert_eq!(head.keep_alive, keep_alive);
        }
    }

    #[test]
    fn what_is_no_head_is_refused_at_once() {
        let refused = |text: &str| HeadReader::default().next(&mut text.as_bytes()).unwrap_err().0;
        assert_eq!(refused("SSH-2.0-OpenSSH_9.6\r\n"), "invalid HTTP version");
        assert_eq!(refused("HTTP/1.1 2000\r\n"), "invalid response status");
        let mut reader = HeadReader::default();
        let mut refused = Ok(None);
        let mut line = &b"HTTP/1.1 200 OK\r\n"[..];
        for _ in 0..100_000 {
            refused = reader.next(&mut line);
            if refused.is_err() {
                break;
            }
            line = b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n";
        }
        assert_eq!(refused.unwrap_err().0, "a head of more than 262144 bytes");
        let mut endless = &b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20_000)[..];
        let refused = HeadReader::default().next(&mut endless);
        assert_eq!(refused.unwrap_err().0, "a head of more than 262144 bytes");
    }

    proptest! {
        /// However a head is cut, it is the same head, and nothing behind it is taken.
        #[test]
        fn a_head_survives_any_cut(piece in 1..40_usize, interim in 0..3_usize) {
            let text = "HTTP/1.1 100 Continue\r\n\r\n".repeat(interim)
                + "HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 3\r\n\r\n";
            let whole = text.clone() + "abc";
            let mut reader = HeadReader::default();
            let mut found = None;
            let mut taken = 0;
            for piece in whole.as_bytes().chunks(piece) {
                let mut rest = piece;
                found = reader.next(&mut rest).unwrap();
                taken += piece.len() - rest.len();
                if found.is_some() {
                    break;
                }
            }
            let head = found.unwrap();
            prop_assert_eq!((head.status, head.retry_after.as_deref()), (429, Some("7")));
            prop_assert_eq!(taken, text.len());
        }

        /// No bytes make it panic.
        #[test]
        fn any_bytes_are_a_head_or_an_error(
            bytes in "(HTTP/1.[019] [0-9]{1,4} ?(\r\n|\n)?)?[ -~\r\n]{0,200}", piece in 1..50_usize,
        ) {
            let mut reader = HeadReader::default();
            for mut piece in bytes.as_bytes().chunks(piece) {
                if reader.next(&mut piece).is_err() {
                    break;
                }
            }
        }
    }
}
