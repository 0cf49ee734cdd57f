//! Who sees the events of a point: the log, the metrics, the self-check.

use std::io;

use crate::events::{Event, Observer, Writer};
use crate::metrics::{Collector, SelfCheck};
use crate::results::EventLog;

/// Log, metrics and self-check of one point, fed by the same events.
pub(super) struct PointObserver {
    /// events.jsonl.
    pub(super) log: Writer<EventLog>,
    /// The numbers.
    pub(super) collector: Collector,
    /// The independent counters.
    pub(super) self_check: SelfCheck,
}

impl PointObserver {
    /// An observer that has seen nothing.
    pub(super) fn new(log: Writer<EventLog>) -> Self {
        Self { log, collector: Collector::new(), self_check: SelfCheck::new() }
    }
}

impl Observer for PointObserver {
    fn observe(&mut self, event: &Event) -> io::Result<()> {
        self.collector.push(event);
        self.self_check.push(event);
        self.log.write(event)
    }
}
