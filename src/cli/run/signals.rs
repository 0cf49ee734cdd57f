//! SIGINT and SIGTERM while a run goes on: once drains, twice aborts.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::console::Console;
use crate::replay::{StopHandle, StopLevel};

/// What a run does, which decides what an interruption ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// Turns are, or are about to be, in flight.
    #[default]
    Replaying,
    /// The point's replay is on disk; work on its numbers goes on.
    AfterReplay,
    /// A SWE-bench job is under way.
    SweBench,
    /// Another client measures.
    Client,
}

impl Stage {
    /// What the first signal means.
    fn interrupted(self) -> &'static str {
        match self {
            Self::Replaying => {
                "interrupted: waiting for the turns in flight, then the results are written; \
                 interrupt again to give them up"
            }
            Self::AfterReplay => {
                "interrupted: the replay is on disk; what is computed from it now stops"
            }
            Self::Client => {
                "interrupted: waiting for the client to end; interrupt again to kill it"
            }
            Self::SweBench => {
                "interrupted: the replay is on disk; the SWE-bench job is being cancelled; interrupt \
                 again to leave it to the service"
            }
        }
    }

    /// What each further signal means.
    fn again(self) -> &'static str {
        match self {
            Self::Replaying => "interrupted again: giving up the turns in flight",
            Self::AfterReplay => "interrupted again: stopping as soon as the files are whole",
            Self::Client => "interrupted again: killing the client",
            Self::SweBench => "interrupted again: leaving the SWE-bench job to the service",
        }
    }
}

/// The stage of a run, told by the run and read at each signal.
#[derive(Clone, Debug, Default)]
pub(super) struct CurrentStage(Arc<Mutex<Stage>>);

impl CurrentStage {
    /// Says what the run does from now on.
    pub(super) fn enter(&self, stage: Stage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }

    fn now(&self) -> Stage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Raises `stop` at each signal until the runtime ends.
///
/// # Errors
/// When the system lets no handler be installed.
pub(super) fn watch(
    console: &Arc<Console>,
    stop: StopHandle,
    stage: CurrentStage,
) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let console = Arc::clone(console);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if stop.level() == StopLevel::Run {
                console.message(stage.now().interrupted());
                stop.raise(StopLevel::Drain);
            } else {
                console.message(stage.now().again());
                stop.raise(StopLevel::Abort);
            }
        }
    });
    Ok(())
}
