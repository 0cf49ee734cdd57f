//! First-line support of a web shop.
//!
//! Owns the shared system prompt with its business rules, the tools and their results, the
//! intents, and the conversations. Rows out.

mod conversation;
mod records;
mod rules;
mod tools;

pub(super) use conversation::{preamble, write};
