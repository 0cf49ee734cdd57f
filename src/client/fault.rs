//! Failures of an exchange, classified.

use std::error::Error;
use std::io;

use http::StatusCode;
use http::header::{HeaderMap, LOCATION, RETRY_AFTER};

use crate::wire::{Failure, FailureKind, error_message, excerpt};

/// The failure for a hyper error. `what` says what was being waited for.
pub(super) fn from_hyper(error: &hyper::Error, what: &str) -> Failure {
    let io = io_kind(error);
    let garbled = error.is_parse()
        || matches!(io, Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput));
    let cause = root_cause(error);
    if garbled {
        let message = format!("the server does not speak HTTP/1.1 as expected ({cause}) {what}");
        return Failure::new(FailureKind::MalformedStream, message);
    }
    let message = format!("the connection broke {what}: {cause}");
    Failure::new(FailureKind::Reset, message)
}

/// The failure for a response that is not 2xx, with the server's own message.
pub(super) fn from_status(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
    let mut message = format!("HTTP {}", status.as_u16());
    if let Some(reason) = status.canonical_reason() {
        message.push(' ');
        message.push_str(reason);
    }
    let text = error_message(body).unwrap_or_else(|| excerpt(body));
    if !text.is_empty() {
        message.push_str(": ");
        message.push_str(&text);
    }
    for (label, name) in [("Retry-After", RETRY_AFTER), ("Location", LOCATION)] {
        if let Some(value) = headers.get(&name) {
            let value = excerpt(value.as_bytes());
            message.extend([" (", label, ": ", &value, ")"]);
        }
    }
    Failure { kind: FailureKind::HttpStatus, status: Some(status.as_u16()), message }
}

fn io_kind(error: &hyper::Error) -> Option<io::ErrorKind> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        source = error.source();
    }
    None
}

fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
