//! What a simulated endpoint is told.

use std::time::Duration;

use crate::units::Secret;

use super::faults::Fault;

/// The settings of a simulated endpoint. The default answers at once, from the record.
#[derive(Clone, Debug)]
pub struct Config {
    /// Time from a request to its first fragment, without prefill.
    pub ttft: Duration,
    /// Time from one streamed fragment to the next.
    pub inter_token: Duration,
    /// Prompt tokens a second that are computed, counting only those not in the prefix cache;
    /// none costs no time.
    pub prefill_rate: Option<f64>,
    /// By how much each further running request stretches prefill and inter-token time: the
    /// factor is `1 + batch_slowdown × (running - 1)`.
    pub batch_slowdown: f64,
    /// How many requests run at once; the others wait in order of arrival. None is no limit.
    pub max_running: Option<usize>,
    /// Tokens in a streamed fragment (4 bytes of text each).
    pub chunk_tokens: u32,
    /// Where replies come from.
    pub replies: ReplySource,
    /// What is answered where the record has nothing, and always with [`ReplySource::Scripted`].
    pub script: Script,
    /// The prefix cache.
    pub cache: CacheConfig,
    /// Whether a reply that was given once is given at once when the same prompt comes again,
    /// whatever its salt: a server that cheats, for tests of the audit.
    pub output_cache: bool,
    /// The key under which reasoning is sent: `reasoning_content` or `reasoning`.
    pub reasoning_field: String,
    /// The models that are served; a request for another one is refused with 404. Empty takes
    /// every name.
    pub models: Vec<String>,
    /// The header that names the session.
    pub session_header: String,
    /// Seeds scripted replies, wrong replies and ids.
    pub seed: u64,
    /// When token counts are sent with a stream.
    pub usage: UsageReport,
    /// What goes wrong; the first fault that hits a request is the one that it gets.
    pub faults: Vec<Fault>,
    /// The key that requests must carry, where there is one.
    pub api_key: Option<Secret>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            ttft: Duration::ZERO,
            inter_token: Duration::ZERO,
            prefill_rate: None,
            batch_slowdown: 0.0,
            max_running: None,
            chunk_tokens: 1,
            replies: ReplySource::Recorded { wrong_share: 0.0 },
            script: Script::default(),
            cache: CacheConfig::default(),
            output_cache: false,
            reasoning_field: "reasoning_content".to_owned(),
            models: Vec::new(),
            session_header: "x-session-id".to_owned(),
            seed: 42,
            usage: UsageReport::WhenAsked,
            faults: Vec::new(),
            api_key: None,
        }
    }
}

/// Where replies come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReplySource {
    /// The data set's own reply to the same turn; scripted where it has none.
    Recorded {
        /// The share of replies, from 0 to 1, that are garbled (same length, other letters), so
        /// that accuracy scores can be seen to fall.
        wrong_share: f64,
    },
    /// Made-up replies, the same for the same request.
    Scripted,
}

/// The shape of scripted replies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Script {
    /// Fragments of reasoning.
    pub reasoning_chunks: u32,
    /// Fragments of text.
    pub content_chunks: u32,
    /// The share, from 0 to 1, of requests with tools that are answered with a tool call.
    pub tool_call_share: f64,
}

impl Default for Script {
    fn default() -> Self {
        Self { reasoning_chunks: 8, content_chunks: 16, tool_call_share: 0.5 }
    }
}

/// The simulated prefix cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// Tokens in a block; only whole blocks are cached.
    pub block_tokens: u32,
    /// Blocks that fit; 0 turns the cache off.
    pub capacity_blocks: u32,
    /// Whether `usage` says how many prompt tokens were cached.
    pub reported: bool,
    /// Whether blocks are found whatever the salt in the system prompt: a server that cheats, for
    /// tests of the audit.
    pub ignores_salt: bool,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { block_tokens: 16, capacity_blocks: 1 << 18, reported: true, ignores_salt: false }
    }
}

/// When token counts are sent with a stream. A reply in one piece always has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageReport {
    /// When the request sets `stream_options.include_usage`.
    #[default]
    WhenAsked,
    /// Always.
    Always,
}

/// A setting that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{setting} is {found}; expected {expected}")]
pub struct ConfigError {
    /// The setting's name.
    pub setting: &'static str,
    /// Its value.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

impl Config {
    /// Checks every setting that has a range.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let error = |setting, found: &dyn ToString, expected| {
            Err(ConfigError { setting, found: found.to_string(), expected })
        };
        if let Some(rate) = self.prefill_rate
            && !(rate.is_finite() && rate > 0.0)
        {
            return error("prefill_rate", &rate, "tokens a second, more than 0");
        }
        if !(self.batch_slowdown.is_finite() && self.batch_slowdown >= 0.0) {
            return error("batch_slowdown", &self.batch_slowdown, "a factor of 0 or more");
        }
        if self.max_running == Some(0) {
            return error("max_running", &0, "1 or more");
        }
        if self.chunk_tokens == 0 {
            return error("chunk_tokens", &0, "1 or more");
        }
        if self.cache.block_tokens == 0 {
            return error("cache.block_tokens", &0, "1 or more");
        }
        if let ReplySource::Recorded { wrong_share } = self.replies
            && !(0.0..=1.0).contains(&wrong_share)
        {
            return error("wrong_share", &wrong_share, "a share from 0 to 1");
        }
        if !(0.0..=1.0).contains(&self.script.tool_call_share) {
            return error("tool_call_share", &self.script.tool_call_share, "a share from 0 to 1");
        }
        Ok(())
    }
}
