//! `scenario calibrate`: what this client machine can sustain.
//!
//! Replays made-up conversations with the engine of `scenario run` against the simulated endpoint
//! in a process of its own, rung by rung, and keeps what it finds for later runs.

mod ladder;
mod observer;
mod output;
mod server;
mod step;

use std::path::PathBuf;

use clap::ValueEnum;

use self::ladder::Ladder;
use self::step::Bench;
use super::calibration::default_path;
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::clock::{Clock, wall_now};
use crate::host::{self, Host};
use crate::results::{Calibration, rfc3339};

const EXAMPLES: &str = "\
Examples:
  scenario calibrate                     two minutes; later runs are held against what it finds
  scenario calibrate --format json       the same as JSON on stdout
  scenario calibrate --quick --out q.json   some seconds, to see that it works

Keep the machine as idle as it is when you measure. The endpoint shares it with the client, so what
is found is less than the machine can do against a server elsewhere.

The result is kept in $XDG_CACHE_HOME/scenario/calibration.json (~/.cache/scenario/…), where
`scenario run` finds it; a run never needs one.";

/// Find out what this machine can sustain as a client
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Some seconds instead of two minutes; too short to rely on, and only kept with --out
    #[arg(long)]
    quick: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to keep the result instead of the cache directory; replaced if it is there
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Conclusions and the ladder, for people
    #[default]
    Text,
    /// What is kept, as JSON
    Json,
}

/// Measures, prints and keeps.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::could_not("this program's own file cannot be found").because(&error)
    })?;
    let limits = host::raise_open_files();
    let mut made = Calibration::new(
        env!("CARGO_PKG_VERSION").to_owned(),
        rfc3339(wall_now()),
        args.quick,
        Host::probe(),
    );
    made.clock_resolution_ns = clock_resolution();
    made.connections_by_files = limits.connections();
    let ports = host::local_ports();
    made.connections_by_ports =
        ports.map(|(first, last)| u64::from(last.saturating_sub(first)) + 1);
    let most = made.connections_by_files.unwrap_or(u64::MAX);
    let bench = Bench::new(program)?;
    let ladder = if args.quick { Ladder::quick() } else { Ladder::full() }.up_to(most);
    ladder.climb(&bench, &mut made, &context.console)?;
    made.conclude();

    let text = match args.format {
        Format::Text => output::text(&made, limits, ports),
        Format::Json => output::json(&made),
    };
    context.console.out_line(&text)?;
    keep(args, context, &made)?;
    Ok(ExitStatus::Success)
}

fn keep(args: &Args, context: &Context, made: &Calibration) -> Result<(), Failure> {
    let path = match &args.out {
        Some(path) => Some(path.clone()),
        None if args.quick => None,
        None => default_path(context),
    };
    let Some(path) = path else {
        let why =
            if args.quick { "it is too short to rely on" } else { "there is no home directory" };
        context.console.message(&format!("the result is not kept: {why}; --out FILE keeps it"));
        return Ok(());
    };
    made.write(&path).map_err(|error| {
        Failure::could_not(error.to_string()).help("keep the result elsewhere with --out FILE")
    })?;
    context.console.message(&format!("kept in {}", path.display()));
    Ok(())
}

/// The smallest step of the clock in many looks at it.
fn clock_resolution() -> u64 {
    let clock = Clock::start();
    let looks: Vec<u64> = (0..10_000).map(|_| clock.now()).collect();
    let steps = looks.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0);
    steps.min().unwrap_or_default()
}
