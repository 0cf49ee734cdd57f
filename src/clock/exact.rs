//! One timer of the kernel for all sleepers.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// A `timerfd` in the runtime's own event loop, set to the earliest sleeper: it costs no thread,
/// and waking goes the way that socket events go.
#[derive(Debug)]
pub(super) struct Exact {
    shared: Arc<Shared>,
    driver: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    fd: AsyncFd<OwnedFd>,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    sleepers: BTreeMap<Key, Waker>,
    next: u64,
    /// For when the kernel's timer is set.
    armed: Option<Instant>,
}

/// A sleeper: when to wake it, and a number of its own.
type Key = (Instant, u64);

impl Exact {
    /// Makes the timer, and the task that wakes sleepers.
    #[expect(
        deprecated,
        reason = "its successor is unsafe, for types whose descriptor may change; an OwnedFd's does not"
    )]
    pub(super) fn start() -> io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let fd = AsyncFd::new(timerfd_create(TimerfdClockId::Monotonic, flags)?)?;
        let shared = Arc::new(Shared { fd, queue: Mutex::default() });
        let driven = Arc::clone(&shared);
        let driver = tokio::spawn(async move { while driven.wake_due().await.is_ok() {} });
        Ok(Self { shared, driver })
    }

    /// Sleeps until `deadline`.
    pub(super) fn sleep_until(&self, deadline: Instant) -> Sleep<'_> {
        Sleep { shared: &self.shared, deadline, key: None }
    }

    /// How many sleepers there are.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.shared.lock().sleepers.len()
    }
}

impl Drop for Exact {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Shared {
    /// Waits for the kernel's timer and wakes whoever is due.
    async fn wake_due(&self) -> io::Result<()> {
        let mut ready = self.fd.readable().await?;
        let mut count = [0; 8];
        // How often it went off does not matter; reading makes it quiet again.
        let _read = rustix::io::read(self.fd.get_ref(), &mut count);
        ready.clear_ready();
        let now = Instant::now();
        let mut queue = self.lock();
        let later = queue.sleepers.split_off(&(now + Duration::from_nanos(1), 0));
        let due = std::mem::replace(&mut queue.sleepers, later);
        queue.armed = None;
        let result = self.arm(&mut queue);
        drop(queue);
        due.into_values().for_each(Waker::wake);
        result
    }

    /// Sets the kernel's timer to the earliest sleeper, unless it is.
    fn arm(&self, queue: &mut Queue) -> io::Result<()> {
        let Some((&(first, _), _)) = queue.sleepers.first_key_value() else { return Ok(()) };
        if queue.armed.is_some_and(|armed| armed <= first) {
            return Ok(());
        }
        queue.armed = Some(first);
        // A timer of zero would be none.
        let wait = first.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let value = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        let setting = Itimerspec { it_interval: zero, it_value: value };
        timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::empty(), &setting)?;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sleeper's future; dropping it takes the sleeper out of the queue.
pub(super) struct Sleep<'a> {
    shared: &'a Shared,
    deadline: Instant,
    key: Option<Key>,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline {
            return Poll::Ready(());
        }
        let mut queue = self.shared.lock();
        let key = self.key.unwrap_or_else(|| {
            queue.next += 1;
            (self.deadline, queue.next)
        });
        queue.sleepers.insert(key, cx.waker().clone());
        let armed = self.shared.arm(&mut queue);
        drop(queue);
        self.key = Some(key);
        if armed.is_err() {
            // The kernel took the timer once and refuses it now: rather spin than never wake.
            cx.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.lock().sleepers.remove(&key);
        }
    }
}
