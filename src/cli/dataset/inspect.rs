//! `scenario dataset inspect`: what a data set file holds and demands.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::cli::context::Context;
use crate::cli::counting::load_reference;
use crate::cli::failure::{ExitStatus, Failure};
use crate::clock::wall_now;
use crate::dataset::{Limits, Reader};
use crate::diagnostics::{SourceMap, render_human};
use crate::inspect::{File, Meter, Survey};
use crate::results::replace_file;

const EXAMPLES: &str = "\
Examples:
  scenario dataset inspect datasets/coding.jsonl
  scenario dataset inspect --tokenizer models/qwen --slots 8,64 --kv-bytes-per-token 98304 set.jsonl
  scenario dataset inspect --format json set.jsonl.zst
  scenario dataset inspect --html set.html set.jsonl

Without --tokenizer token counts are estimates and are called so.

Exit codes: 0 fine, 1 the data set has errors (its usable trajectories are counted all the same),
2 wrong usage, a file cannot be opened or the page exists, 3 the page cannot be written";

/// Look into a data set: counts and spreads, what prompts share, what slots hold, what is scored
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The data set file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Count tokens with the tokenizer and chat template of this model directory
    #[arg(long, value_name = "DIR")]
    tokenizer: Option<PathBuf>,
    /// `chat_template_kwargs` for the chat template, a JSON object
    #[arg(long, value_name = "JSON", value_parser = kwargs, requires = "tokenizer")]
    template_kwargs: Option<Map<String, Value>>,
    /// Say what so many active conversations hold in the KV cache
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    slots: Vec<u32>,
    /// Bytes that the KV cache takes for a token
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    kv_bytes_per_token: Option<u64>,
    /// Write a page for browsers, in one file, too
    #[arg(long, value_name = "PAGE")]
    html: Option<PathBuf>,
    /// Overwrite the page
    #[arg(long)]
    force: bool,
}

/// How to print what a data set holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    if let Some(page) = &args.html
        && !args.force
        && page.symlink_metadata().is_ok()
    {
        return Err(Failure::usage(format!("{} exists", page.display()))
            .help("choose another name, or give --force"));
    }
    let mut reader = Reader::open(&args.file, Limits::default())
        .map_err(|error| Failure::usage(error.to_string()))?;
    let reference = match &args.tokenizer {
        Some(directory) => Some(load_reference(directory, wall_now())?),
        None => None,
    };
    let kwargs = args.template_kwargs.clone().unwrap_or_default();
    let failed = |error: &dyn std::error::Error| {
        Failure::could_not("tokens cannot be counted").because(error)
    };
    let mut meter = match &reference {
        Some(reference) => Meter::exact(reference, &kwargs).map_err(|error| failed(&error))?,
        None => Meter::estimate(),
    };
    let mut survey = Survey {
        estimated: meter.is_estimate(),
        slots: slots(args),
        kv_bytes_per_token: args.kv_bytes_per_token,
        ..Survey::default()
    };
    while let Some(trajectory) = reader.next_trajectory() {
        survey.add(&trajectory, &mut meter).map_err(|error| failed(&error))?;
    }
    let file = File { path: args.file.clone(), facts: reader.finish() };
    let findings = reader.diagnostics();
    console.findings(&render_human(findings, &SourceMap::default(), console.stderr_color()));
    match args.format {
        Format::Text => console.out(&survey.text(&file))?,
        Format::Json => console.out_line(&format!("{:#}", survey.document(&file)))?,
    }
    if let Some(page) = &args.html {
        write_page(page, &survey.html(&file))?;
        console.message(&format!("{}: written", page.display()));
    }
    Ok(if reader.errors() == 0 { ExitStatus::Success } else { ExitStatus::Findings })
}

/// The slots asked for; one where only the bytes of a token are given.
fn slots(args: &Args) -> Vec<u32> {
    if args.slots.is_empty() && args.kv_bytes_per_token.is_some() {
        return vec![1];
    }
    args.slots.clone()
}

fn write_page(page: &Path, html: &str) -> Result<(), Failure> {
    replace_file(page, html.as_bytes()).map_err(|error| Failure::could_not(error.to_string()))
}

/// A JSON object.
fn kwargs(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text)
        .map_err(|_| "expected a JSON object, such as {\"preserve_thinking\": true}".to_owned())
}
