//! The OpenAI chat-completions wire format, without any I/O.
//!
//! Owns what both ends of a connection speak: the SSE decoder and encoder, the chunk and reply
//! types, compact JSON, and the kinds of failure that an exchange can end in. Shared by the client
//! and the simulated endpoint; the event log stores its [`Reply`]. Uses nothing else of the crate.

mod again;
mod builder;
mod chunk;
pub mod encode;
mod excerpt;

mod failure;
pub mod json;
mod reply;
mod scan;
pub mod sse;

pub use builder::{MAX_REPLY_BYTES, ReplyBuilder, Step};
pub use excerpt::{error_message, excerpt};
pub use failure::{Failure, FailureKind};
pub use reply::{FinishReason, Reply, Text, ToolCallDelta, Usage};
