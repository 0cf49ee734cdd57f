//! Waking at a time, to a fraction of a millisecond where the system can.

use std::io;

use super::{Clock, Nanos};

/// Wakes tasks at times of a [`Clock`].
///
/// tokio's own timers wake at whole milliseconds, up to two late, which is enough for timeouts and
/// not for a recorded delay that is to be kept. An exact timer asks the kernel for the moment
/// itself (Linux; elsewhere it is as coarse as tokio's).
#[derive(Clone, Debug, Default)]
pub struct Timer {
    #[cfg(target_os = "linux")]
    exact: Option<std::sync::Arc<super::exact::Exact>>,
}

impl Timer {
    /// tokio's timers; the ones that obey its paused time.
    pub fn coarse() -> Self {
        Self::default()
    }

    /// A timer that wakes within a fraction of a millisecond. Must be made on the runtime that its
    /// users run on.
    ///
    /// # Errors
    /// When the system gives no timer, for example for want of file descriptors.
    pub fn exact() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        return Ok(Self { exact: Some(std::sync::Arc::new(super::exact::Exact::start()?)) });
        #[cfg(not(target_os = "linux"))]
        Ok(Self::default())
    }

    /// Sleeps until `deadline` of `clock`; returns at once when it has passed.
    pub async fn sleep_until(&self, clock: &Clock, deadline: Nanos) {
        #[cfg(target_os = "linux")]
        if let Some(exact) = &self.exact {
            return exact.sleep_until(clock.instant(deadline)).await;
        }
        clock.sleep_until(deadline).await;
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::nanos;

    #[tokio::test]
    async fn an_exact_timer_wakes_never_early_and_in_order() {
        let (timer, clock) = (Timer::exact().unwrap(), Clock::start());
        let start = clock.now();
        let sleeps = [7_300_u64, 900, 2_450, 2_450, 0].map(|micros| {
            let (timer, deadline) = (timer.clone(), start + micros * 1_000);
            tokio::spawn(async move {
                timer.sleep_until(&clock, deadline).await;
                (deadline, clock.now())
            })
        });
        let mut woken = Vec::new();
        for sleep in sleeps {
            woken.push(sleep.await.unwrap());
        }
        woken.sort_unstable();
        assert!(woken.iter().all(|(deadline, at)| at >= deadline), "{woken:?}");
        assert!(woken.windows(2).all(|pair| pair[0].1 <= pair[1].1 + 1_000_000), "{woken:?}");
    }

    #[tokio::test]
    async fn a_sleep_that_is_dropped_leaves_nothing_behind() {
        let (timer, clock) = (Timer::exact().unwrap(), Clock::start());
        let hour = clock.now() + nanos(Duration::from_hours(1));
        let sleep = timer.sleep_until(&clock, hour);
        let given_up = tokio::time::timeout(Duration::from_millis(2), sleep).await;
        assert!(given_up.is_err());
        assert_eq!(timer.exact.as_ref().map(|exact| exact.waiting()), Some(0));
        timer.sleep_until(&clock, clock.now() + 1_000_000).await;
    }
}
