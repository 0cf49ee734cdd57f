//! How long a server keeps an idle connection.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::ask::Asker;
use super::report::{Report, Status, ms};
use crate::client::{Connect as _, TcpConnector};
use crate::clock::Nanos;

/// The default of `endpoint.max_idle`.
const MAX_IDLE_MS: f64 = 500.0;

/// What happened to an idle connection.
pub(super) enum Idle {
    /// The server closed it after this time.
    ClosedAfter(Nanos),
    /// It was still open when we stopped waiting.
    Open,
    /// No answer came on it.
    Unknown(String),
}

/// Gets one page over a connection of its own and waits for the server to close it.
pub(super) async fn idle(asker: &Asker, connector: &TcpConnector, wait: Duration) -> Idle {
    let mut stream = match connector.connect(0).await {
        Ok(stream) => stream,
        Err(failure) => return Idle::Unknown(failure.message),
    };
    if let Err(error) = stream.write_all(asker.raw_get("/v1/models").as_bytes()).await {
        return Idle::Unknown(error.to_string());
    }
    let mut last_byte = None;
    let mut buffer = [0; 4096];
    loop {
        let read = timeout(wait, stream.read(&mut buffer)).await;
        let now = asker.clock.now();
        match (read, last_byte) {
            (Ok(Ok(read)), _) if read > 0 => last_byte = Some(now),
            // An end of the stream, clean or not.
            (Ok(_), Some(since)) => return Idle::ClosedAfter(now.saturating_sub(since)),
            (Err(_), Some(_)) => return Idle::Open,
            (_, None) => return Idle::Unknown("the connection brought no answer".to_owned()),
        }
    }
}

/// Adds what was found.
pub(super) fn report(report: &mut Report, idle: Option<Idle>, wait: Duration) {
    let check = "keep-alive";
    match idle {
        None => report.add(check, Status::Skipped, "not looked at (--idle-wait 0s)"),
        Some(Idle::Unknown(text)) => report.add(check, Status::Note, text),
        Some(Idle::Open) => {
            report.add(
                check,
                Status::Ok,
                format!("an idle connection is still open after {wait:?}"),
            );
        }
        Some(Idle::ClosedAfter(nanos)) => {
            let after = ms(nanos);
            report.facts.idle_close_ms = Some(after);
            if after < 50.0 {
                report.add(check, Status::Note, "the server closes every connection at once");
                report.hint("every turn connects anew, and that time counts");
            } else if after <= MAX_IDLE_MS {
                report.add(
                    check,
                    Status::Note,
                    format!("an idle connection closes after {after} ms"),
                );
                report.hint("set endpoint.max_idle below that");
            } else {
                let found = format!("an idle connection closes after {:.1} s", after / 1000.0);
                report.add(check, Status::Ok, found);
            }
        }
    }
}
