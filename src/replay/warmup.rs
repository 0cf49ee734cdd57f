//! Requests before the clock starts, excluded from every number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::task::JoinSet;

use super::point::{PointReplay, ReplayError, panic_text};
use super::stop::{StopLevel, StopSignal};
use crate::client::{Connect, SlotClient};
use crate::clock::{Nanos, nanos};

/// What was done to warm an endpoint up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarmupReport {
    /// How long it took, in nanoseconds.
    pub duration: Nanos,
    /// Requests sent.
    pub issued: u32,
    /// Requests answered with a complete reply.
    pub completed: u32,
}

/// Sends `requests` requests that ask `prompt`, as many at once as the point has slots, and waits
/// for all replies. A failed request is counted and otherwise ignored.
///
/// # Errors
/// When a task panicked.
pub async fn warm_up<C: Connect>(
    point: &PointReplay<C>,
    requests: u32,
    prompt: &str,
    mut stop: StopSignal,
) -> Result<WarmupReport, ReplayError> {
    let started_at = point.clock.now();
    let taken = Arc::new(AtomicU32::new(0));
    let body = point.library.plain_body(prompt);
    let mut workers = JoinSet::new();
    for _ in 0..point.concurrency.min(requests) {
        let (endpoint, connector) = (Arc::clone(&point.endpoint), Arc::clone(&point.connector));
        let mut client = SlotClient::new(endpoint, connector, point.clock);
        let (clock, urls, timeout) =
            (point.clock, point.endpoint.urls(), point.settings.turn_timeout);
        let (taken, body, stop) = (Arc::clone(&taken), body.clone(), stop.clone());
        workers.spawn(async move {
            let (mut issued, mut completed) = (0, 0);
            while stop.level() == StopLevel::Run {
                let request = taken.fetch_add(1, Ordering::Relaxed);
                if request >= requests {
                    break;
                }
                issued += 1;
                let issued_at = clock.now();
                let deadline = issued_at.saturating_add(nanos(timeout));
                let (url, session) = (request as usize % urls.max(1), format!("warmup-{request}"));
                let exchange = client
                    .exchange(url, &session, body.clone(), issued_at, deadline, &mut |_| ())
                    .await;
                completed += u32::from(exchange.outcome.is_ok());
            }
            (issued, completed)
        });
    }
    let mut report = WarmupReport::default();
    loop {
        tokio::select! {
            biased;
            joined = workers.join_next() => match joined {
                None => break,
                Some(Ok((issued, completed))) => {
                    report.issued += issued;
                    report.completed += completed;
                }
                Some(Err(error)) => return Err(ReplayError::Panicked(panic_text(error))),
            },
            () = stop.reached(StopLevel::Abort) => break,
        }
    }
    report.duration = point.clock.now().saturating_sub(started_at);
    Ok(report)
}
