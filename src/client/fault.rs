//! Failures of an exchange, classified.

use std::io::{self, ErrorKind};

use http::StatusCode;

use super::http1::{Cut, Head, Malformed};
use crate::wire::{Failure, FailureKind, error_message, excerpt};

/// The failure for bytes that are no HTTP. `place` says where in the response.
pub(super) fn from_malformed(error: &Malformed, place: &str) -> Failure {
    garbled(&error.to_string(), place)
}

/// The failure for a socket that broke.
pub(super) fn from_io(error: &io::Error, place: &str) -> Failure {
    match error.kind() {
        // A TLS session that cannot go on.
        ErrorKind::InvalidData | ErrorKind::InvalidInput => garbled(&error.to_string(), place),
        _ => reset(place, &error.to_string()),
    }
}

/// The failure for a connection that the server closed.
pub(super) fn closed(place: &str) -> Failure {
    reset(place, "the server closed it")
}

/// The failure for a body that ended too early.
pub(super) fn from_cut(cut: Cut) -> Failure {
    reset("inside the reply", &cut.to_string())
}

/// The failure for a compressed reply: it cannot be timed by fragment, and none was asked for.
pub(super) fn from_encoding(encoding: &str) -> Failure {
    let message = format!(
        "the reply is compressed (content-encoding: {encoding}) although the request accepts no \
         encoding; switch compression off in the server or the proxy before it"
    );
    Failure::new(FailureKind::MalformedStream, message)
}

/// The failure for a response that is not 2xx, with the server's own message.
pub(super) fn from_status(head: &Head, body: &[u8]) -> Failure {
    let mut message = format!("HTTP {}", head.status);
    let status = StatusCode::from_u16(head.status).ok();
    if let Some(reason) = status.and_then(|status| status.canonical_reason()) {
        message.push(' ');
        message.push_str(reason);
    }
    let text = error_message(body).unwrap_or_else(|| excerpt(body));
    if !text.is_empty() {
        message.push_str(": ");
        message.push_str(&text);
    }
    for (label, value) in [("Retry-After", &head.retry_after), ("Location", &head.location)] {
        if let Some(value) = value {
            message.extend([" (", label, ": ", value, ")"]);
        }
    }
    Failure { kind: FailureKind::HttpStatus, status: Some(head.status), message }
}

fn garbled(cause: &str, place: &str) -> Failure {
    let message = format!("the server does not speak HTTP/1.1 as expected ({cause}) {place}");
    Failure::new(FailureKind::MalformedStream, message)
}

fn reset(place: &str, cause: &str) -> Failure {
    Failure::new(FailureKind::Reset, format!("the connection broke {place}: {cause}"))
}
