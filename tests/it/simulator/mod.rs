//! The simulated endpoint: over an in-memory pipe under virtual time, and over real sockets.

mod command;
mod faults;
mod latency;
mod pages;
mod refusals;
mod replies;
mod rig;
mod socket;
