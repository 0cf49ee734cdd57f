//! (to be written)
pub mod order;
