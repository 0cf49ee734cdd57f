//! Lines to events: our own logs and the reference client's.
//!
//! Owns the streaming [`Reader`] (one line in memory, bounded), the shapes of a line, the
//! reassembly of a logged reply, and the prompt inside an issued line.

mod error;
mod line;
mod prompt;
mod reply;
mod stream;

pub use error::{ReadError, ReadErrorKind};
pub use prompt::LoggedPrompt;
pub use stream::Reader;
