//! What a replay asked of the machine that runs the client.

use serde::{Deserialize, Serialize};

/// What the client itself took while one point was replayed, so that a reader can tell whether it
/// was the endpoint that was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientLoad {
    /// From the start of the replay to its end, in nanoseconds.
    pub wall_ns: u64,
    /// CPU time of the whole process meanwhile, in nanoseconds; the embedded simulated endpoint is
    /// in it where that was used.
    pub cpu_ns: u64,
    /// Of that, the recorder's thread: event log, digests, metrics, progress.
    pub recorder_cpu_ns: u64,
    /// The most physical memory that the process took so far, in bytes.
    pub peak_memory_bytes: Option<u64>,
}
