//! `scenario audit`: the compliance checker.

mod workload;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::compliance::{Kind, Registries, Report, Rule, audit_with, official_json};
use crate::diagnostics::{Severity, render_github, render_human, render_json, render_sarif};
use crate::ruleset::Ruleset;
use crate::yaml::nearest;

/// What is said of run folders without their data sets.
const NO_WORKLOAD: &str = "delays and bodies are not held against the data sets; give --scenario \
                           FILE, or --dataset FILE of a result directory";
/// The official tool's variables for newer registries.
const SEED_SETS: &str = "MLPERF_ENDPOINTS_SEED_SETS";
const DRAFTERS: &str = "MLPERF_ENDPOINTS_APPROVED_DRAFTERS";

const EXAMPLES: &str = "\
Examples:
  scenario audit submission/                       judge a submission by every rule
  scenario audit --strict submission/              let warnings fail it, too
  scenario audit results/quickstart/points/r8      judge one run folder
  scenario audit DIR --scenario my-bench.yaml      hold its event logs against the data sets, too
  scenario audit --format official-json DIR        in the official tool's JSON shape
  scenario audit --explain point-duration          say what a rule asks for

Rules that start with x- are our own, beyond the official checker's; --official leaves them out.
MLPERF_ENDPOINTS_SEED_SETS and MLPERF_ENDPOINTS_APPROVED_DRAFTERS name newer registries.

Exit codes: 0 no errors (with --strict no warnings either), 1 errors, 2 wrong usage";

/// Judge a submission, a result directory or a run folder by the benchmark's rules
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The submission, the organisation's directory above it, a result directory or a run folder
    #[arg(required_unless_present = "explain", value_name = "PATH")]
    path: Option<PathBuf>,
    /// Let warnings fail the audit, too
    #[arg(long)]
    strict: bool,
    /// Leave out our own rules
    #[arg(long)]
    official: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The benchmark's rules: a name, or a ruleset file
    #[arg(long, value_name = "NAME", default_value = "mlperf-endpoints-agentic/v1.0")]
    ruleset: String,
    /// The scenario of the run: every body that was sent, and every delay, is held against its data
    /// sets
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,
    /// The data sets in the scenario's order: of --scenario, or of the result directory's own
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dataset: Vec<PathBuf>,
    /// Count what may be cached with the tokenizer and chat template of this model directory; needs
    /// the data sets
    #[arg(long, value_name = "DIR")]
    tokenizer: Option<PathBuf>,
    /// Say what a rule asks for, and end
    #[arg(long, value_name = "RULE", conflicts_with = "path")]
    explain: Option<String>,
}

/// How to print findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON document.
    Json,
    /// GitHub workflow commands.
    Github,
    /// SARIF 2.1.0.
    Sarif,
    /// The official tool's JSON, passed checks included, official rules only.
    OfficialJson,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    if let Some(id) = &args.explain {
        console.out(&explain(id)?)?;
        return Ok(ExitStatus::Success);
    }
    let Some(path) = &args.path else { return Err(Failure::usage("no path to audit")) };
    let ruleset = Ruleset::find(&args.ruleset).map_err(|error| {
        Failure::usage(error.to_string()).help("name a ruleset, or a file that ends in .json")
    })?;
    let given = workload::given(args, path, context)?;
    let mut report = audit_with(path, &ruleset, &registries(&ruleset, context), &given);
    if report.kind != Kind::Submission && given.workload.is_none() && !args.official {
        console.message(NO_WORKLOAD);
    }
    if args.official || args.format == Format::OfficialJson {
        report.findings.retain(|finding| finding.rule.is_official());
    }
    let (findings, sources) = report.located();
    let text = match args.format {
        Format::Human => render_human(&findings, &sources, console.stdout_color()),
        Format::Json => render_json(&findings, &sources),
        Format::Github => render_github(&findings, &sources),
        Format::Sarif => render_sarif(&findings, &sources),
        Format::OfficialJson => official_json(&report),
    };
    console.out(&text)?;
    console.message(&verdict(&report, args.strict));
    Ok(if report.passes(args.strict) { ExitStatus::Success } else { ExitStatus::Findings })
}

/// The registries of a ruleset, or those that the environment names.
pub(super) fn registries(ruleset: &Ruleset, context: &Context) -> Registries {
    let named = |name: &str| context.env(name).filter(|value| !value.is_empty());
    let (seed_sets, drafters) = (named(SEED_SETS), named(DRAFTERS));
    Registries::load(
        ruleset,
        seed_sets.as_deref().map(Path::new),
        drafters.as_deref().map(Path::new),
    )
}

/// Prints the faults of a report and its verdict among the messages.
pub(super) fn show(report: &Report, context: &Context) {
    let console = &context.console;
    let (findings, sources) = report.located();
    if !findings.is_empty() && !console.quiet() {
        console.findings(&render_human(&findings, &sources, console.stderr_color()));
    }
    console.message(&verdict(report, false));
}

/// The verdict in one line.
fn verdict(report: &Report, strict: bool) -> String {
    let word = if report.passes(strict) { "passed" } else { "failed" };
    let count = |severity: Severity, name: &str| match report.count(severity) {
        1 => format!("1 {name}"),
        n => format!("{n} {name}s"),
    };
    let (errors, warnings) = (count(Severity::Error, "error"), count(Severity::Warning, "warning"));
    let label = if report.simulated { "; SIMULATED, no results of a real system" } else { "" };
    format!("{}: {word}, {errors}, {warnings}{label}", report.path.display())
}

/// The text about one rule.
fn explain(id: &str) -> Result<String, Failure> {
    if let Some(rule) = Rule::named(id) {
        return Ok(rule.explanation());
    }
    let failure = Failure::usage(format!("--explain {id}: there is no such rule"));
    let words: Vec<String> = Rule::all().map(|rule| rule.id.replace('-', "_")).collect();
    Err(match nearest(id, words.iter().map(String::as_str)) {
        Some(nearest) => failure.help(format!("did you mean {}?", nearest.replace('_', "-"))),
        None => failure.help("rules are named in the findings, such as point-duration"),
    })
}
