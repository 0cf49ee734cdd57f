//! One point: one replay of the whole sequence at one concurrency.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::note::{Note, Notes};
use super::probe::probe;
use super::schedule::Schedule;
use super::settings::Settings;
use super::slot::Slot;
use super::stop::{StopLevel, StopSignal};
use crate::client::{Connect, Endpoint, SlotClient};
use crate::clock::{Clock, Timer};
use crate::plan::Assignment;
use crate::prompt::Library;

/// One replay, ready to start.
#[derive(Debug)]
pub struct PointReplay<C: Connect> {
    /// The prompts.
    pub library: Arc<Library>,
    /// The trajectories in order.
    pub sequence: Arc<[Assignment]>,
    /// How many conversations are active at once; at least 1.
    pub concurrency: u32,
    /// Where turns are sent.
    pub endpoint: Arc<Endpoint>,
    /// How streams are opened.
    pub connector: Arc<C>,
    /// How turns are issued.
    pub settings: Settings,
    /// The clock of all stamps.
    pub clock: Clock,
    /// What wakes slots when a delay is over.
    pub timer: Timer,
    /// Whether the event loop is probed while the replay goes on.
    pub probe: bool,
}

/// Why a replay could not be carried out. Failed turns are not among the reasons.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A defect of this program.
    #[error("a slot of the replay panicked: {0}; please report this")]
    Panicked(String),
}

/// Replays a point to its end, telling the recorder everything. Returns when every slot is done,
/// or when `stop` was raised and turns in flight were awaited (drain) or given up (abort).
///
/// # Errors
/// When a slot panicked; the turns in flight are then recorded as interrupted.
pub async fn replay<C: Connect>(
    point: PointReplay<C>,
    notes: Notes,
    stop: StopSignal,
) -> Result<(), ReplayError> {
    let clock = point.clock;
    notes.send(Note::Started { at: clock.now() });
    let mut slots = spawn_slots(&point, &notes, &stop);
    let probe = point.probe.then(|| {
        let probe = probe(clock, point.timer.clone(), notes.clone());
        AbortOnDrop(tokio::spawn(probe))
    });
    let mut stop = stop;
    let result = loop {
        tokio::select! {
            biased;
            joined = slots.join_next() => match joined {
                None => break Ok(()),
                Some(Ok(())) => {}
                Some(Err(error)) => break Err(ReplayError::Panicked(panic_text(error))),
            },
            () = stop.reached(StopLevel::Abort) => break Ok(()),
        }
    };
    if let Some(probe) = probe {
        probe.end().await;
    }
    if !slots.is_empty() {
        slots.shutdown().await;
        notes.send(Note::Aborted { at: clock.now() });
    }
    notes.send(Note::Ended { at: clock.now() });
    result
}

/// Ends a task with its owner.
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl AbortOnDrop {
    /// Ends the task now, and returns when nothing is left of it.
    async fn end(mut self) {
        self.0.abort();
        // That it was cancelled is what was asked for.
        let _ = (&mut self.0).await;
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn spawn_slots<C: Connect>(
    point: &PointReplay<C>,
    notes: &Notes,
    stop: &StopSignal,
) -> JoinSet<()> {
    let schedule = Arc::new(Schedule::new(Arc::clone(&point.sequence)));
    let count = (point.concurrency as usize).min(point.sequence.len());
    let mut slots = JoinSet::new();
    for _ in 0..count {
        let (endpoint, connector) = (Arc::clone(&point.endpoint), Arc::clone(&point.connector));
        let slot = Slot {
            client: SlotClient::new(endpoint, connector, point.clock),
            urls: point.endpoint.urls(),
            library: Arc::clone(&point.library),
            schedule: Arc::clone(&schedule),
            settings: point.settings,
            clock: point.clock,
            timer: point.timer.clone(),
            notes: notes.clone(),
            stop: stop.clone(),
        };
        slots.spawn(slot.run());
    }
    slots
}

pub(super) fn panic_text(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(payload) => payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_else(|| "no message".to_owned()),
        Err(error) => error.to_string(),
    }
}
