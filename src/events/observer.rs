//! Who wants to see the events of a replay.

use std::io;

use super::Event;

/// Sees every event of a replay in log order, on the recorder's own thread.
pub trait Observer: Send {
    /// Takes one event.
    ///
    /// # Errors
    /// When what the event should have been written to cannot take it; this ends the replay.
    fn observe(&mut self, event: &Event) -> io::Result<()>;
}
