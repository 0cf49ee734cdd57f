//! Requests before the clock starts, excluded from every number.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::task::JoinSet;

use super::point::{PointReplay, ReplayError, panic_text};
use super::stop::{StopLevel, StopSignal};
use crate::client::{Connect, SlotClient};
use crate::clock::{Nanos, nanos};
use crate::wire::FailureKind;

/// What was done to warm an endpoint up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarmupReport {
    /// How long it took, in nanoseconds.
    pub duration: Nanos,
    /// Requests sent.
    pub issued: u32,
    /// Requests answered with a complete reply.
    pub completed: u32,
    /// Most requests in flight at once.
    pub concurrency: u32,
    /// Every request that was over before the end, in the order of issue.
    pub requests: Vec<WarmupRequest>,
}

/// One request of a warm-up; times in nanoseconds since it began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarmupRequest {
    /// Its number, from 0.
    pub number: u32,
    /// When it was issued.
    pub issued_at: Nanos,
    /// When its reply was complete, or it failed.
    pub ended_at: Nanos,
    /// How it failed, where it did.
    pub failure: Option<FailureKind>,
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
            let mut over = Vec::new();
            while stop.level() == StopLevel::Run {
                let request = taken.fetch_add(1, Ordering::Relaxed);
                if request >= requests {
                    break;
                }
                let issued_at = clock.now();
                let deadline = issued_at.saturating_add(nanos(timeout));
                let (url, session) = (request as usize % urls.max(1), format!("warmup-{request}"));
                let exchange = client
                    .exchange(url, &session, body.clone(), issued_at, deadline, &mut |_| ())
                    .await;
                over.push(WarmupRequest {
                    number: request,
                    issued_at: issued_at.saturating_sub(started_at),
                    ended_at: exchange.completed_at.saturating_sub(started_at),
                    failure: exchange.outcome.err().map(|failure| failure.kind),
                });
            }
            over
        });
    }
    let concurrency = point.concurrency.min(requests);
    let mut report = WarmupReport { concurrency, ..WarmupReport::default() };
    loop {
        tokio::select! {
            biased;
            joined = workers.join_next() => match joined {
                None => break,
                Some(Ok(over)) => report.requests.extend(over),
                Some(Err(error)) => return Err(ReplayError::Panicked(panic_text(error))),
            },
            () = stop.reached(StopLevel::Abort) => break,
        }
    }
    report.requests.sort_by_key(|request| request.number);
    let completed = report.requests.iter().filter(|request| request.failure.is_none()).count();
    report.completed = u32::try_from(completed).unwrap_or(u32::MAX);
    // One that was given up when the user aborted was sent as well.
    report.issued = taken.load(Ordering::Relaxed).min(requests);
    report.duration = point.clock.now().saturating_sub(started_at);
    Ok(report)
}
