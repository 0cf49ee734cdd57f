//! Which rungs are climbed, and when that ends.

use std::time::Duration;

use super::server::Latency;
use super::step::{Bench, Rung};
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::results::{Calibration, Step};

/// An endpoint that answers at once.
const INSTANT: Latency = Latency { ttft: Duration::ZERO, inter_token: Duration::ZERO, chunks: 4 };
/// An endpoint that streams: a tenth of a second for a reply.
const STREAMING: Latency =
    Latency { ttft: Duration::from_millis(20), inter_token: Duration::from_millis(5), chunks: 17 };
/// Turns a second of a slot at an endpoint that answers at once; no machine does more.
const INSTANT_TURNS: f64 = 40_000.0;
/// The same at the one that streams.
const STREAMING_TURNS: f64 = 10.0;
/// Above this the ladder has nothing more to tell.
const TOO_MUCH_NS: u64 = 5_000_000;

/// The rungs of a calibration.
pub(super) struct Ladder {
    throughput: Vec<u32>,
    throughput_time: Duration,
    latency: Vec<u32>,
    latency_time: Duration,
}

impl Ladder {
    /// Two minutes.
    pub(super) fn full() -> Self {
        Self {
            throughput: vec![1, 8, 64, 256],
            throughput_time: Duration::from_secs(4),
            latency: vec![1, 8, 32, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096],
            latency_time: Duration::from_secs(7),
        }
    }

    /// Some seconds.
    pub(super) fn quick() -> Self {
        Self {
            throughput: vec![1, 8],
            throughput_time: Duration::from_millis(300),
            latency: vec![1, 8],
            latency_time: Duration::from_millis(600),
        }
    }

    /// Leaves out rungs with more connections than there can be.
    pub(super) fn up_to(mut self, connections: u64) -> Self {
        let fits = |slots: &u32| u64::from(*slots) <= connections;
        self.throughput.retain(fits);
        self.latency.retain(fits);
        self
    }

    /// Climbs rung after rung, until one is too much, and notes each in `made`.
    pub(super) fn climb(
        &self,
        bench: &Bench,
        made: &mut Calibration,
        console: &Console,
    ) -> Result<(), Failure> {
        for &slots in &self.throughput {
            console.message(&format!("{slots} slots against an endpoint that answers at once"));
            let step = bench.step(Rung {
                slots,
                latency: INSTANT,
                time: self.throughput_time,
                turns_per_slot: INSTANT_TURNS / f64::from(slots),
                on_top: false,
            })?;
            made.throughput.push(step);
        }
        for &slots in &self.latency {
            console.message(&format!("{slots} slots against an endpoint that streams"));
            let step = bench.step(Rung {
                slots,
                latency: STREAMING,
                time: self.latency_time,
                turns_per_slot: STREAMING_TURNS,
                on_top: true,
            })?;
            made.latency.push(step);
            if is_too_much(&step) {
                break;
            }
        }
        Ok(())
    }
}

fn is_too_much(step: &Step) -> bool {
    step.ttft_p99_ns >= TOO_MUCH_NS || step.failed > 0
}
