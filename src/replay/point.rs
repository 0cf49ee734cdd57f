//! One point: one replay of the whole sequence at one concurrency.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::thread;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::note::{Note, Notes, ThreadIndex};
use super::probe::probe;
use super::schedule::Schedule;
use super::settings::Settings;
use super::slot::Slot;
use super::stop::{StopLevel, StopSignal};
use super::threads::Threads;
use crate::client::{Connect, Endpoint, SlotClient};
use crate::clock::{Clock, Timer, stay_awake};
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
    /// Whether the kernel's timer keeps delays, to a fraction of a millisecond. It knows nothing of
    /// a paused clock.
    pub exact_delays: bool,
    /// Whether event loops are probed while the replay goes on.
    pub probe: bool,
    /// Whether measuring threads look at their sockets all the time instead of sleeping.
    pub busy_poll: bool,
}

/// Why a replay could not be carried out. Failed turns are not among the reasons.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The system gives no timer, or no thread.
    #[error("the system refuses what a replay needs: {0}")]
    System(#[from] io::Error),
    /// A defect of this program.
    #[error("a slot of the replay panicked: {0}; please report this")]
    Panicked(String),
}

/// Replays a point to its end, telling the recorder everything. Returns when every slot is done,
/// or when `stop` was raised and turns in flight were awaited (drain) or given up (abort).
///
/// # Errors
/// When a slot panicked, whose turn in flight is then recorded as interrupted, or the system
/// refuses a timer or a thread.
pub fn replay_on<C: Connect>(
    threads: &Threads,
    point: &PointReplay<C>,
    notes: Notes,
    stop: &StopSignal,
) -> Result<(), ReplayError> {
    begin(point, &notes);
    let whole = Share::whole(&point.sequence, threads.count());
    let ends: Vec<_> = thread::scope(|scope| {
        // Collected, so that all are started before the first is awaited.
        let others: Vec<_> = (1..)
            .zip(threads.others())
            .map(|(index, runtime)| {
                let name = format!("slots-{index}");
                let share = whole.of(index).replay(point, notes.clone(), stop.clone());
                let started = thread::Builder::new()
                    .name(name)
                    .spawn_scoped(scope, || runtime.block_on(share));
                started.inspect_err(|_| whole.give_up())
            })
            .collect();
        let first = whole.of(0).replay(point, notes.clone(), stop.clone());
        let first = threads.first().block_on(first);
        let joined = others.into_iter().map(|thread| match thread {
            Ok(thread) => {
                thread.join().unwrap_or_else(|panic| Err(ReplayError::Panicked(text_of(&*panic))))
            }
            Err(error) => Err(error.into()),
        });
        std::iter::once(first).chain(joined).collect()
    });
    end(point, notes, ends)
}

/// Replays a point on the runtime of the caller; else as [`replay_on`].
///
/// # Errors
/// As there.
pub async fn replay<C: Connect>(
    point: PointReplay<C>,
    notes: Notes,
    stop: StopSignal,
) -> Result<(), ReplayError> {
    begin(&point, &notes);
    let share = Share::whole(&point.sequence, 1);
    let ended = share.replay(&point, notes.clone(), stop).await;
    end(&point, notes, vec![ended])
}

fn begin<C: Connect>(point: &PointReplay<C>, notes: &Notes) {
    notes.send(Note::Started { at: point.clock.now() });
}

fn end<C: Connect>(
    point: &PointReplay<C>,
    notes: Notes,
    ends: Vec<Result<Left, ReplayError>>,
) -> Result<(), ReplayError> {
    if !ends.iter().all(|end| matches!(end, Ok(Left::Nothing))) {
        notes.send(Note::Aborted { at: point.clock.now() });
    }
    notes.send(Note::Ended { at: point.clock.now() });
    // The recorder ends when nobody is left who could tell it more.
    drop(notes);
    ends.into_iter().try_for_each(|end| end.map(|_| ()))
}

/// What a thread leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// All its slots ended by themselves.
    Nothing,
    /// Turns in flight may have been given up.
    TurnsInFlight,
}

