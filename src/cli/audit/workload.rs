//! The workload that event logs are held against: the scenario's data sets in plan order.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::Args;
use crate::cli::context::Context;
use crate::cli::counting::load_reference;
use crate::cli::failure::Failure;
use crate::compliance::{Given, Workload};
use crate::diagnostics::{Diagnostic, Severity, SourceMap, render_human};
use crate::plan::Plan;
use crate::prompt;
use crate::scenario::model::Scenario;
use crate::scenario::{Depth, LoadRequest, load as load_scenario};
use crate::yaml;

const RESOLVED: &str = "scenario.resolved.yaml";

/// What the audit of the run at `path` is given: nothing when neither a scenario nor data sets are
/// named, for nothing outside the audited tree is read unless it is named.
pub(super) fn given(args: &Args, path: &Path, context: &Context) -> Result<Given, Failure> {
    let scenario = match &args.scenario {
        Some(file) => of_file(file, context)?,
        None if args.dataset.is_empty() => {
            return match &args.tokenizer {
                Some(_) => Err(Failure::usage("--tokenizer: there are no prompts to count")
                    .help("give the run's --scenario FILE, or its data sets with --dataset")),
                None => Ok(Given::default()),
            };
        }
        None => of_run(path)?,
    };
    // Without --scenario the audit reads the checks itself.
    let checks = args.scenario.is_some().then(|| scenario.compliance.checks.clone());
    Ok(Given { workload: Some(workload(args, scenario, context)?), checks })
}

fn workload(args: &Args, mut scenario: Scenario, context: &Context) -> Result<Workload, Failure> {
    let (known, files) = (scenario.datasets.len(), args.dataset.len());
    if files > 0 && files != known {
        return Err(Failure::usage(format!("--dataset: {files} files for {known} data sets"))
            .help("give every data set of the run, in the scenario's order"));
    }
    for (dataset, file) in scenario.datasets.iter_mut().zip(&args.dataset) {
        dataset.path.clone_from(file);
        // Another file than the run's is a finding of the audit.
        dataset.sha256 = None;
    }
    let loaded = prompt::load(&scenario);
    refuse(&loaded.diagnostics, &SourceMap::default(), context)?;
    let library = loaded.library.ok_or_else(|| Failure::usage("the data sets cannot be used"))?;
    let sizes = library.conversations_per_dataset(known);
    let digest = |facts: &crate::dataset::Facts| facts.sha256.clone().unwrap_or_default();
    let mut workload = Workload {
        sequence: Plan::new(&scenario, &sizes, None).sequence,
        datasets: loaded.facts.iter().map(digest).collect(),
        heads: std::collections::HashMap::new(),
        library,
    };
    if let Some(directory) = &args.tokenizer {
        let reference = load_reference(directory, UNIX_EPOCH)?;
        workload.count_heads(&reference).map_err(|error| {
            Failure::could_not("the first prompts cannot be counted").because(&error)
        })?;
    }
    Ok(workload)
}

/// A scenario file as any command loads it.
fn of_file(file: &Path, context: &Context) -> Result<Scenario, Failure> {
    let env = |name: &str| context.env(name);
    let request = LoadRequest { path: file, env: &env, set: &[], depth: Depth::File };
    let loaded = load_scenario(&request);
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    let errors: Vec<Diagnostic> = loaded.diagnostics.iter().filter(is_error).cloned().collect();
    refuse(&errors, &loaded.sources, context)?;
    let none = || Failure::usage(format!("{}: no valid scenario", file.display()));
    Ok((*loaded.scenario.ok_or_else(none)?).clone())
}

/// The scenario that a result directory holds, of which `path` may be one of the points.
fn of_run(path: &Path) -> Result<Scenario, Failure> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let places: [Option<PathBuf>; 2] =
        [Some(path.join(RESOLVED)), absolute.ancestors().nth(2).map(|run| run.join(RESOLVED))];
    let is_file = |place: &PathBuf| place.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let Some(place) = places.into_iter().flatten().find(is_file) else {
        let what = format!("--dataset: {} is in no result directory", path.display());
        return Err(Failure::usage(what).help("name the run's scenario with --scenario FILE"));
    };
    let unusable = || Failure::usage(format!("{}: cannot be used", place.display()));
    let text = yaml::read(&place).map_err(|finding| unusable().because_text(finding.message))?;
    serde_yaml::from_str(&text).map_err(|error| unusable().because(&error))
}

/// Fails with all findings when one is an error.
fn refuse(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    context: &Context,
) -> Result<(), Failure> {
    if diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        let color = context.console.stderr_color();
        return Err(Failure::Invalid(render_human(diagnostics, sources, color)));
    }
    Ok(())
}
