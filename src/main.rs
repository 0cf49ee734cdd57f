//! The `scenario` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    scenario::cli::main()
}
