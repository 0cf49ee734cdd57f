//! `scenario dataset`: look at data set files without a scenario, and make them.

mod convert;
mod generate;
mod inspect;
mod validate;

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::dataset::StoreError;

const EXAMPLES: &str = "\
Examples:
  scenario dataset validate datasets/*.jsonl     every rule of the format, row by row
  scenario dataset inspect datasets/coding.jsonl counts and spreads
  scenario dataset generate official-shape --out set.jsonl
  scenario dataset convert log.jsonl --out set.jsonl   recorded conversations of other tools

Files ending in .gz or .zst are decompressed.";

/// Check data sets, look into them, or make some
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

/// What to do with data sets.
#[derive(Debug, clap::Subcommand)]
enum Verb {
    Validate(validate::Args),
    Inspect(inspect::Args),
    Generate(generate::Args),
    Convert(convert::Args),
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    match &args.verb {
        Verb::Validate(args) => validate::run(args, context),
        Verb::Inspect(args) => inspect::run(args, context),
        Verb::Generate(args) => generate::run(args, context),
        Verb::Convert(args) => convert::run(args, context),
    }
}

/// A count with its noun.
fn count(n: u64, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// Why a data set file could not be written.
fn store_failure(error: &StoreError) -> Failure {
    match error {
        StoreError::Exists(_) => {
            Failure::usage(error.to_string()).help("choose another name, or give --force")
        }
        StoreError::Zstandard(_) => {
            Failure::usage(error.to_string()).help("name it .jsonl or .jsonl.gz")
        }
        StoreError::Write { .. } => Failure::could_not(error.to_string()),
    }
}
