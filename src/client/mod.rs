//! The client side of one HTTP exchange, precisely timed.
//!
//! Owns connections (TCP, TLS, in-memory pipe), the request head, one exchange from issue to last
//! byte, and the classification of everything that can go wrong. Generic over the byte stream, so
//! that the same HTTP stack runs over an in-memory pipe under virtual time. Uses `clock` and
//! `wire`; knows nothing of scenarios, data sets or logs.

mod model;

pub use model::{Connect, Exchange, Rope};