/// The slots of one thread.
struct Share {
    thread: ThreadIndex,
    threads: ThreadIndex,
    schedule: Arc<Schedule>,
    /// Set when a thread cannot go on; then no other should.
    broken: watch::Sender<bool>,
}

impl Share {
    /// The first of `threads` threads' share of a replay of `sequence`.
    fn whole(sequence: &Arc<[Assignment]>, threads: ThreadIndex) -> Self {
        let schedule = Arc::new(Schedule::new(Arc::clone(sequence)));
        Self { thread: 0, threads, schedule, broken: watch::Sender::new(false) }
    }

    /// The share of another thread of the same replay.
    fn of(&self, thread: ThreadIndex) -> Self {
        let (schedule, broken) = (Arc::clone(&self.schedule), self.broken.clone());
        Self { thread, threads: self.threads, schedule, broken }
    }

    fn give_up(&self) {
        self.broken.send_replace(true);
    }

    async fn replay<C: Connect>(
        self,
        point: &PointReplay<C>,
        notes: Notes,
        stop: StopSignal,
    ) -> Result<Left, ReplayError> {
        let result = self.run(point, notes, stop).await;
        if result.is_err() {
            self.give_up();
        }
        result
    }

    async fn run<C: Connect>(
        &self,
        point: &PointReplay<C>,
        notes: Notes,
        mut stop: StopSignal,
    ) -> Result<Left, ReplayError> {
        let timer = if point.exact_delays { Timer::exact()? } else { Timer::coarse() };
        let probe = point.probe.then(|| {
            let probe = probe(point.clock, timer.clone(), notes.clone(), self.thread);
            AbortOnDrop(tokio::spawn(probe))
        });
        let _awake = point.busy_poll.then(|| AbortOnDrop(tokio::spawn(stay_awake())));
        let mut slots = self.spawn_slots(point, &timer, &notes, &stop);
        let mut broken = self.broken.subscribe();
        let result = loop {
            tokio::select! {
                biased;
                _ = broken.wait_for(|broken| *broken) => break Ok(Left::TurnsInFlight),
                joined = slots.join_next() => match joined {
                    None => break Ok(Left::Nothing),
                    Some(Ok(())) => {}
                    Some(Err(error)) => break Err(ReplayError::Panicked(panic_text(error))),
                },
                () = stop.reached(StopLevel::Abort) => break Ok(Left::TurnsInFlight),
            }
        };
        if let Some(probe) = probe {
            probe.end().await;
        }
        slots.shutdown().await;
        result
    }

    /// How many slots are this thread's.
    fn slots(&self, all: usize) -> usize {
        let (thread, threads) = (usize::from(self.thread), usize::from(self.threads));
        all / threads + usize::from(thread < all % threads)
    }

    fn spawn_slots<C: Connect>(
        &self,
        point: &PointReplay<C>,
        timer: &Timer,
        notes: &Notes,
        stop: &StopSignal,
    ) -> JoinSet<()> {
        let all = (point.concurrency as usize).min(point.sequence.len());
        let mut slots = JoinSet::new();
        for _ in 0..self.slots(all) {
            let (endpoint, connector) = (Arc::clone(&point.endpoint), Arc::clone(&point.connector));
            let slot = Slot {
                client: SlotClient::new(endpoint, connector, point.clock),
                urls: point.endpoint.urls(),
                library: Arc::clone(&point.library),
                schedule: Arc::clone(&self.schedule),
                settings: point.settings,
                clock: point.clock,
                timer: timer.clone(),
                notes: notes.clone(),
                stop: stop.clone(),
                thread: self.thread,
            };
            slots.spawn(slot.run());
        }
        slots
    }
}

/// Ends a task with its owner.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> AbortOnDrop<T> {
    /// Ends the task now, and returns when nothing is left of it.
    async fn end(mut self) {
        self.0.abort();
        // That it was cancelled is what was asked for.
        let _ = (&mut self.0).await;
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(super) fn panic_text(error: tokio::task::JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => text_of(&*panic),
        Err(error) => error.to_string(),
    }
}

/// What a panic said.
fn text_of(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "no message".to_owned())
}
