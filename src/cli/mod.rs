//! The command line: one file per command.
//!
//! The only module that prints (`console`), reads the environment (`context`), or decides the exit
//! code (`failure`). Arguments in, text on stdout and stderr and an exit code out. A command file
//! holds its `Args` (clap) and `run`, which returns a status or a [`failure::Failure`]; what the
//! command *does* lives in the layers below. May use every other module.

mod app;
mod audit;
mod calibrate;
mod calibration;
mod completions;
mod console;
mod context;
mod counting;
mod dataset;
mod export;
mod failure;
mod init;
mod package;
mod plan;
mod prepare;
mod probe;
mod progress;
mod report;
mod run;
mod schema;
mod score;
mod scoring;
mod serve;
mod validate;

pub use app::{main, main_in_virtual_time};
pub use context::MakeRuntime;
