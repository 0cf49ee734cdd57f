//! `scenario completions`: shell completion.

use clap_complete::Shell;

use super::context::Context;
use super::failure::{ExitStatus, Failure};

const EXAMPLES: &str = "\
Examples:
  scenario completions bash > ~/.local/share/bash-completion/completions/scenario
  scenario completions zsh > \"${fpath[1]}/_scenario\"
  scenario completions fish > ~/.config/fish/completions/scenario.fish";

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script to stdout.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::app::command(), "scenario", &mut script);
    context.console.out(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Success)
}
