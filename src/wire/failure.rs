//! Why an exchange failed.

use serde::{Deserialize, Serialize};

/// The class of a failed turn; tallies are keyed by it, never by text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection: refused, unreachable, name not resolved, or no answer in time.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// An HTTP status other than 2xx.
    HttpStatus,
    /// The turn took longer than `load.turn_timeout`.
    TurnTimeout,
    /// The connection was reset or closed before the reply was complete.
    Reset,
    /// Bytes that are not HTTP, SSE, UTF-8 or chat-completions JSON where they had to be.
    MalformedStream,
    /// An `error` object inside a 200 reply.
    ServerError,
    /// A complete reply without content, reasoning or tool call.
    EmptyReply,
    /// Not sent: an earlier turn of the conversation failed.
    PriorFailure,
    /// Not finished: the user interrupted the run.
    Interrupted,
    /// Only in the log of another client: an error that its log does not classify.
    Unclassified,
}

impl FailureKind {
    /// Every kind, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::Connect,
        Self::Tls,
        Self::HttpStatus,
        Self::TurnTimeout,
        Self::Reset,
        Self::MalformedStream,
        Self::ServerError,
        Self::EmptyReply,
        Self::PriorFailure,
        Self::Interrupted,
        Self::Unclassified,
    ];

    /// The `snake_case` name used in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::HttpStatus => "http_status",
            Self::TurnTimeout => "turn_timeout",
            Self::Reset => "reset",
            Self::MalformedStream => "malformed_stream",
            Self::ServerError => "server_error",
            Self::EmptyReply => "empty_reply",
            Self::PriorFailure => "prior_failure",
            Self::Interrupted => "interrupted",
            Self::Unclassified => "unclassified",
        }
    }
}

/// A failed turn: its class, and for people the detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The class.
    pub kind: FailureKind,
    /// The HTTP status, where the kind is [`FailureKind::HttpStatus`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// One line for people: what was found, with the server's own message where it sent one.
    pub message: String,
}

impl Failure {
    /// A failure without a status.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, status: None, message: message.into() }
    }
}
