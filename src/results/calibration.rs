//! What `scenario calibrate` found out about a client machine.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::ResultsError;
use super::manifest::pretty;
use super::write_file;
use crate::host::Host;

/// The version of the file's format.
const FORMAT: u32 = 1;
/// A replay that needs more than this share of the turns a second that were sustained has no
/// reserve left.
const RESERVE: f64 = 0.8;

/// What a client machine can sustain, measured against a simulated endpoint in another process of
/// the same machine; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The version of this format.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// When it was measured (RFC 3339).
    pub measured_at: String,
    /// Whether it was the short form, which is too short to rely on.
    pub quick: bool,
    /// The machine.
    pub host: Host,
    /// The smallest step of the clock that was seen.
    pub clock_resolution_ns: u64,
    /// The most turns a second at an endpoint that answers at once.
    pub turns_per_s: f64,
    /// The most slots at which the added time to first token stayed below 1 ms (percentile 99).
    pub slots_below_1ms: u32,
    /// The same below 5 ms.
    pub slots_below_5ms: u32,
    /// Whether the ladder ended because it had no higher rung, not because a rung was too much.
    pub ladder_exhausted: bool,
    /// Connections that the limit of open files allows; none for no limit.
    pub connections_by_files: Option<u64>,
    /// Connections to one address that the range of local ports allows, where the system tells.
    pub connections_by_ports: Option<u64>,
    /// Against an endpoint that answers at once, by slots.
    pub throughput: Vec<Step>,
    /// Against an endpoint with 20 ms to the first token and 5 ms between fragments, by slots.
    pub latency: Vec<Step>,
}

/// One measured number of slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Conversations active at once.
    pub slots: u32,
    /// Turns that were answered.
    pub turns: u64,
    /// Turns that failed.
    pub failed: u64,
    /// Turns a second.
    pub turns_per_s: f64,
    /// CPU time of the client for each turn.
    pub cpu_ns_per_turn: u64,
    /// Median of the time to first token; on top of the endpoint's own where that has one.
    pub ttft_p50_ns: u64,
    /// Its percentile 99.
    pub ttft_p99_ns: u64,
    /// Percentile 99 of the lateness of the client's event loop.
    pub loop_lag_p99_ns: u64,
}

impl Calibration {
    /// A calibration of this machine without steps.
    pub fn new(version: String, measured_at: String, quick: bool, host: Host) -> Self {
        Self {
            format: FORMAT,
            version,
            measured_at,
            quick,
            host,
            clock_resolution_ns: 0,
            turns_per_s: 0.0,
            slots_below_1ms: 0,
            slots_below_5ms: 0,
            ladder_exhausted: true,
            connections_by_files: None,
            connections_by_ports: None,
            throughput: Vec::new(),
            latency: Vec::new(),
        }
    }

    /// Draws the conclusions from the steps: the best rate, and for both limits the highest rung
    /// of the ladder with no rung below it beyond the limit.
    pub fn conclude(&mut self) {
        self.turns_per_s = self.throughput.iter().map(|step| step.turns_per_s).fold(0.0, f64::max);
        let below = |limit: u64| {
            let good = |step: &&Step| step.ttft_p99_ns < limit && step.failed == 0;
            self.latency.iter().take_while(good).last().map_or(0, |step| step.slots)
        };
        (self.slots_below_1ms, self.slots_below_5ms) = (below(1_000_000), below(5_000_000));
        self.ladder_exhausted = self.latency.last().is_none_or(|s| s.slots == self.slots_below_5ms);
    }

