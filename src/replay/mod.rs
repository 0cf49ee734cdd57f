//! The replay engine: the only asynchronous orchestration.
//!
//! Closed loop: each slot issues one turn, waits for the whole reply, waits out the next turn's
//! recorded delay, and issues again; when its conversation ends it takes the next trajectory.
//! *When to send* ([`schedule`](Schedule)), *when to stop* ([`StopSignal`]), *how to send*
//! (`client`) and *what to send* (`prompt`) are composed in one slot loop, which exists once.
//!
//! ```text
//! slots (measuring threads)  --notes-->  recorder (its own thread)  -->  observers: log, metrics, checks
//! ```
//!
//! Nothing on a measuring thread hashes, encodes or draws. Uses every lower layer's values;
//! writes no file and prints nothing.

mod digest;
mod live;
mod meter;
mod note;
mod point;
mod probe;
mod recorder;
mod schedule;
mod settings;
mod slot;
mod stop;
mod threads;
mod warmup;

pub use digest::{ReplayDigest, planned_digest};
pub use live::Live;
pub use note::{Notes, ThreadIndex};
pub use point::{PointReplay, ReplayError, replay, replay_on};
pub use recorder::{RecordError, Recorded, Recorder, RecorderHandle, RecorderSetup};
pub use schedule::{Schedule, Skipped};
pub use settings::Settings;
pub use stop::{StopHandle, StopLevel, StopSignal, stop_channel};
pub use threads::Threads;
pub use warmup::{WarmupReport, WarmupRequest, warm_up};
