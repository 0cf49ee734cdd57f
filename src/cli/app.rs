//! The `scenario` command: its arguments, and which file runs which subcommand.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use super::console::Console;
use super::context::{Context, MakeRuntime};
use super::failure::{ExitStatus, Failure};

const EXAMPLES: &str = "\
Examples:
  scenario init my-bench                          write my-bench.yaml to start from
  scenario validate scenarios/*.yaml              check files, with places and hints
  scenario plan scenarios/quickstart.yaml         show what would run, without an endpoint
  scenario run scenarios/quickstart.yaml          run it; the last line is the result directory

Exit codes:
  0 fine                             1 findings, failed turns, failed gates
  2 wrong usage or invalid input     3 could not do the job     130 interrupted";

/// Benchmark LLM serving under agentic load.
///
/// One YAML scenario file becomes one closed-loop replay of recorded multi-turn trajectories per
/// concurrency, against any OpenAI-compatible endpoint, and leaves a result directory.
#[derive(Debug, Parser)]
#[command(name = "scenario", version, after_help = EXAMPLES, disable_help_subcommand = true)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Cli {
    /// Print results and errors only: no progress, no messages
    #[arg(long, short, global = true, display_order = 1000)]
    quiet: bool,
    /// When to use colour; `auto` means on a terminal and without NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    #[arg(display_order = 1001)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Makes the subcommand enum and its dispatch, so that a command is registered by one line. A
/// command file has `Args` (its doc comment is the command's help) and `run(&Args, &Context)`.
macro_rules! commands {
    ($($module:ident => $name:ident,)*) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $($name(super::$module::Args),)*
        }

        impl Command {
            fn run(&self, context: &Context) -> Result<ExitStatus, Failure> {
                match self {
                    $(Self::$name(args) => super::$module::run(args, context),)*
                }
            }
        }
    };
}

// In the order of `scenario --help`. To register a command, add `mod <file>;` to cli/mod.rs and
// its line here, below the comment with its name.
commands! {
    // init
    init => Init,
    // validate
    validate => Validate,
    // schema
    schema => Schema,
    // plan
    plan => Plan,
    // run
    run => Run,
    // report
    report => Report,
    // serve
    serve => Serve,
    // probe
    probe => Probe,
    // dataset
    dataset => Dataset,
    // score
    score => Score,
    // package
    package => Package,
    // audit
    audit => Audit,
    // export
    export => Export,
    // calibrate
    calibrate => Calibrate,
    // completions
    completions => Completions,
}

/// The whole command, as clap sees it.
pub(super) fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command given by the process's arguments.
pub fn main() -> ExitCode {
    start(None)
}

/// The same with replays against the embedded simulated endpoint in virtual time: `runtime` makes a
/// current-thread runtime whose time is paused, so that hours pass in seconds.
pub fn main_in_virtual_time(runtime: MakeRuntime) -> ExitCode {
    start(Some(runtime))
}

fn start(virtual_time: Option<MakeRuntime>) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let color = color_argument(&arguments);
    let command = command().color(match color {
        ColorChoice::Auto => clap::ColorChoice::Auto,
        ColorChoice::Always => clap::ColorChoice::Always,
        ColorChoice::Never => clap::ColorChoice::Never,
    });
    let parsed = command
        .try_get_matches_from(arguments)
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return Console::print_clap(&error).into(),
    };
    let context = Context::of_process(cli.quiet, cli.color, virtual_time);
    let status = cli.command.run(&context).unwrap_or_else(|failure| {
        context.console.failure(&failure);
        failure.exit_status()
    });
    status.into()
}

/// The value of `--color` before clap has parsed anything, so that usage errors obey it as well.
fn color_argument(arguments: &[OsString]) -> ColorChoice {
    let mut found = ColorChoice::Auto;
    let mut texts = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
    while let Some(text) = texts.next() {
        let value = match text.as_ref() {
            "--" => break,
            "--color" => texts.next(),
            other => other.strip_prefix("--color=").map(|value| value.to_owned().into()),
        };
        found = value.and_then(|value| ColorChoice::from_str(&value, true).ok()).unwrap_or(found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn colour_is_found_before_parsing() {
        let of =
            |texts: &[&str]| color_argument(&texts.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["scenario", "--color", "never", "plan"]), ColorChoice::Never);
        assert_eq!(of(&["scenario", "plan", "--color=always"]), ColorChoice::Always);
        assert_eq!(of(&["scenario", "--", "--color=always"]), ColorChoice::Auto);
        assert_eq!(of(&["scenario", "--color", "sometimes"]), ColorChoice::Auto);
    }
}
