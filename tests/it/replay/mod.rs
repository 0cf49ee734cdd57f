//! The whole engine, HTTP included, on virtual time: exact times by equality.

mod failures;
mod harness;
mod parity;
mod punctual;
mod slots;
mod threads;
mod timing;
