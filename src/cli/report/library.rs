//! The prompts of a run, made again from its data sets.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::diagnostics::{Severity, SourceMap, render_human};
use crate::prompt::{self, Library};
use crate::results::Manifest;
use crate::scenario::model::Scenario;

/// Builds the prompts of the run in `run`, from `datasets` in the scenario's order or, when there
/// are none, from where the data sets lay when it was run.
pub(in crate::cli) fn of_run(
    run: Option<&Path>,
    datasets: &[PathBuf],
    console: &Console,
) -> Result<Arc<Library>, Failure> {
    let Some(run) = run else {
        return Err(Failure::usage(
            "the log holds no prompts, and it is not in a result directory whose scenario would \
             tell them",
        )
        .help("leave the point in its result directory, or log prompts with `log.prompts: true`"));
    };
    let mut scenario = scenario(run)?;
    let manifest = Manifest::read(run).map_err(|error| Failure::could_not(error.to_string()))?;
    let known = scenario.datasets.len();
    if !datasets.is_empty() && datasets.len() != known {
        let given = datasets.len();
        return Err(Failure::usage(format!("--dataset: {given} files for {known} data sets"))
            .help("give every data set of the run, in the scenario's order"));
    }
    for (index, dataset) in scenario.datasets.iter_mut().enumerate() {
        if let Some(entry) = manifest.datasets.get(index) {
            dataset.path = PathBuf::from(&entry.path);
            dataset.sha256 = Some(entry.sha256.clone()).filter(|digest| !digest.is_empty());
        }
        if let Some(path) = datasets.get(index) {
            dataset.path.clone_from(path);
        }
    }
    let loaded = prompt::load(&scenario);
    if !loaded.diagnostics.is_empty() {
        let text = render_human(&loaded.diagnostics, &SourceMap::default(), console.stderr_color());
        if loaded.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
            return Err(Failure::Invalid(text));
        }
    }
    loaded.library.ok_or_else(|| Failure::usage("the data sets cannot be used"))
}

fn scenario(run: &Path) -> Result<Scenario, Failure> {
    let path = run.join("scenario.resolved.yaml");
    let unusable = |error: &dyn std::error::Error| {
        Failure::could_not(format!("{}: cannot be used", path.display())).because(error)
    };
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(&error))?;
    serde_yaml::from_str(&text).map_err(|error| unusable(&error))
}
