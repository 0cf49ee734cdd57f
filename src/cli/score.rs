//! `scenario score`: accuracy from what a run left, without an endpoint.

mod folder;
mod gates;
mod official;
mod output;
mod save;

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;

use self::folder::Found;
use self::official::Official;
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::scoring::Scoring;
use crate::accuracy::{GateOutcome, GroundTruth, TruthSource};
use crate::diagnostics::{Severity, SourceMap, render_human};

const EXAMPLES: &str = "\
Examples:
  scenario score results/qwen/20261130T030221Z             every point, and the curve's gates
  scenario score results/qwen/20261130T030221Z/points/r8   one point with its worst turns
  scenario score points/r8 --explain sim_001               one conversation, turn by turn
  scenario score logs/report --dataset data.jsonl --model qwen3_6-35b-a3b
  scenario score points/r8 --swe-bench result.json         attach a SWE-bench result
  scenario score points/r8 --tokenizer models/qwen         output length officially counted

Data sets, model and ruleset are those of the run, where it says so; the reference client's report
directories are read as well. Nothing is written without --write or --swe-bench.

Exit codes:
  0 fine   1 a gate failed   2 wrong usage or invalid input   3 the run cannot be scored";

/// Recompute the accuracy of a run from its events
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A result directory, one of its run folders, or a report directory of the reference client
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The data sets that were played, in place of those that the run names
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dataset: Vec<PathBuf>,
    /// Count output tokens with the tokenizer and chat template of this model directory, in place
    /// of the counts that the run tells
    #[arg(long, value_name = "DIR")]
    tokenizer: Option<PathBuf>,
    /// Show expected and found of every turn of a conversation
    #[arg(long, value_name = "CONVERSATION")]
    explain: Option<String>,
    /// How many of the worst turns to show; 5 unless given, a table of the points where there are
    /// several
    #[arg(long, value_name = "N")]
    worst: Option<usize>,
    /// Attach a SWE-bench result: the harness's report, or the service's status document
    #[arg(long, value_name = "FILE")]
    swe_bench: Option<PathBuf>,
    /// How many instances that result is about; else as the scenario, the ruleset or the file says
    #[arg(long, value_name = "N", requires = "swe_bench")]
    instances: Option<u64>,
    /// The ruleset with the gates: a name or a .json file
    #[arg(long, value_name = "RULESET")]
    ruleset: Option<String>,
    /// The model whose gates hold: a canonical name or an alias
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Write scores and accuracy results into the run folders, and the verdict into the curve.json
    /// of a result directory
    #[arg(long)]
    write: bool,
    /// Let --write and --swe-bench replace what says something else
    #[arg(long)]
    force: bool,
    /// How to print the scores
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How scores are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// Scores every run folder and judges the curve.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let found = Found::at(&args.run)?;
    let truth = Arc::new(ground_truth(args, &found, context)?);
    let gates = gates::choose(args.ruleset.as_deref(), args.model.as_deref(), &found)?;
    let mut measured = Vec::new();
    let mut official = Official::new(args, &found, context)?;
    for run in &found.runs {
        let tokens = official.as_mut().map(|official| official.count(run)).transpose()?;
        let scoring = Scoring { truth: &truth, tokens, stopped: &|| false };
        let Some(mut one) = scoring.measure(run)? else { continue };
        one.simulated |= found.simulated;
        for warning in &one.warnings {
            context.console.warning(warning);
        }
        measured.push(one);
    }
    save::save(args, &found, gates.ruleset(), &mut measured)?;
    let verdict = gates.judge(&measured);
    if let (true, Some(directory), Some(verdict)) = (args.write, &found.directory, &verdict) {
        save::verdict(directory, verdict)?;
    }
    let text = match args.format {
        Format::Text => output::text(args, &measured, verdict.as_ref(), &gates)?,
        Format::Json => output::json(args, &measured, verdict.as_ref())?,
    };
    context.console.out_line(&text)?;
    let failed = verdict.is_some_and(|verdict| verdict.outcome == GateOutcome::Fail);
    Ok(if failed { ExitStatus::Findings } else { ExitStatus::Success })
}

/// The recorded answers of the data sets that were played.
fn ground_truth(args: &Args, found: &Found, context: &Context) -> Result<GroundTruth, Failure> {
    let named: Vec<TruthSource> = args
        .dataset
        .iter()
        .map(|path| TruthSource { path: path.clone(), take: None, name: None })
        .collect();
    let sources = if named.is_empty() {
        found.datasets.iter().map(|dataset| dataset.source.clone()).collect()
    } else {
        named
    };
    if sources.is_empty() {
        let message = format!("{}: does not say which data sets were played", args.run.display());
        return Err(Failure::usage(message).help("name them with --dataset FILE…"));
    }
    let read = GroundTruth::read(&sources).map_err(|error| {
        Failure::could_not(format!("{}: cannot be scored", args.run.display()))
            .because(&error)
            .help("name the data sets that were played with --dataset FILE…")
    })?;
    let worst = read.diagnostics.iter().map(|finding| finding.severity).max();
    if worst >= Some(Severity::Warning) {
        let color = context.console.stderr_color();
        let text = render_human(&read.diagnostics, &SourceMap::default(), color);
        if worst == Some(Severity::Error) {
            return Err(Failure::Invalid(text));
        }
        context.console.findings(&text);
    }
    for ((source, digest), dataset) in sources.iter().zip(&read.digests).zip(&found.datasets) {
        if let (Some(digest), Some(expected), true) =
            (digest, &dataset.sha256, args.dataset.is_empty())
            && !digest.eq_ignore_ascii_case(expected)
        {
            context.console.warning(&format!(
                "{}: is not the file that was played; its SHA-256 was {expected}",
                source.path.display()
            ));
        }
    }
    Ok(read.truth)
}
