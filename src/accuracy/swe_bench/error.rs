//! What can go wrong with the service and with a job.

use std::path::PathBuf;
use std::time::Duration;

use super::protocol::ProtocolError;
use super::result::ResultError;
use super::state::StateError;

/// One request to the service failed. No message holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The service's URL cannot be used.
    #[error("the service URL `{url}` {problem}")]
    Url {
        /// The URL without credentials.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No answer: no connection, or none in time, or cut off.
    #[error("{what}: {reason}")]
    Transport {
        /// The request, such as `GET /health`.
        what: String,
        /// What happened.
        reason: String,
        /// The request surely did not reach the service.
        unsent: bool,
    },
    /// The token is missing or wrong.
    #[error("{what}: HTTP {status}: the service {}", if *.token { "refuses the token" } else { "wants a token" })]
    Unauthorized {
        /// The request.
        what: String,
        /// The HTTP status.
        status: u16,
        /// Whether a token was sent.
        token: bool,
    },
    /// The service does not know what was asked for.
    #[error("{what}: HTTP 404: {message}")]
    NotFound {
        /// The request.
        what: String,
        /// The service's words.
        message: String,
    },
    /// A redirect; none is followed, since the token would go along.
    #[error("{what}: HTTP {status}: redirects are not followed")]
    Redirect {
        /// The request.
        what: String,
        /// The HTTP status.
        status: u16,
    },
    /// Any other status that is no success.
    #[error("{what}: HTTP {status}: {message}")]
    Status {
        /// The request.
        what: String,
        /// The HTTP status.
        status: u16,
        /// The service's words.
        message: String,
    },
    /// More bytes than such an answer may have.
    #[error("{what}: the answer has more than {limit} bytes")]
    TooLarge {
        /// The request.
        what: String,
        /// The limit.
        limit: usize,
    },
    /// An answer that is not of the protocol.
    #[error("{what}: {error}")]
    Protocol {
        /// The request.
        what: String,
        /// What is wrong with it.
        error: ProtocolError,
    },
}

impl ServiceError {
    /// Whether the same request may well succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Transport { .. } => true,
            Self::Status { status, .. } => *status >= 500 || matches!(status, 408 | 425 | 429),
            // A proxy that dies in the middle of an answer leaves half of it.
            Self::Protocol { error, .. } => matches!(error, ProtocolError::Shape(_)),
            _ => false,
        }
    }

    /// How to mend it, where that is known.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Url { .. } => "write it like http://localhost:18080",
            Self::Transport { .. } => {
                "is the service running, and reachable at accuracy.swe_bench.service?"
            }
            Self::Unauthorized { .. } => "set accuracy.swe_bench.token to the service's token",
            Self::Redirect { .. } => "name the service's own URL, not one that leads there",
            Self::Status { status: 400, .. } => "the service refuses the request as it is",
            Self::Status { status: 429, .. } => "another run is active; wait for it, or cancel it",
            Self::Protocol { .. } => "is that the SWE-bench service, API version v1?",
            _ => return None,
        })
    }
}

/// A job did not come to a result. No message holds a secret.
#[derive(Debug, thiserror::Error)]
pub enum SweBenchError {
    /// The service cannot be used.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The service stopped answering; the job may go on there.
    #[error("run `{run_id}`: the service gave no usable answer for {} s: {last}", .patience.as_secs())]
    Lost {
        /// The run.
        run_id: String,
        /// How long it was waited for.
        patience: Duration,
        /// The last failure.
        last: ServiceError,
    },
    /// The service forgot the run.
    #[error("run `{run_id}`: the service does not know it any more")]
    Gone {
        /// The run.
        run_id: String,
    },
    /// The service gave the run up, or somebody cancelled it.
    #[error("run `{run_id}` {how}: {reason}")]
    Failed {
        /// The run.
        run_id: String,
        /// `failed` or `was cancelled`.
        how: &'static str,
        /// The service's words.
        reason: String,
    },
    /// The run ended without a usable result.
    #[error("run `{run_id}` succeeded, but its result cannot be used: {error}")]
    Result {
        /// The run.
        run_id: String,
        /// What is wrong with it.
        error: ResultError,
    },
    /// Interrupted by the user.
    #[error("interrupted; {}", cancelled_text(.run_id.as_deref(), *.cancelled))]
    Interrupted {
        /// The run, where one was submitted.
        run_id: Option<String>,
        /// Whether the service took the cancellation.
        cancelled: bool,
    },
    /// The job took too long.
    #[error("no result after {} h; {}", .limit.as_secs() / 3600, cancelled_text(Some(.run_id), *.cancelled))]
    TooLong {
        /// The run.
        run_id: String,
        /// The limit.
        limit: Duration,
        /// Whether the service took the cancellation.
        cancelled: bool,
    },
    /// The state file belongs to another job.
    #[error("{}: run `{run_id}` of another request is written down there", .path.display())]
    OtherJob {
        /// The state file.
        path: PathBuf,
        /// Its run.
        run_id: String,
    },
    /// The state file cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
}

impl SweBenchError {
    /// How to go on, where that is known.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Service(error) => return error.help(),
            Self::Lost { .. } => "run the same command again: it goes on with the running job",
            Self::Gone { .. } => "the service was restarted or waited too long; run it again",
            Self::Interrupted { run_id: Some(_), cancelled: false }
            | Self::TooLong { cancelled: false, .. } => {
                "run the same command again to go on with the job"
            }
            Self::Result { .. } => {
                "its files may tell more; a result can be attached with `scenario score --swe-bench`"
            }
            Self::OtherJob { .. } => {
                "model, endpoint, sampling or instances changed since; remove the file to start anew"
            }
            _ => return None,
        })
    }
}

fn cancelled_text(run_id: Option<&str>, cancelled: bool) -> String {
    match (run_id, cancelled) {
        (None, _) => "nothing was submitted".to_owned(),
        (Some(run_id), true) => format!("run `{run_id}` was cancelled"),
        (Some(run_id), false) => format!("run `{run_id}` could not be cancelled and may go on"),
    }
}
