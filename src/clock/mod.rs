//! The only module that looks at time.
//!
//! Owns [`Clock`]: monotonic nanoseconds since the start of a run, with one wall-clock anchor, and
//! [`Timer`], which wakes at such a time, and [`stay_awake`], which never sleeps.
//! It reads tokio's clock, so that under tokio's paused time (tests) the whole engine runs on
//! virtual time with exact numbers. Uses nothing else of the crate.

mod awake;
#[cfg(target_os = "linux")]
mod exact;
mod monotonic;
mod timer;

pub use awake::stay_awake;
pub use monotonic::{Clock, Nanos, nanos, wall_now};
pub use timer::Timer;
