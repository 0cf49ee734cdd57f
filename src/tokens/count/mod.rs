//! Official counts of prompts and replies.
//!
//! [`TextCounter`] counts texts that grow out of each other without tokenising the shared part
//! again, [`PromptCounter`] does so for a conversation's requests, [`ReplyCounter`] counts
//! replies, and [`count_all`] does all of it on a pool of threads, with progress and a way to stop.
//! In: messages, tools and replies as values. Out: numbers of tokens.

mod pool;
mod prompt;
mod reply;
mod text;

pub use pool::{Counts, Pool, Progress, Session, SessionCounts, Source, count_all};
pub use prompt::PromptCounter;
pub use reply::{Method, ReplyCounter, ReplyCounts};
pub use text::TextCounter;
