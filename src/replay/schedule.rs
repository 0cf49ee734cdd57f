//! When to send: the trajectories that are left, the delays, and the performance window.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crate::clock::{Nanos, nanos};
use crate::plan::Assignment;

/// What becomes of the recorded think and tool times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ToolDelays {
    /// Waited out as recorded.
    #[default]
    Recorded,
    /// Left out.
    None,
    /// Multiplied, then cut off.
    Scaled {
        /// The factor; not negative.
        scale: f64,
        /// The longest delay; none for no limit.
        max: Option<Duration>,
    },
}

impl ToolDelays {
    /// The delay to wait for a recorded one, in nanoseconds.
    pub fn apply(self, recorded: Nanos) -> Nanos {
        match self {
            Self::Recorded => recorded,
            Self::None => 0,
            Self::Scaled { scale, max } => {
                let scaled = Duration::from_nanos(recorded).as_secs_f64() * scale;
                let scaled = Duration::try_from_secs_f64(scaled).unwrap_or(Duration::MAX);
                nanos(max.map_or(scaled, |max| scaled.min(max)))
            }
        }
    }
}

/// What happens to conversations that still run when the performance window has closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// They are replayed to their end, outside the performance numbers.
    #[default]
    Drain,
    /// They end with the turn in flight.
    Stop,
}

/// Why turns of the plan were not issued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// The scenario ends the replay with the performance window (`load.tail: stop`).
    pub tail: u64,
    /// The run was interrupted.
    pub interrupted: u64,
}

impl Skipped {
    /// All turns that were not issued.
    pub fn total(self) -> u64 {
        self.tail + self.interrupted
    }
}

/// Hands trajectories to slots and knows whether the performance window is open.
#[derive(Debug)]
pub struct Schedule {
    sequence: Arc<[Assignment]>,
    next: AtomicUsize,
    window_closed: AtomicBool,
}

impl Schedule {
    /// Every trajectory of `sequence` is left, and the window is open.
    pub fn new(sequence: Arc<[Assignment]>) -> Self {
        Self { sequence, next: AtomicUsize::new(0), window_closed: AtomicBool::new(false) }
    }

    /// The next trajectory with its position in the sequence; none when none is left.
    pub fn take(&self) -> Option<(usize, Assignment)> {
        let position = self.next.fetch_add(1, Ordering::Relaxed);
        Some((position, *self.sequence.get(position)?))
    }

    /// Closes the performance window: the rule is that it closes when the first slot finds no
    /// trajectory left. True for that first slot only.
    pub fn close_window(&self) -> bool {
        !self.window_closed.swap(true, Ordering::Relaxed)
    }

    /// Whether the performance window has closed.
    pub fn window_closed(&self) -> bool {
        self.window_closed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_kept_dropped_or_scaled_and_cut() {
        let second = 1_000_000_000;
        assert_eq!(ToolDelays::Recorded.apply(second), second);
        assert_eq!(ToolDelays::None.apply(second), 0);
        let scaled = |scale, max| ToolDelays::Scaled { scale, max }.apply(second);
        assert_eq!(scaled(0.25, None), second / 4);
        assert_eq!(scaled(4.0, Some(Duration::from_secs(2))), 2 * second);
        assert_eq!(scaled(f64::MAX, None), Nanos::MAX);
        assert_eq!(scaled(f64::NAN, Some(Duration::ZERO)), 0);
    }

    #[test]
    fn the_window_closes_once() {
        let schedule = Schedule::new(Arc::new([Assignment { conversation: 7, pass: 1 }]));
        assert_eq!(schedule.take(), Some((0, Assignment { conversation: 7, pass: 1 })));
        assert_eq!(schedule.take(), None);
        assert!(!schedule.window_closed());
        assert!(schedule.close_window());
        assert!(!schedule.close_window() && schedule.window_closed());
    }
}
