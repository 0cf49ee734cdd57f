//! The recorder: turns slots' notes into events, on a thread of its own.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::watch;

use super::digest::ReplayDigest;
use super::live::Live;
use super::meter::Meter;
use super::note::{End, Note, Notes, TurnRef};
use super::probe::PERIOD;
use super::schedule::Skipped;
use super::stop::{StopHandle, StopLevel};
use crate::clock::{Nanos, nanos};
use crate::digest::Sha256Stream;
use crate::events::{Event, EventKind, Observer, PromptFacts, SampleId, TurnKey};
use crate::host;
use crate::metrics::{ClientLoad, Punctuality};
use crate::plan::Assignment;
use crate::prompt::{Library, Session, SessionDigests};
use crate::wire::{Failure, FailureKind, Reply};

/// How long the recorder rests when it has nothing to do. It looks for notes instead of being woken
/// by each: waking a thread costs a slot more than all else that it does for the log.
const PAUSE: Duration = Duration::from_millis(5);

/// What a recorder needs to know beforehand.
#[derive(Debug)]
pub struct RecorderSetup<O> {
    /// The prompts.
    pub library: Arc<Library>,
    /// The trajectories in order.
    pub sequence: Arc<[Assignment]>,
    /// Who sees the events; given back when the replay is recorded.
    pub observer: O,
    /// What sample ids are derived from, beside session and turn.
    pub seed: Vec<u8>,
    /// Whether issued events carry the whole body (`log.prompts`).
    pub prompts: bool,
    /// Where snapshots for the live view go; the template holds point, points and concurrency.
    pub live: watch::Sender<Live>,
    /// Raised when an observer fails.
    pub stop: StopHandle,
}

/// What was recorded, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Turns of the whole sequence.
    pub planned: u64,
    /// Turns issued; turns given up because an earlier one failed are among them, as in the
    /// reference client's log.
    pub issued: u64,
    /// Turns answered with a complete reply.
    pub completed: u64,
    /// Failed turns by class.
    pub failures: BTreeMap<FailureKind, u64>,
    /// Turns whose request was sent twice, because the first went out on a connection that the
    /// server had just closed for idling.
    pub resent: u64,
    /// Turns never issued.
    pub skipped: Skipped,
    /// The replay digest over the turns that were sent; equals the plan's when all were.
    pub digest: String,
    /// Turns in the digest.
    pub sent: u64,
    /// Sample ids in issue order, with the index of the turn over all client turns of the data
    /// sets.
    pub samples: Vec<(SampleId, u32)>,
    /// When the replay ended.
    pub ended_at: Nanos,
    /// What the client took, as far as the recorder knows: its own CPU time, and how punctual the
    /// replay was.
    pub client: ClientLoad,
}

/// Why recording stopped.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// An observer could not take an event, for example because the disk is full.
    #[error("the event log could not be written: {0}")]
    Observer(#[from] io::Error),
    /// A defect of this program.
    #[error("the recorder panicked; please report this")]
    Panicked,
}

/// The running recorder.
#[derive(Debug)]
pub struct RecorderHandle<O>(JoinHandle<Result<(Recorded, O), RecordError>>);

impl<O> RecorderHandle<O> {
    /// Waits until everything told so far is recorded. Call it when the replay has returned.
    ///
    /// # Errors
    /// When an observer failed; the replay was then aborted.
    pub fn finish(self) -> Result<(Recorded, O), RecordError> {
        self.0.join().unwrap_or(Err(RecordError::Panicked))
    }
}

/// Turns notes into events.
pub struct Recorder<O> {
    setup: RecorderSetup<O>,
    active: BTreeMap<usize, Active>,
    /// For each trajectory, how many turns of the plan come before it.
    offsets: Vec<usize>,
    digests: Vec<Option<[u8; 32]>>,
    recorded: Recorded,
    punctuality: Punctuality,
    meter: Meter,
}

struct Active {
    session: Session,
    digests: SessionDigests,
    salt_markers: u8,
    issued: usize,
    /// The turn that is in flight.
    in_flight: Option<TurnKey>,
    failed: Option<FailureKind>,
}

