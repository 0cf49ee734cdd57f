//! Lines to events: our own logs and the reference client's.
//!
//! Owns the streaming [`Reader`] (one line in memory, bounded), the shapes of a line, and the
//! reassembly of a logged reply.

mod error;
mod line;
mod reply;
mod stream;

pub use error::{ReadError, ReadErrorKind};
pub use stream::Reader;
