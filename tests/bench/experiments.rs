//! The experiments.

mod added;
mod delays;
mod growth;
mod official;
mod streaming;
mod throughput;

use serde_json::{Value, json};

use crate::Options;
use crate::ours::Measured;
use crate::table::raw;

/// Their names, in the order in which they run.
pub(crate) const NAMES: [&str; 6] =
    ["throughput", "added", "delays", "growth", "streaming", "official"];

/// Runs one.
pub(crate) fn run(name: &str, options: &Options) {
    match name {
        "throughput" => throughput::run(options),
        "added" => added::run(options),
        "delays" => delays::run(options),
        "growth" => growth::run(options),
        "streaming" => streaming::run(options),
        "official" => official::run(options),
        other => unreachable!("`{other}` is in no list"),
    }
}

/// Puts a measurement into the raw file.
fn note(experiment: &str, client: &str, slots: u32, measured: &Measured, more: &Value) {
    raw(&json!({
        "experiment": experiment,
        "client": client,
        "slots": slots,
        "turns": measured.turns,
        "failed": measured.failed,
        "sent_bytes": measured.sent_bytes,
        "wall_ns": measured.wall_ns,
        "cpu_ns": measured.cpu_ns,
        "recorder_ns": measured.recorder_ns,
        "peak_bytes": measured.peak_bytes,
        "chunks": measured.chunks,
        "start_ns": measured.start_ns,
        "results_ns": measured.results_ns,
        "log_bytes": measured.log_bytes,
        "own": measured.client,
        "more": more,
    }));
}
