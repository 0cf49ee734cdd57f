//! What a point takes of the client machine.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::clock::{Clock, nanos};
use crate::host;
use crate::metrics::{ClientLoad, Metrics};
use crate::replay::Threads;
use crate::results::Calibration;

/// What the process has used so far, or between two looks.
pub(super) struct Usage {
    clock: Clock,
    /// CPU time of the process.
    cpu: Duration,
    /// Time in which the threads that measure had something to do, and how many there are.
    busy: Duration,
    threads: u16,
    wall: Duration,
}

impl Usage {
    /// What was used until now.
    pub(super) fn now(threads: &Threads) -> Self {
        let busy = |runtime: &Runtime| runtime.metrics().worker_total_busy_duration(0);
        let (busy, threads) = (threads.runtimes().map(busy).sum(), threads.count());
        let (clock, cpu) = (Clock::start(), host::process_cpu());
        Self { clock, cpu, busy, threads, wall: Duration::ZERO }
    }

    /// What was used since `earlier`.
    pub(super) fn since(self, earlier: &Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            busy: self.busy.saturating_sub(earlier.busy),
            wall: Duration::from_nanos(earlier.clock.now()),
            ..self
        }
    }

    /// Share of their time in which the threads that measure were busy, in percent.
    fn busy_percent(&self) -> Option<u32> {
        let whole = self.wall.as_nanos().checked_mul(u128::from(self.threads))?;
        let percent = self.busy.as_nanos().checked_mul(100)?.checked_div(whole)?;
        u32::try_from(percent.min(100)).ok()
    }
}

/// What the recorder knows of the client, with what was used and what limited it.
pub(super) fn client_load(
    recorded: ClientLoad,
    used: &Usage,
    metrics: &Metrics,
    concurrency: u32,
    busy_poll: bool,
    calibration: Option<&Calibration>,
) -> ClientLoad {
    let mut load = ClientLoad {
        cpu_ns: nanos(used.cpu),
        peak_memory_bytes: host::peak_resident_bytes(),
        busy_poll,
        // Who never sleeps is always busy.
        busy_percent: used.busy_percent().filter(|_| !busy_poll),
        ..recorded
    };
    let ttft = metrics.window.ttft.as_ref().and_then(|ttft| ttft.percentile(50.0));
    load.limits = load.find_limits(ttft.map(whole));
    if let Some(calibration) = calibration {
        load.limits.extend(calibration.too_many_slots(concurrency));
        load.limits.extend(metrics.qps().and_then(|rate| calibration.too_fast(rate)));
    }
    load
}

/// A time in nanoseconds as a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, as it should"
)]
fn whole(nanos: f64) -> u64 {
    nanos as u64
}
