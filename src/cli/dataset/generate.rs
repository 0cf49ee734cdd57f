//! `scenario dataset generate`: a synthetic data set.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{count, store_failure};
use crate::cli::context::Context;
use crate::cli::failure::{ExitStatus, Failure};
use crate::dataset::Store;
use crate::dataset::generate::{self, Request, Scale};
use crate::units::bytes;

const EXAMPLES: &str = "\
Examples:
  scenario dataset generate official-shape --out set.jsonl
  scenario dataset generate coding --scale 0.25 --turns 40 --context 120kB --out small.jsonl.gz
  scenario dataset generate workflow --seed 7 --out workflow.jsonl --force

Equal arguments write equal bytes on every machine. Nothing that is written is real: numbers
measured with it compare with nothing but themselves.

Exit codes: 0 written, 2 wrong usage or the file exists, 3 it cannot be written";

/// Write a synthetic data set: seeded, plausible, of any size
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// What it looks like
    #[arg(value_enum)]
    profile: Profile,
    /// The file to write; names in .gz are compressed
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Other seeds give other conversations
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// Multiplies the number of trajectories
    #[arg(long, value_name = "FACTOR", default_value_t)]
    scale: Scale,
    /// Client turns of the average trajectory [default: the profile's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    turns: Option<u64>,
    /// Size of the longest conversations in the file, such as 200kB [default: the profile's]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    context: Option<u64>,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
}

/// The profiles by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// Software work with a shell: deep, histories grow fast
    Coding,
    /// First-line support of a web shop: shallow, a large shared system prompt, intent codes
    Workflow,
    /// Counts and size of the official set: 113 + 500 trajectories, about 59 MB
    OfficialShape,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let request = Request {
        profile: match args.profile {
            Profile::Coding => generate::Profile::Coding,
            Profile::Workflow => generate::Profile::Workflow,
            Profile::OfficialShape => generate::Profile::OfficialShape,
        },
        seed: args.seed,
        scale: args.scale,
        turns: args.turns,
        context: args.context,
    };
    let mut store = Store::create(&args.out, args.force).map_err(|error| store_failure(&error))?;
    let summary = generate::generate(&request, &mut store).map_err(|error| {
        Failure::could_not(format!("cannot write the data set {}", args.out.display()))
            .because(&error)
    })?;
    let stored = store.finish().map_err(|error| store_failure(&error))?;
    context.console.message(&format!(
        "{}: {}, {}, {}, {}; {} of text",
        args.out.display(),
        count(summary.trajectories, "trajectory", "trajectories"),
        count(summary.client_turns, "client turn", "client turns"),
        count(summary.assistant_turns, "assistant turn", "assistant turns"),
        count(summary.tool_calls, "tool call", "tool calls"),
        bytes(summary.bytes),
    ));
    context.console.message(&format!("sha256: {}", stored.sha256));
    Ok(ExitStatus::Success)
}

/// A whole number of bytes, kB or MB.
fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let factor = match text.get(digits.len()..).unwrap_or_default().trim() {
        "" | "B" => 1,
        "k" | "kB" | "KB" => 1000,
        "M" | "MB" => 1_000_000,
        _ => 0,
    };
    match digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)) {
        Some(bytes @ 1000..=200_000_000) => Ok(bytes),
        _ => Err("expected a size from 1kB to 200MB, such as 200kB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_have_units() {
        assert_eq!(
            ["1000", "200kB", "2 MB", "5k"].map(size),
            [1000, 200_000, 2_000_000, 5000].map(Ok)
        );
        for text in ["", "kB", "-1", "10", "1.5MB", "1GB", "99999999999999999999", "1000MB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
