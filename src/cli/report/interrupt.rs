//! SIGINT and SIGTERM while nothing is measured: stop at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::failure::Failure;

/// Becomes true at the first signal, as long as it lives.
pub(super) struct Interrupt {
    flag: Arc<AtomicBool>,
    _runtime: Runtime,
}

impl Interrupt {
    /// Takes both signals over.
    pub(super) fn install() -> Result<Self, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&flag);
        let attempt = || {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("signals")
                .enable_all()
                .build()?;
            runtime.block_on(async move {
                let mut interrupt = signal(SignalKind::interrupt())?;
                let mut terminate = signal(SignalKind::terminate())?;
                tokio::spawn(async move {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    raised.store(true, Ordering::Relaxed);
                });
                Ok::<_, std::io::Error>(())
            })?;
            Ok::<_, std::io::Error>(runtime)
        };
        let runtime = attempt()
            .map_err(|error| Failure::could_not("signals cannot be handled").because(&error))?;
        Ok(Self { flag, _runtime: runtime })
    }

    /// Whether a signal came.
    pub(super) fn came(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// The flag itself.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}
