//! SWE-bench through the reference's service, and results from elsewhere.
//!
//! Owns the service's protocol as types that check what they read, the list of instance ids, the
//! state file by which a job is found again, the score of a result, and, in the only two async
//! files of `accuracy`, the HTTP client (`client`) and the course of one job (`job`). Uses `client`
//! (URL and TLS), `scenario`, `clock`, `units` and `wire` (excerpts of a server's words).

mod client;
mod error;
mod files;
mod instances;
mod job;
mod plan;
mod protocol;
mod result;
mod state;

pub use client::{Service, ServiceConfig};
pub use error::{ServiceError, SweBenchError};
pub use instances::{InstanceError, InstanceIds};
pub use job::{Finished, Job, JobEvent, Timing};
pub use plan::{JobPlan, PlanError};
pub use protocol::{
    ARTIFACTS, Generation, Health, ProtocolError, RunRequest, RunState, RunStatus, Subset, Template,
};
pub use result::{ResultError, SweBenchResult};
pub use state::{JobState, StateError};
