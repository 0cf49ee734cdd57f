//! `scenario plan`: what would run, without an endpoint.

mod summary;
mod text;

use clap::ValueEnum;

use self::summary::Summary;
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::prepare::{ScenarioArgs, prepare};
use crate::replay::planned_digest;
use crate::units::HumanDuration;

const EXAMPLES: &str = "\
Examples:
  scenario plan scenarios/quickstart.yaml
  scenario plan my-bench.yaml --set mix.passes=4 --turn-time 12s
  scenario plan my-bench.yaml --digest       the replay digest that a run's self_check.json holds";

/// Show what would run: points, requests, bytes, delays, expected duration
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Print only the replay digest: SHA-256 over every request of the plan, in order
    #[arg(long)]
    digest: bool,
    /// Assume that a turn takes so long, for the expected duration. By default what the simulated
    /// endpoint's model says, or 5s on a real one
    #[arg(long, value_name = "DURATION")]
    turn_time: Option<HumanDuration>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// Loads everything and prints the plan.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let prepared = prepare(&args.scenario, context)?;
    if args.digest {
        let digest = planned_digest(&prepared.library, &prepared.plan.sequence);
        context.console.out_line(&digest)?;
        return Ok(ExitStatus::Success);
    }
    let summary = Summary::new(&prepared, args.turn_time.map(HumanDuration::get));
    match args.format {
        Format::Text => context.console.out(&text::render(&summary))?,
        Format::Json => {
            let json = serde_json::to_string_pretty(&summary)
                .map_err(|error| Failure::could_not("the plan as JSON").because(&error))?;
            context.console.out_line(&json)?;
        }
    }
    Ok(ExitStatus::Success)
}
