//! The integration tests, one module per subject, in one binary.

mod architecture;
mod client;
mod datasets;
mod replay;
mod results;
mod simulator;
