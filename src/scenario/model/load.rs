//! `load`: how the trajectories are replayed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::HumanDuration;

use super::{Concurrency, ToolDelays};

/// How the trajectories are replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The sweep: conversations in flight at each point.
    pub concurrency: Concurrency,
    /// Longest time for one turn; a turn that takes longer fails and ends its conversation.
    #[serde(default = "default_turn_timeout")]
    pub turn_timeout: HumanDuration,
    /// Which think and tool times are waited out before a turn.
    #[serde(default)]
    pub tool_delays: ToolDelays,
    /// What happens after the performance window closes.
    #[serde(default)]
    pub tail: Tail,
    /// Requests before the clock starts, excluded from every number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warmup: Option<Warmup>,
}

/// The reference configurations' turn timeout.
fn default_turn_timeout() -> HumanDuration {
    HumanDuration::from_secs(4 * 3600)
}

/// What happens after the performance window closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tail {
    /// The remaining turns are replayed, for accuracy and logs, outside the numbers.
    #[default]
    Drain,
    /// No further turn is issued.
    Stop,
}

/// Requests before the clock starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Warmup {
    /// How many.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub requests: u32,
    /// What they ask; never a text of the data sets.
    #[schemars(length(min = 1))]
    pub prompt: String,
}