impl<O: Observer + 'static> Recorder<O> {
    /// Starts a recorder on its own thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(setup: RecorderSetup<O>) -> io::Result<(Notes, RecorderHandle<O>)> {
        let (notes, receiver) = Notes::channel();
        let stop = setup.stop.clone();
        let body = move || {
            let recorded = Self::new(setup).run(&receiver);
            if recorded.is_err() {
                stop.raise(StopLevel::Abort);
                // The slots may go on telling until they notice.
                while receiver.recv().is_ok() {}
            }
            recorded
        };
        let handle = thread::Builder::new().name("recorder".to_owned()).spawn(body)?;
        Ok((notes, RecorderHandle(handle)))
    }

    fn new(setup: RecorderSetup<O>) -> Self {
        let conversations = setup.library.conversations();
        let mut total = 0;
        let mut offsets = Vec::with_capacity(setup.sequence.len());
        for assignment in setup.sequence.iter() {
            offsets.push(total);
            total += conversations[assignment.conversation as usize].turns.len();
        }
        let recorded = Recorded { planned: total as u64, ..Recorded::default() };
        let meter = Meter::new(setup.live.clone(), total as u64);
        let digests = vec![None; total];
        let (active, punctuality) = (BTreeMap::new(), Punctuality::default());
        Self { setup, active, offsets, digests, recorded, punctuality, meter }
    }

    fn run(mut self, receiver: &Receiver<Note>) -> Result<(Recorded, O), RecordError> {
        loop {
            match receiver.try_recv() {
                Ok(note) => self.note(note)?,
                Err(TryRecvError::Empty) => thread::sleep(PAUSE),
                Err(TryRecvError::Disconnected) => return Ok(self.finish()),
            }
        }
    }

    fn finish(mut self) -> (Recorded, O) {
        let mut digest = ReplayDigest::default();
        for (assignment, offset) in self.setup.sequence.iter().zip(&self.offsets) {
            let session = self.setup.library.session(assignment.conversation, assignment.pass);
            for (turn, body) in session.turns().iter().zip(&self.digests[*offset..]) {
                if let Some(body) = body {
                    digest.push(session.id(), turn.turn, body);
                }
            }
        }
        self.recorded.sent = digest.turns();
        self.recorded.digest = digest.finish();
        self.recorded.client.wall_ns = self.recorded.ended_at;
        self.punctuality.finish(&mut self.recorded.client);
        self.recorded.client.recorder_cpu_ns = nanos(host::thread_cpu());
        let accounted = self.recorded.issued + self.recorded.skipped.tail;
        self.recorded.skipped.interrupted = self.recorded.planned.saturating_sub(accounted);
        (self.recorded, self.setup.observer)
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Started { at } => {
                self.emit(at, EventKind::SessionStarted)?;
                self.emit(at, EventKind::StartTracking)
            }
            Note::Begin { position, session } => {
                self.meter.slot_began();
                let active = Active {
                    digests: session.digests(),
                    salt_markers: session.salt_markers(),
                    session,
                    issued: 0,
                    in_flight: None,
                    failed: None,
                };
                self.active.insert(position, active);
                Ok(())
            }
            Note::Issued { at, ready_at, turn } => {
                self.punctuality.issued(ready_at, at);
                self.issued(at, turn)
            }
            Note::Probed { due, at } => {
                self.punctuality.probe(due, at, nanos(PERIOD));
                Ok(())
            }
            Note::FirstToken { at, turn } => {
                self.meter.first_token(turn.position, at);
                self.punctuality.stamp(at);
                let active = self.active.get(&turn.position);
                let key = active.and_then(|active| active.in_flight.clone());
                key.map_or(Ok(()), |key| self.emit(at, EventKind::FirstToken(key)))
            }
            Note::Over { at, turn, outcome, resent } => {
                self.recorded.resent += u64::from(resent);
                self.punctuality.stamp(at);
                self.over(at, turn, outcome)
            }
            Note::End { at, position, end } => self.end(at, position, end),
            Note::WindowClosed { at } => self.emit(at, EventKind::StopTracking),
            Note::Aborted { at } => self.aborted(at),
            Note::Ended { at } => {
                self.recorded.ended_at = at;
                self.meter.publish(at);
                self.emit(at, EventKind::SessionEnded)
            }
        }
    }

    fn issued(&mut self, at: Nanos, turn: TurnRef) -> io::Result<()> {
        self.meter.issued(turn.position, at);
        let Some(key) = self.key(turn) else { return Ok(()) };
        let Some(active) = self.active.get_mut(&turn.position) else { return Ok(()) };
        let digest = active.digests.get(turn.index).copied();
        active.in_flight = Some(key.clone());
        self.digests[self.offsets[turn.position] + turn.index] = digest;
        let facts = PromptFacts {
            digest,
            bytes: Some(active.session.body_len(turn.index)),
            salt_markers: active.salt_markers,
            body: self.setup.prompts.then(|| active.session.body(turn.index).to_bytes()),
        };
        self.count_issued(turn, &key);
        self.emit(at, EventKind::Issued(key, Some(facts)))
    }

    fn count_issued(&mut self, turn: TurnRef, key: &TurnKey) {
        let Some(active) = self.active.get_mut(&turn.position) else { return };
        active.issued = turn.index + 1;
        let first = active.session.conversation().first_sample;
        let index = u32::try_from(turn.index).unwrap_or(u32::MAX);
        self.recorded.samples.push((key.sample, first.saturating_add(index)));
        self.recorded.issued += 1;
    }

    fn over(
        &mut self,
        at: Nanos,
        turn: TurnRef,
        outcome: Result<Box<Reply>, Failure>,
    ) -> io::Result<()> {
        self.meter.over(turn.position, at);
        let Some(active) = self.active.get_mut(&turn.position) else { return Ok(()) };
        let Some(key) = active.in_flight.take() else { return Ok(()) };
        active.failed = outcome.as_ref().err().map(|failure| failure.kind);
        match outcome {
            Ok(reply) => {
                self.recorded.completed += 1;
                self.emit(at, EventKind::Complete(key, Some(reply)))
            }
            Err(failure) => self.failed(at, key, failure),
        }
    }

    fn failed(&mut self, at: Nanos, key: TurnKey, failure: Failure) -> io::Result<()> {
        *self.recorded.failures.entry(failure.kind).or_default() += 1;
        self.meter.failed(failure.kind);
        self.emit(at, EventKind::Failed(key.clone(), failure))?;
        self.emit(at, EventKind::Complete(key, None))
    }

    fn end(&mut self, at: Nanos, position: usize, end: End) -> io::Result<()> {
        self.meter.slot_ended();
        let Some(active) = self.active.get(&position) else { return Ok(()) };
        let (issued, turns) = (active.issued, active.session.turns().len());
        match end {
            End::Complete | End::Interrupted => {}
            End::Tail => self.recorded.skipped.tail += (turns - issued) as u64,
            End::Failed => {
                let cause = active.failed.map_or("unknown", FailureKind::name);
                for index in issued..turns {
                    self.give_up(at, TurnRef { position, index }, cause)?;
                }
            }
        }
        self.active.remove(&position);
        Ok(())
    }

    /// Records a turn behind a failed one as the reference client does: issued without a prompt,
    /// failed, over.
    fn give_up(&mut self, at: Nanos, turn: TurnRef, cause: &str) -> io::Result<()> {
        let Some(key) = self.key(turn) else { return Ok(()) };
        self.count_issued(turn, &key);
        self.meter.over(turn.position, at);
        self.emit(at, EventKind::Issued(key.clone(), None))?;
        let message = format!("an earlier turn of the conversation failed: {cause}");
        self.failed(at, key, Failure::new(FailureKind::PriorFailure, message))
    }

    fn aborted(&mut self, at: Nanos) -> io::Result<()> {
        for (position, active) in std::mem::take(&mut self.active) {
            self.meter.slot_ended();
            let Some(key) = active.in_flight else { continue };
            self.meter.over(position, at);
            let message = "the run was aborted while the turn was in flight";
            self.failed(at, key, Failure::new(FailureKind::Interrupted, message))?;
        }
        Ok(())
    }

    fn key(&self, turn: TurnRef) -> Option<TurnKey> {
        let active = self.active.get(&turn.position)?;
        Some(self.turn_key(&active.session, turn))
    }

    fn turn_key(&self, session: &Session, turn: TurnRef) -> TurnKey {
        let number = session.turns()[turn.index].turn;
        let mut hash = Sha256Stream::new();
        for part in [self.setup.seed.as_slice(), session.id().as_bytes(), &number.to_be_bytes()] {
            hash.update(&(part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let digest = hash.finish();
        let mut sample = [0; 16];
        sample.copy_from_slice(&digest[..16]);
        let sample = SampleId(u128::from_be_bytes(sample));
        TurnKey { sample, session: Arc::clone(session.id()), turn: number }
    }

    fn emit(&mut self, at: Nanos, kind: EventKind) -> io::Result<()> {
        let event = Event { at, kind };
        self.setup.observer.observe(&event)
    }
}
