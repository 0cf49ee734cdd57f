//! SIGINT and SIGTERM while a run goes on: once drains, twice aborts.

use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::console::Console;
use crate::replay::{StopHandle, StopLevel};

/// Raises `stop` at each signal until the runtime ends.
///
/// # Errors
/// When the system lets no handler be installed.
pub(super) fn watch(console: &Arc<Console>, stop: StopHandle) -> std::io::Result<()> {
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
                console.message(
                    "interrupted: waiting for the turns in flight, then the results are written; \
                     interrupt again to give them up",
                );
                stop.raise(StopLevel::Drain);
            } else {
                console.message("interrupted again: giving up the turns in flight");
                stop.raise(StopLevel::Abort);
            }
        }
    });
    Ok(())
}
