//! Never sleeping.

/// Keeps the event loop that this runs on looking at its sockets and timers, again and again,
/// instead of sleeping until the system wakes it: waking up takes time, and stamps are as late.
/// Takes all of one processor; never returns.
///
/// Only for single-threaded runtimes: on others a thread that sleeps may hold the sockets.
pub async fn stay_awake() -> std::convert::Infallible {
    loop {
        tokio::task::yield_now().await;
    }
}
