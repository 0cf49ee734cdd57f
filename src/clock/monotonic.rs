//! Monotonic nanoseconds and the wall anchor.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

/// Monotonic nanoseconds since a [`Clock`] was started.
pub type Nanos = u64;

/// A monotonic clock that starts at zero and knows the wall time of its zero.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
    wall: SystemTime,
}

impl Clock {
    /// A clock whose zero is now.
    pub fn start() -> Self {
        Self::start_at(SystemTime::now())
    }

    /// A clock whose zero is now and is said to be `wall`; for runs that must be reproducible.
    pub fn start_at(wall: SystemTime) -> Self {
        Self { origin: Instant::now(), wall }
    }

    /// Nanoseconds since the start; saturates after 584 years.
    pub fn now(&self) -> Nanos {
        nanos(self.origin.elapsed())
    }

    /// The wall time of this clock's zero.
    pub fn wall_start(&self) -> SystemTime {
        self.wall
    }

    /// Sleeps until `deadline`; returns at once when it has passed.
    pub async fn sleep_until(&self, deadline: Nanos) {
        if deadline > self.now() {
            tokio::time::sleep_until(self.instant(deadline)).await;
        }
    }

    /// The tokio instant of a stamp of this clock, for timeouts.
    pub fn instant(&self, at: Nanos) -> Instant {
        self.origin + Duration::from_nanos(at)
    }
}

/// A duration in whole nanoseconds, saturating.
pub fn nanos(duration: Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(Nanos::MAX)
}

/// The wall time now; for file stamps and run ids, never for measuring.
pub fn wall_now() -> SystemTime {
    SystemTime::now()
}
