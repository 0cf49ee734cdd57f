//! `scenario schema`: the JSON schema of scenario files.

use std::path::PathBuf;

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::scenario::json_schema_text;

const EXAMPLES: &str = "\
Examples:
  scenario schema > schemas/scenario.schema.json           write the schema
  scenario schema --check schemas/scenario.schema.json     fail unless the file is current

An editor with a YAML language server completes and checks a scenario that starts with
  # yaml-language-server: $schema=../schemas/scenario.schema.json";

/// Print the JSON schema of scenario files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Compare the schema with this file instead of printing it
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let current = json_schema_text();
    let Some(file) = &args.check else {
        context.console.out(&current)?;
        return Ok(ExitStatus::Success);
    };
    let name = file.display();
    let found = std::fs::read_to_string(file).map_err(|error| {
        Failure::usage(format!("{name}: cannot read the schema to check")).because(&error)
    })?;
    if found == current {
        context.console.message(&format!("{name}: the schema is current"));
        return Ok(ExitStatus::Success);
    }
    let line = found.lines().zip(current.lines()).take_while(|(a, b)| a == b).count() + 1;
    Err(Failure::Findings(format!(
        "error: {name}:{line}: the schema is not the one that this program generates\n\n\
         help: scenario schema > {name}\n"
    )))
}
