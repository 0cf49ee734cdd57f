//! The formats and how they are told apart.

use super::super::json::Members;

/// A format that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// One object with `messages` (and `tools`) for each conversation, in OpenAI's shape.
    OpenAi,
    /// A session of Claude Code.
    ClaudeCode,
    /// A trajectory file of mini-swe-agent or SWE-agent.
    SweAgent,
    /// `conversations` with `from` and `value`.
    ShareGpt,
    /// An event log with prompts: the reference client's, or one of this program.
    Events,
    /// Requests as lengths and block hashes, as Mooncake publishes them.
    Mooncake,
}

impl Format {
    /// Every format, in the order in which they are tried.
    pub const ALL: [Self; 6] = [
        Self::SweAgent,
        Self::ClaudeCode,
        Self::ShareGpt,
        Self::Events,
        Self::OpenAi,
        Self::Mooncake,
    ];

    /// The name on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::ClaudeCode => "claude-code",
            Self::SweAgent => "swe-agent",
            Self::ShareGpt => "sharegpt",
            Self::Events => "events",
            Self::Mooncake => "mooncake",
        }
    }

    /// The format that an object's keys show.
    pub(super) fn of(members: &Members<'_>) -> Option<Self> {
        let has = |key: &str| members.get(key).is_some();
        Self::ALL.into_iter().find(|format| match format {
            Self::SweAgent => {
                has("trajectory_format")
                    || has("trajectory")
                    || (has("info") && (has("messages") || has("history")))
            }
            Self::ClaudeCode => {
                (has("sessionId") && has("type"))
                    || (has("leafUuid") && has("summary"))
                    || (has("messageId") && has("snapshot"))
            }
            Self::ShareGpt => has("conversations"),
            Self::Events => has("event_type") && has("timestamp_ns"),
            Self::OpenAi => has("messages"),
            Self::Mooncake => has("input_length") && (has("hash_ids") || has("output_length")),
        })
    }
}
