//! The integration tests, one module per subject, in one binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop, in its helpers too")]

mod accuracy;
mod architecture;
mod audit;
mod cli;
mod client;
mod datasets;
mod probe;
mod replay;
mod results;
mod scenarios;
mod simulator;
mod submission;
mod tokens;
