//! Recording what was asked and when it was answered.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use serde_json::value::RawValue;

use crate::clock::Nanos;
use crate::units::Secret;
use crate::wire::json::push_string;

/// Headers whose values are never recorded.
const SECRET_HEADERS: [&str; 5] =
    ["authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"];

/// One request that is over. Stamps are monotonic nanoseconds of the endpoint's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestRecord {
    /// When its head had arrived.
    pub arrival: Nanos,
    /// The session id, where it has one.
    pub session: Option<String>,
    /// The method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// Names in lower case and values, in the order of arrival; secrets are masked.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The reply's status; none when the connection ended before there was one.
    pub status: Option<u16>,
    /// When the first fragment of a reply was handed to the connection.
    pub first_fragment: Option<Nanos>,
    /// When the last byte was handed to the connection, or the request was given up.
    pub end: Nanos,
    /// Whether the reply was handed over as a whole.
    pub complete: bool,
}

/// Takes the record of each request as it ends.
pub trait Recorder: Send + Sync {
    /// Takes one record. Called next to the socket: must be quick.
    fn record(&self, request: RequestRecord);
}

impl RequestRecord {
    /// The record of a request that just came.
    pub(super) fn start(arrival: Nanos, head: &Parts, session: Option<&HeaderValue>) -> Self {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        Self {
            arrival,
            session: session.map(text),
            method: head.method.to_string(),
            path: head.uri.path_and_query().map_or_else(String::new, ToString::to_string),
            headers: masked(&head.headers),
            ..Self::default()
        }
    }

    /// The record as one line of JSON, without the line's end.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.body.len() + 512);
        push_number(&mut out, "{\"arrival_ns\":", self.arrival);
        out.extend_from_slice(b",\"session_id\":");
        match &self.session {
            Some(session) => push_string(&mut out, session),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"method\":");
        push_string(&mut out, &self.method);
        out.extend_from_slice(b",\"path\":");
        push_string(&mut out, &self.path);
        out.extend_from_slice(b",\"headers\":[");
        for (position, (name, value)) in self.headers.iter().enumerate() {
            out.extend_from_slice(if position == 0 { b"[" } else { b",[" });
            push_string(&mut out, name);
            out.push(b',');
            push_string(&mut out, value);
            out.push(b']');
        }
        push_number(&mut out, "],\"status\":", self.status.map(u64::from));
        push_number(&mut out, ",\"first_fragment_ns\":", self.first_fragment);
        push_number(&mut out, ",\"end_ns\":", self.end);
        out.extend_from_slice(b",\"complete\":");
        out.extend_from_slice(if self.complete { b"true" } else { b"false" });
        out.extend_from_slice(b",\"body\":");
        push_body(&mut out, &self.body);
        out.push(b'}');
        out
    }
}

fn masked(headers: &HeaderMap) -> Vec<(String, String)> {
    let value = |name: &str, value: &HeaderValue| {
        if SECRET_HEADERS.contains(&name) {
            Secret::MASK.to_owned()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        }
    };
    headers.iter().map(|(name, v)| (name.to_string(), value(name.as_str(), v))).collect()
}

/// The body as JSON: itself where it is JSON, else a text, and null where there is none.
fn push_body(out: &mut Vec<u8>, body: &[u8]) {
    if body.is_empty() {
        return out.extend_from_slice(b"null");
    }
    let Some(json) = str::from_utf8(body)
        .ok()
        .and_then(|text| serde_json::from_str::<&RawValue>(text).ok())
        .map(|json| json.get().as_bytes())
    else {
        return push_string(out, &String::from_utf8_lossy(body));
    };
    // In JSON a line break is white space: inside strings it is escaped.
    out.extend(json.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
}

fn push_number(out: &mut Vec<u8>, before: &str, number: impl Into<Option<u64>>) {
    out.extend_from_slice(before.as_bytes());
    match number.into() {
        Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
}

/// Writes records as JSON Lines. After an error nothing more is written.
pub struct JsonLines<W> {
    state: Mutex<(W, io::Result<()>)>,
}

impl<W: Write> JsonLines<W> {
    /// A recorder that writes to `out`, one write for each line.
    pub fn new(out: W) -> Self {
        Self { state: Mutex::new((out, Ok(()))) }
    }

    /// Flushes; the first error that writing met.
    pub fn finish(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (out, result) = &mut *state;
        std::mem::replace(result, Ok(()))?;
        out.flush()
    }
}

impl<W: Write + Send> Recorder for JsonLines<W> {
    fn record(&self, request: RequestRecord) {
        let mut line = request.to_json();
        line.push(b'\n');
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (out, result) = &mut *state;
        if result.is_ok() {
            *result = out.write_all(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(body: &'static [u8]) -> RequestRecord {
        let (head, ()) = http::Request::post("/v1/chat/completions?x=1")
            .header("Host", "sim")
            .header("Authorization", "Bearer secret")
            .header("X-Session-ID", "sim_001")
            .body(())
            .unwrap()
            .into_parts();
        let start = RequestRecord::start(5, &head, head.headers.get("x-session-id"));
        RequestRecord { body: Bytes::from_static(body), ..start }
    }

    #[test]
    fn a_record_is_one_line_without_secrets() {
        let record = RequestRecord {
            status: Some(200),
            first_fragment: Some(30),
            end: 40,
            complete: true,
            ..record(b"{\"model\":\"m\",\r\n \"messages\":[\"a\\nb\"]}")
        };
        insta::assert_snapshot!(
            String::from_utf8(record.to_json()).unwrap(),
            @r#"{"arrival_ns":5,"session_id":"sim_001","method":"POST","path":"/v1/chat/completions?x=1","headers":[["host","sim"],["authorization","***"],["x-session-id","sim_001"]],"status":200,"first_fragment_ns":30,"end_ns":40,"complete":true,"body":{"model":"m",   "messages":["a\nb"]}}"#
        );
    }

    #[test]
    fn any_body_gives_json() {
        for body in [&b""[..], b"{\"a\":", b"\xff\n", b"null"] {
            let line = record(body).to_json();
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["first_fragment_ns"], serde_json::Value::Null);
            assert!(!line.contains(&b'\n'));
        }
    }

    #[test]
    fn a_full_disk_is_reported_once_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = JsonLines::new(Full);
        lines.record(record(b""));
        lines.record(record(b""));
        assert_eq!(lines.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
