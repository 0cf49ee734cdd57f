//! When to send: the trajectories that are left, and the performance window.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::plan::Assignment;

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
    fn the_window_closes_once() {
        let schedule = Schedule::new(Arc::new([Assignment { conversation: 7, pass: 1 }]));
        assert_eq!(schedule.take(), Some((0, Assignment { conversation: 7, pass: 1 })));
        assert_eq!(schedule.take(), None);
        assert!(!schedule.window_closed());
        assert!(schedule.close_window());
        assert!(!schedule.close_window() && schedule.window_closed());
    }
}
