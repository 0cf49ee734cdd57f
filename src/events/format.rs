//! The names of the log format, shared by writer and reader.

use super::model::EventKind;
use crate::wire::FailureKind;

/// The version of our own additions to the log; readers of other versions refuse it.
pub const FORMAT_VERSION: u32 = 1;

/// `data` of a turn that was given up before it was sent, as the reference client writes it.
pub(super) const ABANDONED_DATA: &str = r#"["PromptData",null,null,null,null,null,null,null]"#;

/// The events that belong to no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SessionEvent {
    Started,
    StartTracking,
    StopTracking,
    Ended,
}

/// The reference client's name of a session event.
pub(super) fn session_event_name(event: SessionEvent) -> &'static str {
    match event {
        SessionEvent::Started => "session.started",
        SessionEvent::StartTracking => "session.start_performance_tracking",
        SessionEvent::StopTracking => "session.stop_performance_tracking",
        SessionEvent::Ended => "session.ended",
    }
}

/// The reference client's name of a turn's event; empty for session events.
pub(super) fn turn_event_name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Issued(..) => ISSUED,
        EventKind::FirstToken(_) => FIRST_TOKEN,
        EventKind::Failed(..) => FAILED,
        EventKind::Complete(..) => COMPLETE,
        _ => "",
    }
}

pub(super) const ISSUED: &str = "sample.issued";
pub(super) const FIRST_TOKEN: &str = "sample.recv_first";
pub(super) const FAILED: &str = "error.generic";
pub(super) const COMPLETE: &str = "sample.complete";

const TURN_TIMEOUT: &str = "TurnTimeout";
const PRIOR_FAILURE: &str = "TurnAbortedByPriorFailure";

/// The error type of an `ErrorData`: the reference client's own name where it has one for the
/// class, else ours.
pub(super) fn error_type(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::TurnTimeout => TURN_TIMEOUT,
        FailureKind::PriorFailure => PRIOR_FAILURE,
        other => other.name(),
    }
}

/// The class, and the HTTP status where there is one, of an `ErrorData` of the reference client,
/// which names only two classes and puts the status into the message.
pub(super) fn classify(error_type: &str, message: &str) -> (FailureKind, Option<u16>) {
    match error_type {
        TURN_TIMEOUT => return (FailureKind::TurnTimeout, None),
        PRIOR_FAILURE => return (FailureKind::PriorFailure, None),
        _ => {}
    }
    let status = message.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)).map(str::parse);
    match status {
        Some(Ok(status)) => (FailureKind::HttpStatus, Some(status)),
        _ => (FailureKind::Unclassified, None),
    }
}
