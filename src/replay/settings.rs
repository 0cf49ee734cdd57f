//! How turns are issued.

use std::time::Duration;

use crate::scenario::model::{Tail, ToolDelays};

/// How turns are issued.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The longest time from a turn's issue to the end of its reply.
    pub turn_timeout: Duration,
    /// What becomes of recorded delays.
    pub tool_delays: ToolDelays,
    /// What happens after the performance window.
    pub tail: Tail,
}
