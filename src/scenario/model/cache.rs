//! `cache`: what a server's prefix cache may and may not reuse.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a server's prefix cache may and may not reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cache {
    /// Put the benchmark's two salt markers around the system prompt, so that nothing is shared
    /// between passes and only the system prompt between conversations.
    pub salt: bool,
    /// Whether blocks that the server generated may serve the next turn's history.
    pub generated_tokens: GeneratedTokens,
}

impl Default for Cache {
    fn default() -> Self {
        Self { salt: true, generated_tokens: GeneratedTokens::default() }
    }
}

/// Whether blocks that the server generated may serve the next turn's history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GeneratedTokens {
    /// No: recorded assistant texts in the history get one leading space.
    #[default]
    Clear,
    /// Yes: the history is sent exactly as recorded.
    Keep,
}
