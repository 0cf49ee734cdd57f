//! Server-sent events, both directions, without any I/O.
//!
//! Owns the incremental [`Decoder`]: bytes in, cut anywhere, events out.

mod decoder;

pub use decoder::{Decoder, Event, MAX_EVENT_BYTES, TooLarge};
