//! `scenario package`: a submission of finished runs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::json;

use super::audit::{self, registries};
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::prepare::{self, assignment};
use crate::compliance::{Report, audit as judge};
use crate::ruleset::Ruleset;
use crate::scenario::ValidScenario;
use crate::submission::{Options, Package, Replacing, Statement, SubmissionError, package};

/// The official tool's id of a submission that has none yet.
pub(super) const PENDING: &str = "pending-submission-id";

const EXAMPLES: &str = "\
Examples:
  scenario package results/qwen/20261130T030221Z --out submissions
  scenario package r8 r12 r48 --out submissions --archive       single run folders
  scenario package logs/r64 --out submissions --scenario qwen.yaml
                              another client's run; the scenario says what it lacks
  scenario package results/qwen/20261201T101500Z/points/r64 --out submissions --replace

Makes DIR/<organisation>/<id>/ with results/, src/ and docs/, prints its digest and judges it. The
same runs give the same bytes. Nothing is built where two files disagree.

Exit codes:
  0 built, and no rule is broken     1 built, but the audit found errors
  2 the runs make no submission      3 the tree cannot be written";

/// Assemble a submission from run folders
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Args {
    /// Run folders, result directories, or submissions
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Where to make <organisation>/<id>
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The scenario that says what the run folders lack: system, power, implementation, docs
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// Set a value of that scenario. May be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment, requires = "scenario")]
    set: Vec<(String, String)>,
    /// The submission's id
    #[arg(long, value_name = "ID", default_value = PENDING, value_parser = id)]
    id: String,
    /// Pack the tree as <id>.tar.gz beside it, too
    #[arg(long)]
    archive: bool,
    /// Add the points to the submission that is there
    #[arg(long, conflicts_with_all = ["replace", "force"])]
    add: bool,
    /// Put the points in the place of those of the submission that is there
    #[arg(long, conflicts_with = "force")]
    replace: bool,
    /// Replace the whole submission that is there
    #[arg(long)]
    force: bool,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How the result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The tree's digest and its path
    #[default]
    Text,
    /// One JSON document
    Json,
}

fn id(text: &str) -> Result<String, String> {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !text.is_empty() && text.len() <= 100 && text.chars().all(valid) {
        Ok(text.to_owned())
    } else {
        Err("letters, digits, `_` and `-`; 100 at most".to_owned())
    }
}

/// Builds the tree and judges it.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let scenario = args.scenario.as_ref();
    let scenario = scenario.map(|file| prepare::scenario(file, &args.set, context)).transpose()?;
    let statement = scenario.as_ref().map(statement).transpose()?;
    let options = Options {
        out: &args.out,
        id: &args.id,
        statement: statement.as_ref(),
        replacing: match (args.add, args.replace, args.force) {
            (true, ..) => Replacing::Add,
            (_, true, _) => Replacing::Points,
            (.., true) => Replacing::Whole,
            _ => Replacing::Nothing,
        },
        archive: args.archive,
    };
    let built = package(&args.runs, &options).map_err(|error| failure(&error))?;
    let ruleset = scenario.as_ref().and_then(ValidScenario::ruleset);
    let report = judged(&built.root, ruleset, context)?;
    say(&built, &report, context);
    match args.format {
        Format::Text => {
            context.console.out_line(&format!("sha256 {}", built.digest))?;
            context.console.out_line(&built.root.display().to_string())?;
        }
        Format::Json => context.console.out_line(&document(&built, &report))?,
    }
    Ok(if report.passes(false) { ExitStatus::Success } else { ExitStatus::Findings })
}

/// The submission section of a scenario that must have one.
fn statement(scenario: &ValidScenario) -> Result<Statement<'_>, Failure> {
    let read = Statement::read(scenario).map_err(|error| failure(&error))?;
    read.ok_or_else(|| {
        Failure::usage("--scenario: the scenario has no `submission` section")
            .help("README.md says what it holds")
    })
}

/// Judges a tree by a ruleset, or by the newest one.
pub(super) fn judged(
    root: &Path,
    ruleset: Option<&Ruleset>,
    context: &Context,
) -> Result<Report, Failure> {
    let newest = || Ruleset::all().last().ok_or_else(|| Failure::usage("there is no ruleset"));
    let ruleset = ruleset.map_or_else(newest, Ok)?;
    Ok(judge(root, ruleset, &registries(ruleset, context)))
}

/// Says what was built, and what the audit thinks of it.
pub(super) fn say(built: &Package, report: &Report, context: &Context) {
    let console = &context.console;
    let label = if built.simulated { ", SIMULATED: no results of a real system" } else { "" };
    console.message(&format!("submission: {} points, {} files{label}", built.points, built.files));
    if let Some(archive) = &built.archive {
        console.message(&format!("archive: {}", archive.display()));
    }
    audit::show(report, context);
}

fn document(built: &Package, report: &Report) -> String {
    use crate::diagnostics::Severity;
    json!({
        "path": built.root,
        "sha256": built.digest,
        "points": built.points,
        "files": built.files,
        "archive": built.archive,
        "simulated": built.simulated,
        "audit": {
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
        },
    })
    .to_string()
}

/// Why there is no submission, as a failure of the command.
pub(super) fn failure(error: &SubmissionError) -> Failure {
    let failure = match error {
        SubmissionError::Write { .. } | SubmissionError::Read { .. } => {
            Failure::could_not(error.to_string())
        }
        _ => Failure::usage(error.to_string()),
    };
    match error.help() {
        Some(help) => failure.help(help),
        None => failure,
    }
}
