//! Who sees the events of a point: the log, the metrics, the steady-state detector, the self-check.

use std::io;

use crate::events::{Event, Observer, Writer};
use crate::metrics::steady::Detector;
use crate::metrics::{Collector, SelfCheck};
use crate::results::EventLog;

/// The log of one point and those who watch it, fed by the same events.
pub(super) struct PointObserver {
    /// events.jsonl.
    pub(super) log: Writer<EventLog>,
    /// Everything that makes numbers of events.
    pub(super) watchers: Watchers,
}

/// Metrics, steady state and self-check of one point.
#[derive(Default)]
pub(super) struct Watchers {
    /// The numbers.
    pub(super) collector: Collector,
    /// The steady-state detector.
    pub(super) detector: Detector,
    /// The independent counters.
    pub(super) self_check: SelfCheck,
}

impl PointObserver {
    /// An observer that has seen nothing.
    pub(super) fn new(log: Writer<EventLog>) -> Self {
        Self { log, watchers: Watchers::default() }
    }
}

impl Observer for PointObserver {
    fn observe(&mut self, event: &Event) -> io::Result<()> {
        self.watchers.collector.push(event);
        self.watchers.detector.push(event);
        self.watchers.self_check.push(event);
        self.log.write(event)
    }
}
