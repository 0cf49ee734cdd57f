//! `scenario` in virtual time: `run` replays against the embedded simulated endpoint on a paused
//! clock, so that points of forty minutes take seconds. Results are simulated, and say so.

use std::process::ExitCode;

fn main() -> ExitCode {
    scenario::cli::main_in_virtual_time(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()
    })
}