    /// Reads a calibration.
    ///
    /// # Errors
    /// When the file cannot be read or is none.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let text = std::fs::read(path).map_err(ResultsError::read(path))?;
        let broken = |reason| ResultsError::Unusable { path: path.to_owned(), reason };
        let read: Self =
            serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        if read.format == FORMAT {
            Ok(read)
        } else {
            Err(broken(format!("format {}, expected {FORMAT}", read.format)))
        }
    }

    /// Writes it, whole or not at all, with the directories that it needs; replaces what is there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ResultsError> {
        write_file(path, &pretty(self))
    }

    /// Whether it is about this machine.
    pub fn is_of(&self, host: &Host) -> bool {
        let of = |host: &Host| (host.hostname.clone(), host.cpu_model.clone(), host.cpus);
        of(&self.host) == of(host)
    }

    /// Why so many slots are more than the machine can carry; none where they are not.
    pub fn too_many_slots(&self, slots: u32) -> Option<String> {
        (slots > self.slots_below_5ms && !self.ladder_exhausted).then(|| {
            format!(
                "{slots} slots are more than the {} at which this machine's calibration of {} \
                 added less than 5 ms",
                self.slots_below_5ms, self.measured_at
            )
        })
    }

    /// Why so many turns a second are more than the machine can carry; none where they are not.
    pub fn too_fast(&self, turns_per_s: f64) -> Option<String> {
        (self.turns_per_s > 0.0 && turns_per_s > RESERVE * self.turns_per_s).then(|| {
            format!(
                "{turns_per_s:.0} turns/s are more than {:.0} % of the {:.0} that this machine's \
                 calibration of {} sustained",
                RESERVE * 100.0,
                self.turns_per_s,
                self.measured_at
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(slots: u32, ttft_p99_ns: u64) -> Step {
        Step { slots, ttft_p99_ns, turns: 10, ..Step::default() }
    }

    fn calibration(latency: Vec<Step>) -> Calibration {
        let mut made = Calibration::new("1".to_owned(), "then".to_owned(), false, Host::probe());
        made.throughput = [10.0, 1000.0, 900.0]
            .map(|turns_per_s| Step { turns_per_s, ..Step::default() })
            .to_vec();
        made.latency = latency;
        made.conclude();
        made
    }

    #[test]
    fn limits_are_the_last_rungs_before_one_is_too_much() {
        let found = calibration(vec![
            rung(8, 300_000),
            rung(64, 999_999),
            rung(128, 1_000_000),
            rung(256, 900_000),
            rung(512, 7_000_000),
        ]);
        assert_eq!((found.slots_below_1ms, found.slots_below_5ms), (64, 256));
        assert!(!found.ladder_exhausted);
        assert_eq!(found.too_many_slots(256), None);
        assert!(found.too_many_slots(257).unwrap().starts_with("257 slots are more than the 256 "));
        assert_eq!(found.too_fast(800.0), None);
        assert!(found.too_fast(801.0).unwrap().contains("80 % of the 1000"));
    }

    #[test]
    fn a_ladder_that_was_never_too_much_limits_nothing() {
        let found = calibration(vec![rung(8, 1), rung(64, 1)]);
        assert_eq!((found.slots_below_1ms, found.slots_below_5ms), (64, 64));
        assert!(found.ladder_exhausted);
        assert_eq!(found.too_many_slots(4096), None);
        let failing = calibration(vec![Step { failed: 1, ..rung(8, 1) }]);
        assert_eq!(failing.slots_below_5ms, 0);
        assert!(failing.too_many_slots(1).is_some());
    }

    #[test]
    fn it_is_read_as_written_and_other_formats_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache/scenario/calibration.json");
        let written = calibration(vec![rung(8, 1)]);
        written.write(&path).unwrap();
        let read = Calibration::read(&path).unwrap();
        assert_eq!(read, written);
        assert!(read.is_of(&Host::probe()));
        assert!(!read.is_of(&Host { hostname: "other".to_owned(), ..Host::probe() }));
        Calibration { format: 2, ..written }.write(&path).unwrap();
        let error = Calibration::read(&path).unwrap_err().to_string();
        assert!(error.contains("format 2, expected 1"), "{error}");
        std::fs::write(&path, "{").unwrap();
        assert!(Calibration::read(&path).is_err());
    }
}
