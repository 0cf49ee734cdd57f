//! The scenario file as types: one file per YAML section.
//!
//! The types are the single source of the JSON schema: doc comments become the schema's
//! descriptions, defaults its defaults. A value of these types has passed the schema but not the
//! checks of meaning; those are `validate`'s. Optional keys that are absent stay absent, so that
//! nothing is sent or stated that the author did not write.

mod accuracy;
mod audit;
mod cache;
mod compliance;
mod datasets;
mod document;
mod endpoint;
mod load;
mod mix;
mod sampling;
mod simulated;
mod submission;
mod sweep;
mod target;
mod tool_delays;

pub use accuracy::{Accuracy, SweBench};
pub use audit::{Audit, OutputCaching};
pub use cache::{Cache, GeneratedTokens};
pub use compliance::{Check, CheckSeverity, Compliance};
pub use datasets::Dataset;
pub use document::{Log, Scenario, SchemaVersion};
pub use endpoint::Endpoint;
pub use load::{Load, Tail, Warmup};
pub use mix::{Mix, Order};
pub use sampling::Sampling;
pub use simulated::{PrefixCache, Replies, Simulated};
pub use submission::{
    Checkpoint, DatasetDisclosure, Division, DpShortfall, NodesUsed, PointStatement, Submission,
    WarmupStatement,
};
pub use sweep::Concurrency;
pub use target::Model;
pub use tool_delays::{Scaled, ToolDelays};
