//! When to stop early.

use tokio::sync::watch;

/// How urgently a replay should end. Ordered: later levels include earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Not at all.
    #[default]
    Run,
    /// No further turn is issued; turns in flight are awaited.
    Drain,
    /// Turns in flight are given up too.
    Abort,
}

/// Asks a replay to stop.
#[derive(Clone, Debug)]
pub struct StopHandle(watch::Sender<StopLevel>);

impl StopHandle {
    /// Raises the level to at least `level`; it never falls.
    pub fn raise(&self, level: StopLevel) {
        self.0.send_if_modified(|current| {
            let higher = level > *current;
            if higher {
                *current = level;
            }
            higher
        });
    }

    /// The present level.
    pub fn level(&self) -> StopLevel {
        *self.0.borrow()
    }

    /// A signal that follows this handle.
    pub fn signal(&self) -> StopSignal {
        StopSignal(self.0.subscribe())
    }
}

/// Tells a replay's tasks that they should stop.
#[derive(Clone, Debug)]
pub struct StopSignal(watch::Receiver<StopLevel>);

impl StopSignal {
    /// The present level.
    pub fn level(&self) -> StopLevel {
        *self.0.borrow()
    }

    /// Waits until the level is at least `level`; for ever when no handle is left to raise it.
    pub async fn reached(&mut self, level: StopLevel) {
        if self.0.wait_for(|current| *current >= level).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A connected handle and signal.
pub fn stop_channel() -> (StopHandle, StopSignal) {
    let (sender, receiver) = watch::channel(StopLevel::Run);
    (StopHandle(sender), StopSignal(receiver))
}
