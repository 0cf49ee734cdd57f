//! The `scenario` binary.

use std::process::ExitCode;

/// Replies are built on the slots' threads and dropped on the recorder's, which costs the system's
/// allocator a lock each time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    scenario::cli::main()
}
