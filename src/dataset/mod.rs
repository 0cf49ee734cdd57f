//! Data sets of recorded trajectories.
//!
//! Owns the trajectory types, the streaming reader of flat JSON Lines (plain, gzip or zstd) with
//! every rule of the format checked, and the facts of a file. Bytes in, checked trajectories and
//! diagnostics out. Uses `diagnostics`, `digest` and `wire` (compact JSON).

mod model;

pub use model::{Message, Row, ToolResult, Trajectory};
