//! From a scenario file to what can be planned and replayed; shared by `plan` and `run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::context::Context;
use super::failure::Failure;
use crate::dataset::Facts;
use crate::diagnostics::{Diagnostic, Severity, SourceMap, render_human};
use crate::plan::{CurveRange, Plan};
use crate::prompt::{self, Library};
use crate::scenario::{Depth, LoadRequest, ValidScenario, load};

/// Which scenario, and what is changed in it.
#[derive(Debug, clap::Args)]
pub(super) struct ScenarioArgs {
    /// The scenario file
    file: PathBuf,
    /// Set a value of the scenario; PATH as in `load.turn_timeout`, VALUE in YAML. May be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
    /// Only these points of the sweep
    #[arg(long, value_name = "CONCURRENCIES", value_delimiter = ',')]
    points: Option<Vec<u32>>,
}

/// Splits `path=value` at the first `=`.
pub(super) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => {
            Ok((path.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected PATH=VALUE, such as load.turn_timeout=30s".to_owned()),
    }
}

/// A scenario with its prompts and its plan.
pub(super) struct Prepared {
    /// The scenario.
    pub(super) scenario: ValidScenario,
    /// The prompts.
    pub(super) library: Arc<Library>,
    /// The facts of each data set, in the scenario's order.
    pub(super) facts: Vec<Facts>,
    /// What would run.
    pub(super) plan: Plan,
}

impl Prepared {
    /// Client turns of one pass over the mix, which is a super-pass of the steady-state detector.
    pub(super) fn turns_per_pass(&self) -> u64 {
        let sources = self.library.conversations();
        let turns = |index: usize| sources.get(index).map_or(0, |source| source.turns.len() as u64);
        if self.scenario.mix.weights.is_empty() {
            return (0..sources.len()).map(turns).sum();
        }
        let pass = self.plan.sequence.iter().take(self.plan.trajectories_per_pass as usize);
        pass.map(|assignment| turns(assignment.conversation as usize)).sum()
    }
}

/// Loads everything; prints warnings, and fails with the findings when one is an error.
pub(super) fn prepare(args: &ScenarioArgs, context: &Context) -> Result<Prepared, Failure> {
    let scenario = scenario(&args.file, &args.set, context)?;
    let prompts = prompt::load(&scenario);
    report(&prompts.diagnostics, &SourceMap::default(), context)?;
    let library = prompts.library.ok_or_else(|| Failure::usage("the data sets cannot be used"))?;

    let loaded = library.conversations_per_dataset(scenario.datasets.len());
    let stated = |key| scenario.statements().system_number(key);
    let range = CurveRange {
        lowest: stated("c_min_override"),
        highest: stated("max_supported_concurrency"),
    };
    let mut plan = Plan::within(&scenario, &loaded, scenario.ruleset(), range);
    if let Some(points) = &args.points {
        select_points(&mut plan, points)?;
    }
    if plan.sequence.is_empty() {
        return Err(Failure::usage("mix: no trajectory is left to replay")
            .help("take at least one trajectory of a data set (mix.take, mix.trajectories)"));
    }
    Ok(Prepared { scenario, library, facts: prompts.facts, plan })
}

/// Loads a scenario; prints warnings, and fails with the findings when one is an error.
pub(super) fn scenario(
    file: &Path,
    set: &[(String, String)],
    context: &Context,
) -> Result<ValidScenario, Failure> {
    let loaded =
        load(&LoadRequest { path: file, env: &|name| context.env(name), set, depth: Depth::File });
    report(&loaded.diagnostics, &loaded.sources, context)?;
    loaded.scenario.ok_or_else(|| {
        Failure::usage(format!("{}: no valid scenario", file.display()))
            .help("`scenario validate` says what is wrong")
    })
}

/// Prints findings that are no errors, or fails with all of them.
fn report(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    context: &Context,
) -> Result<(), Failure> {
    if diagnostics.is_empty() {
        return Ok(());
    }
    let console = &context.console;
    let text = render_human(diagnostics, sources, console.stderr_color());
    if diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Failure::Invalid(text));
    }
    if !console.quiet() {
        console.findings(&text);
    }
    Ok(())
}

/// Leaves only the points asked for, in the order of the sweep.
fn select_points(plan: &mut Plan, wanted: &[u32]) -> Result<(), Failure> {
    let planned: Vec<u32> = plan.points.iter().map(|point| point.concurrency).collect();
    if let Some(missing) = wanted.iter().find(|point| !planned.contains(point)) {
        let planned: Vec<String> = planned.iter().map(u32::to_string).collect();
        return Err(Failure::usage(format!("--points {missing}: the sweep has no such point"))
            .help(format!("choose from {}, or change load.concurrency", planned.join(", "))));
    }
    plan.points.retain(|point| wanted.contains(&point.concurrency));
    Ok(())
}
