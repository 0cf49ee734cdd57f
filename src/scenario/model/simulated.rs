//! `endpoint.simulated`: the embedded simulated endpoint.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::simulator::Fault;
use crate::units::HumanDuration;

/// How the embedded simulated endpoint behaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Simulated {
    /// Base time to the first token.
    pub ttft: HumanDuration,
    /// Time between two tokens.
    pub inter_token: HumanDuration,
    /// Prompt tokens a second that are not in the prefix cache; absent means no such cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub prefill_rate: Option<f64>,
    /// Share by which each further request in flight slows down the time between tokens.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub batch_slowdown: f64,
    /// Tokens in one streamed chunk.
    #[schemars(range(min = 1, max = 65536))]
    pub chunk_tokens: u32,
    /// What is answered.
    pub replies: Replies,
    /// Share of recorded replies that are answered wrongly, for tests of accuracy gates.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub wrong_share: f64,
    /// The simulated prefix cache.
    pub cache: PrefixCache,
    /// Cheat: give a reply at once that was given before, whatever the salt says, so that
    /// `audit.output_caching` can be seen to notice.
    pub output_cache: bool,
    /// The key under which reasoning is streamed.
    #[schemars(length(min = 1))]
    pub reasoning_field: String,
    /// Seed of everything random in the endpoint.
    pub seed: u64,
    /// What goes wrong; the first fault that hits a request is the one that it gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

impl Default for Simulated {
    fn default() -> Self {
        Self {
            ttft: HumanDuration::from_millis(30),
            inter_token: HumanDuration::from_millis(4),
            prefill_rate: None,
            batch_slowdown: 0.0,
            chunk_tokens: 1,
            replies: Replies::Recorded,
            wrong_share: 0.0,
            cache: PrefixCache::default(),
            output_cache: false,
            reasoning_field: "reasoning_content".to_owned(),
            seed: 42,
            faults: Vec::new(),
        }
    }
}

/// What the simulated endpoint answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Replies {
    /// The data set's own assistant turn.
    #[default]
    Recorded,
    /// A made-up text of a fixed length.
    Scripted,
}

/// The simulated prefix cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PrefixCache {
    /// Tokens in one block.
    #[schemars(range(min = 1, max = 65536))]
    pub block_tokens: u32,
    /// Blocks that fit; the least recently used go first. 0 switches the cache off.
    pub capacity_blocks: u32,
    /// Cheat: reuse blocks whatever the salt says, so that the audit can be seen to notice.
    pub ignores_salt: bool,
}

impl Default for PrefixCache {
    fn default() -> Self {
        Self { block_tokens: 16, capacity_blocks: 262_144, ignores_salt: false }
    }
}
