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
use super::note::{End, Note, Notes, ThreadIndex, TurnRef};
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
const PAUSE: Duration = Duration::from_millis(10);

/// The most samples that room is made for at once; beyond them it grows as they come.
const MAX_RESERVED: usize = 1 << 20;

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
    /// What every sample id is a digest of first.
    seeded: Sha256Stream,
    /// By position in the sequence.
    trajectories: Vec<Trajectory>,
    recorded: Recorded,
    /// By event loop.
    punctuality: Vec<Punctuality>,
    meter: Meter,
}

/// One trajectory of the sequence.
#[derive(Default)]
struct Trajectory {
    /// The digests of its bodies, from when it was begun on.
    digests: Option<SessionDigests>,
    /// How many of its turns were sent.
    sent: usize,
    /// What is known while a slot has it.
    active: Option<Box<Active>>,
}

struct Active {
    session: Session,
    thread: ThreadIndex,
    salt_markers: u8,
    issued: usize,
    /// The turn that is in flight.
    in_flight: Option<TurnKey>,
    /// When that was issued, until its first token is there.
    issued_at: Option<Nanos>,
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
        let turns = |of: &Assignment| conversations[of.conversation as usize].turns.len();
        let total: usize = setup.sequence.iter().map(turns).sum();
        let samples = Vec::with_capacity(total.min(MAX_RESERVED));
        let recorded = Recorded { planned: total as u64, samples, ..Recorded::default() };
        let meter = Meter::new(setup.live.clone(), total as u64);
        let mut seeded = Sha256Stream::new();
        push_part(&mut seeded, &setup.seed);
        let trajectories = setup.sequence.iter().map(|_| Trajectory::default()).collect();
        Self { setup, seeded, trajectories, recorded, punctuality: Vec::new(), meter }
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
        let library = &self.setup.library;
        for (assignment, trajectory) in self.setup.sequence.iter().zip(&self.trajectories) {
            let Some(bodies) = &trajectory.digests else { continue };
            let id = library.session_id(assignment.conversation, assignment.pass);
            let turns = &library.conversations()[assignment.conversation as usize].turns;
            for (turn, body) in turns.iter().zip(bodies.iter()).take(trajectory.sent) {
                digest.push(&id, turn.turn, body);
            }
        }
        self.recorded.sent = digest.turns();
        self.recorded.digest = digest.finish();
        self.recorded.client.wall_ns = self.recorded.ended_at;
        let mut punctuality = Punctuality::default();
        self.punctuality.iter().for_each(|of_one| punctuality.absorb(of_one));
        punctuality.finish(&mut self.recorded.client);
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
            Note::Begin { position, session, thread } => {
                self.begin(position, session, thread);
                Ok(())
            }
            Note::Issued { at, ready_at, turn } => self.issued(at, ready_at, turn),
            Note::Probed { due, at, thread } => {
                let punctuality = punctuality_of(&mut self.punctuality, thread);
                punctuality.probe(due, at, nanos(PERIOD));
                Ok(())
            }
            Note::FirstToken { at, turn } => self.first_token(at, turn),
            Note::Over { at, turn, outcome, resent } => {
                self.recorded.resent += u64::from(resent);
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

    fn begin(&mut self, position: usize, session: Session, thread: ThreadIndex) {
        self.meter.slot_began();
        let trajectory = &mut self.trajectories[position];
        trajectory.digests = Some(session.digests());
        trajectory.active = Some(Box::new(Active {
            salt_markers: session.salt_markers(),
            session,
            thread,
            issued: 0,
            in_flight: None,
            issued_at: None,
            failed: None,
        }));
    }

    fn issued(&mut self, at: Nanos, ready_at: Nanos, turn: TurnRef) -> io::Result<()> {
        self.meter.issued(at);
        let trajectory = &mut self.trajectories[turn.position];
        let Some(active) = &mut trajectory.active else { return Ok(()) };
        punctuality_of(&mut self.punctuality, active.thread).issued(ready_at, at);
        let key = active.issue(turn.index, &self.seeded, &mut self.recorded);
        active.in_flight = Some(key.clone());
        active.issued_at = Some(at);
        trajectory.sent = turn.index + 1;
        let facts = PromptFacts {
            digest: trajectory.digests.as_ref().and_then(|of| of.get(turn.index)).copied(),
            bytes: Some(active.session.body_len(turn.index)),
            salt_markers: active.salt_markers,
            body: self.setup.prompts.then(|| active.session.body(turn.index).to_bytes()),
        };
        self.emit(at, EventKind::Issued(key, Some(facts)))
    }

    fn first_token(&mut self, at: Nanos, turn: TurnRef) -> io::Result<()> {
        let Some(active) = &mut self.trajectories[turn.position].active else { return Ok(()) };
        punctuality_of(&mut self.punctuality, active.thread).stamp(at);
        if let Some(issued_at) = active.issued_at.take() {
            self.meter.first_token(issued_at, at);
        }
        match active.in_flight.clone() {
            Some(key) => self.emit(at, EventKind::FirstToken(key)),
            None => Ok(()),
        }
    }

    fn over(
        &mut self,
        at: Nanos,
        turn: TurnRef,
        outcome: Result<Box<Reply>, Failure>,
    ) -> io::Result<()> {
        self.meter.over(at);
        let Some(active) = &mut self.trajectories[turn.position].active else { return Ok(()) };
        punctuality_of(&mut self.punctuality, active.thread).stamp(at);
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
        let Some(mut active) = self.trajectories[position].active.take() else { return Ok(()) };
        let (issued, turns) = (active.issued, active.session.turns().len());
        match end {
            End::Complete | End::Interrupted => {}
            End::Tail => self.recorded.skipped.tail += (turns - issued) as u64,
            End::Failed => {
                for index in issued..turns {
                    self.give_up(at, &mut active, index)?;
                }
            }
        }
        Ok(())
    }

    /// Records a turn behind a failed one as the reference client does: issued without a prompt,
    /// failed, over.
    fn give_up(&mut self, at: Nanos, active: &mut Active, index: usize) -> io::Result<()> {
        let key = active.issue(index, &self.seeded, &mut self.recorded);
        self.meter.over(at);
        self.emit(at, EventKind::Issued(key.clone(), None))?;
        let cause = active.failed.map_or("unknown", FailureKind::name);
        let message = format!("an earlier turn of the conversation failed: {cause}");
        self.failed(at, key, Failure::new(FailureKind::PriorFailure, message))
    }

    fn aborted(&mut self, at: Nanos) -> io::Result<()> {
        for position in 0..self.trajectories.len() {
            let Some(active) = self.trajectories[position].active.take() else { continue };
            self.meter.slot_ended();
            let Some(key) = active.in_flight else { continue };
            self.meter.over(at);
            let message = "the run was aborted while the turn was in flight";
            self.failed(at, key, Failure::new(FailureKind::Interrupted, message))?;
        }
        Ok(())
    }

    fn emit(&mut self, at: Nanos, kind: EventKind) -> io::Result<()> {
        let event = Event { at, kind };
        self.setup.observer.observe(&event)
    }
}

impl Active {
    /// Counts a turn as issued; gives its key.
    fn issue(&mut self, index: usize, seeded: &Sha256Stream, recorded: &mut Recorded) -> TurnKey {
        let conversation = self.session.conversation();
        let turn = conversation.turns[index].turn;
        let sample = sample_id(seeded, self.session.id(), turn);
        let offset = u32::try_from(index).unwrap_or(u32::MAX);
        recorded.samples.push((sample, conversation.first_sample.saturating_add(offset)));
        recorded.issued += 1;
        self.issued = index + 1;
        TurnKey { sample, session: Arc::clone(self.session.id()), turn }
    }
}

/// The first half of a digest of seed, session and turn.
fn sample_id(seeded: &Sha256Stream, session: &str, turn: u32) -> SampleId {
    let mut hash = seeded.clone();
    push_part(&mut hash, session.as_bytes());
    push_part(&mut hash, &turn.to_be_bytes());
    let digest = hash.finish();
    let mut sample = [0; 16];
    sample.copy_from_slice(&digest[..16]);
    SampleId(u128::from_be_bytes(sample))
}

/// Appends a part behind its length, so that no two lists of parts are the same bytes.
fn push_part(hash: &mut Sha256Stream, part: &[u8]) {
    hash.update(&(part.len() as u64).to_be_bytes());
    hash.update(part);
}

/// What is known of an event loop; nothing yet where it tells something for the first time.
fn punctuality_of(known: &mut Vec<Punctuality>, thread: ThreadIndex) -> &mut Punctuality {
    let thread = usize::from(thread);
    if known.len() <= thread {
        known.resize_with(thread + 1, Punctuality::default);
    }
    &mut known[thread]
}
