//! A look at the event loop from inside: how late does it run what is due?

use std::time::Duration;

use super::note::{Note, Notes, ThreadIndex};
use crate::clock::{Clock, Timer, nanos};

/// How often the event loop is probed.
pub(super) const PERIOD: Duration = Duration::from_millis(4);

/// Tells the recorder again and again when something was due and when it ran. A socket that became
/// readable meanwhile waited as long: its stamp is as late.
pub(super) async fn probe(clock: Clock, timer: Timer, notes: Notes, thread: ThreadIndex) {
    loop {
        let due = clock.now().saturating_add(nanos(PERIOD));
        timer.sleep_until(&clock, due).await;
        notes.send(Note::Probed { due, at: clock.now(), thread });
    }
}
