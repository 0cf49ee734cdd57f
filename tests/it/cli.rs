//! The real binary as a process: exit code, stdout, stderr, and what it leaves behind.
//!
//! A test makes a [`process::Sandbox`] (an empty directory that is the working directory of every
//! command), runs commands in it, and compares [`process::Done`] with an inline snapshot; what
//! differs from run to run (directories, ports, durations, versions) is replaced beforehand.

mod audit;
mod calibrate;
mod checks;
mod client;
mod convert;
mod faults;
pub(crate) mod fixture;
mod help;
mod init;
mod interrupt;
mod mix;
mod output_caching;
mod plan;
pub(crate) mod process;
mod readme;
mod report;
mod run;
mod secret;
