//! Data sets of recorded trajectories.
//!
//! Owns the trajectory types, the streaming reader of flat JSON Lines (plain, gzip or zstd) with
//! every rule of the format checked, and the facts and statistics of a file. Bytes in, checked
//! trajectories and diagnostics out; memory holds one trajectory at a time. Also generates sets, and imports
//! recorded conversations of other tools.
//! Uses `diagnostics`, `digest`, `rng` and `wire` (compact JSON).

mod calls;
mod conversation;
mod facts;
mod findings;
pub mod generate;
pub mod import;
mod json;
mod lines;
mod model;
mod raw;
mod reader;
mod row;
mod shared_ids;
mod source;
mod statistics;
mod store;

pub use facts::Facts;
pub use model::{Message, Row, ToolResult, Trajectory};
pub use raw::{RawError, raw_conversations};
pub use reader::{Limits, ReadError, Reader};
pub use shared_ids::SharedIds;
pub use source::Compression;
pub use statistics::{Quantiles, Spread, Statistics};
pub use store::{Store, StoreError, Stored};
