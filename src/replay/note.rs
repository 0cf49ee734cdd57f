//! What slots tell the recorder.

use std::sync::mpsc;

use crate::clock::Nanos;
use crate::prompt::Session;
use crate::wire::{Failure, Reply};

/// Which turn a note is about: the trajectory's position in the sequence, and the index of the turn
/// in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnRef {
    pub(super) position: usize,
    pub(super) index: usize,
}

/// Which event loop tells a note; its probes say nothing of the stamps of another.
pub type ThreadIndex = u16;

/// One thing that happened, as cheap as it can be told.
#[derive(Debug)]
pub(super) enum Note {
    /// The replay began and the performance window opened.
    Started { at: Nanos },
    /// A slot took a trajectory; all else about that is told by the same event loop.
    Begin { position: usize, session: Session, thread: ThreadIndex },
    /// A turn was issued that could have been at `ready_at`. Its body is not told: the recorder takes
    /// what it needs from the session, without touching the counters of the prompts' memory, which
    /// the slots use.
    Issued { at: Nanos, ready_at: Nanos, turn: TurnRef },
    /// The event loop ran something that was due at `due`.
    Probed { due: Nanos, at: Nanos, thread: ThreadIndex },
    /// The first token arrived.
    FirstToken { at: Nanos, turn: TurnRef },
    /// A turn is over.
    Over { at: Nanos, turn: TurnRef, outcome: Result<Box<Reply>, Failure>, resent: bool },
    /// A slot is done with a trajectory.
    End { at: Nanos, position: usize, end: End },
    /// The performance window closed.
    WindowClosed { at: Nanos },
    /// The turns in flight were given up.
    Aborted { at: Nanos },
    /// The replay is over.
    Ended { at: Nanos },
}

/// How a trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All its turns were issued and answered.
    Complete,
    /// A turn failed; the ones behind it are given up.
    Failed,
    /// The performance window closed, and the scenario ends the replay with it.
    Tail,
    /// The run was interrupted.
    Interrupted,
}

/// The slots' end of the channel to the recorder.
#[derive(Clone, Debug)]
pub struct Notes(mpsc::Sender<Note>);

impl Notes {
    /// Connected ends.
    pub(super) fn channel() -> (Self, mpsc::Receiver<Note>) {
        let (sender, receiver) = mpsc::channel();
        (Self(sender), receiver)
    }

    /// Tells the recorder. When the recorder has stopped (it could not write), it has also raised
    /// the stop level, so that nothing more needs to be told.
    pub(super) fn send(&self, note: Note) {
        let _ = self.0.send(note);
    }
}
