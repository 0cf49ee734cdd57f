//! Where the token counts of a turn come from.

use std::collections::HashMap;
use std::sync::Arc;

use crate::events::SampleId;
use crate::wire::Reply;

/// The tokens of one completed turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnTokens {
    /// Tokens of the prompt (ISL); none where they could not be counted.
    pub input: Option<u64>,
    /// Tokens of the reply (OSL).
    pub output: u64,
    /// Tokens behind the first chunk, which TPOT divides by; 0 for a reply in one piece.
    pub after_first: u64,
}

/// Counts made with the reference tokenizer, one entry for every completed turn.
pub type OfficialTokens = HashMap<SampleId, TurnTokens>;

/// Where token counts come from: never a mixture of both.
#[derive(Clone, Debug, Default)]
pub enum TokenSource {
    /// The server's own `usage`. For TPOT the text behind the first chunk counts as all output
    /// tokens but one, since a server does not say how many tokens a chunk held; the same as the
    /// official count where the first chunk is one token.
    #[default]
    ServerReported,
    /// The reference tokenizer and chat template, as the rules count.
    Official(Arc<OfficialTokens>),
}

impl TokenSource {
    /// The tokens of a turn that was answered with `reply`; none where this source does not know.
    pub fn of(&self, sample: SampleId, reply: &Reply) -> Option<TurnTokens> {
        let whole = match self {
            Self::Official(counts) => *counts.get(&sample)?,
            Self::ServerReported => {
                let usage = reply.usage?;
                TurnTokens {
                    input: Some(usage.prompt_tokens),
                    output: usage.completion_tokens,
                    after_first: usage.completion_tokens.saturating_sub(1),
                }
            }
        };
        // What came in one piece has no time per token, however its text is cut in a log.
        let after_first = if reply.chunks > 1 { whole.after_first } else { 0 };
        Some(TurnTokens { after_first, ..whole })
    }
}
