//! `scenario` benchmarks LLM serving under agentic load.
//!
//! One scenario file becomes closed-loop replays of recorded multi-turn trajectories against an
//! OpenAI-compatible endpoint, and leaves one run folder per point of the concurrency sweep:
//!
//! ```text
//! scenario.yaml -> scenario (three layers of validation) -> plan (points, order)
//! data sets     -> dataset (rows, checked)               -> prompt (arena, request ropes)
//!                        plan + prompt -> replay -> events -> metrics -> results -> report
//! ```
//!
//! Modules form layers. A module uses only modules of a strictly lower layer and its own
//! children; `tests/it/architecture.rs` holds that. What waits is async: clock, client, simulator,
//! replay and cli, and of accuracy only the client of the SWE-bench service.
//!
//! ```text
//! L9  cli
//! L8  submission
//! L7  report  compliance
//! L6  replay        results        recount        reference
//! L5  prompt  inspect
//! L4  plan  accuracy
//! L3  scenario
//! L2  dataset  ruleset  client  simulator  metrics
//! L1  yaml  tokens  events
//! L0  diagnostics  units  rng  digest  clock  host  wire
//! ```

pub mod accuracy;
pub mod cli;
pub mod client;
pub mod clock;
pub mod compliance;
pub mod dataset;
pub mod diagnostics;
pub mod digest;
pub mod events;
pub mod host;
pub mod inspect;
pub mod metrics;
pub mod plan;
pub mod prompt;
pub mod recount;
pub mod reference;
pub mod replay;
pub mod report;
pub mod results;
pub mod rng;
pub mod ruleset;
pub mod scenario;
pub mod simulator;
pub mod submission;
pub mod tokens;
pub mod units;
pub mod wire;
pub mod yaml;
