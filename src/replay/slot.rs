//! The slot loop: one conversation at a time, one turn at a time.

use std::sync::Arc;
use std::time::Duration;

use super::note::{End, Note, Notes, ThreadIndex, TurnRef};
use super::schedule::Schedule;
use super::settings::Settings;
use super::stop::{StopLevel, StopSignal};
use crate::client::{Connect, SlotClient, assign_url};
use crate::clock::{Clock, Nanos, Timer, nanos};
use crate::prompt::{Library, Session};
use crate::scenario::model::Tail;

/// Everything a slot works with.
pub(super) struct Slot<C: Connect> {
    pub(super) client: SlotClient<C>,
    pub(super) urls: usize,
    pub(super) library: Arc<Library>,
    pub(super) schedule: Arc<Schedule>,
    pub(super) settings: Settings,
    pub(super) clock: Clock,
    pub(super) timer: Timer,
    pub(super) notes: Notes,
    pub(super) stop: StopSignal,
    /// The event loop that this slot stays on.
    pub(super) thread: ThreadIndex,
}

impl<C: Connect> Slot<C> {
    /// Replays trajectories until none is left or the run should stop.
    pub(super) async fn run(mut self) {
        while self.stop.level() == StopLevel::Run {
            let Some((position, assignment)) = self.schedule.take() else {
                if self.schedule.close_window() {
                    self.notes.send(Note::WindowClosed { at: self.clock.now() });
                }
                return;
            };
            let session = self.library.session(assignment.conversation, assignment.pass);
            self.notes.send(Note::Begin {
                position,
                session: session.clone(),
                thread: self.thread,
            });
            let end = self.conversation(position, &session).await;
            self.notes.send(Note::End { at: self.clock.now(), position, end });
        }
    }

    async fn conversation(&mut self, position: usize, session: &Session) -> End {
        let url = assign_url(&session.conversation().id, self.urls);
        let mut previous_end = self.clock.now();
        for (index, turn) in session.turns().iter().enumerate() {
            let delay = self.settings.tool_delays.apply(Duration::from_nanos(turn.delay));
            let ready_at = previous_end.saturating_add(nanos(delay));
            if !self.wait(ready_at).await {
                return End::Interrupted;
            }
            if self.settings.tail == Tail::Stop && self.schedule.window_closed() {
                return End::Tail;
            }
            let turn = TurnRef { position, index };
            match self.turn(turn, ready_at, url, session).await {
                Ok(completed_at) => previous_end = completed_at,
                Err(Failed) => return End::Failed,
            }
        }
        End::Complete
    }

    /// Waits until `ready_at`; false when the run should stop first.
    async fn wait(&mut self, ready_at: Nanos) -> bool {
        if ready_at <= self.clock.now() {
            return self.stop.level() == StopLevel::Run;
        }
        tokio::select! {
            biased;
            () = self.stop.reached(StopLevel::Drain) => false,
            () = self.timer.sleep_until(&self.clock, ready_at) => true,
        }
    }

    async fn turn(
        &mut self,
        turn: TurnRef,
        ready_at: Nanos,
        url: usize,
        session: &Session,
    ) -> Result<Nanos, Failed> {
        let rope = session.body(turn.index).into_rope();
        let notes = &self.notes;
        let mut on_first_token = |at| notes.send(Note::FirstToken { at, turn });
        let issued_at = self.clock.now();
        let deadline = issued_at.saturating_add(nanos(self.settings.turn_timeout));
        notes.send(Note::Issued { at: issued_at, ready_at, turn });
        let exchange = self
            .client
            .exchange(url, session.id(), rope, issued_at, deadline, &mut on_first_token)
            .await;
        let at = exchange.completed_at;
        let failed = exchange.outcome.is_err();
        let (outcome, resent) = (exchange.outcome.map(Box::new), exchange.resent);
        notes.send(Note::Over { at, turn, outcome, resent });
        if failed { Err(Failed) } else { Ok(at) }
    }
}

/// The turn failed; the recorder knows why.
struct Failed;
