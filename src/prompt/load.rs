//! From a scenario's data set files to a library.

use std::sync::Arc;

use super::build::LibraryBuilder;
use super::library::Library;
use super::template::{PromptOptions, RequestTemplate};
use crate::dataset::{Facts, Limits, Reader};
use crate::diagnostics::{Diagnostic, Place};
use crate::scenario::model::{Dataset, Scenario};

/// What loading gave.
#[derive(Debug)]
pub struct Loaded {
    /// The prompts; none when a finding is an error.
    pub library: Option<Arc<Library>>,
    /// The facts of each data set, in the scenario's order.
    pub facts: Vec<Facts>,
    /// What is wrong with the data sets.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the data sets of `scenario`, whose paths are absolute, and builds their prompts in one
/// pass. Of a data set in `mix.take` only the first trajectories become prompts; the whole file is
/// checked all the same, and decides which ids are shared. Never fails: what is wrong is a finding.
pub fn load(scenario: &Scenario) -> Loaded {
    let (template, options) = (RequestTemplate::of(scenario), PromptOptions::of(scenario));
    let expected = scenario.datasets.iter().filter_map(|set| set.path.metadata().ok());
    let expected = expected.map(|data| usize::try_from(data.len()).unwrap_or(0)).sum();
    let mut builder = LibraryBuilder::new(template, options, expected);
    let (mut facts, mut diagnostics) = (Vec::new(), Vec::new());
    let mut sound = true;
    for (index, dataset) in (0..).zip(&scenario.datasets) {
        let take = scenario.mix.take.get(&dataset.name).copied();
        match load_one(&mut builder, index, dataset, take, &mut diagnostics) {
            Some(read) => facts.push(read),
            None => sound = false,
        }
    }
    let names: Vec<&str> = scenario.datasets.iter().map(|set| set.name.as_str()).collect();
    if let Err(error) = builder.tell_apart(&names) {
        let finding = Diagnostic::error(error.code(), error.to_string());
        diagnostics.push(finding.help("give one of the data sets another name"));
        sound = false;
    }
    let library = sound.then(|| Arc::new(builder.finish()));
    Loaded { library, facts, diagnostics }
}

/// Adds one data set; none when it has errors.
fn load_one(
    builder: &mut LibraryBuilder,
    index: u32,
    dataset: &Dataset,
    take: Option<u32>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Facts> {
    let mut reader = match Reader::open(&dataset.path, Limits::default()) {
        Ok(reader) => reader,
        Err(error) => {
            let finding = Diagnostic::error("dataset-unreadable", error.to_string());
            diagnostics.push(finding.at(&dataset.path, Place::File, ""));
            return None;
        }
    };
    let mut unfit = 0_u32;
    let mut left = take.unwrap_or(u32::MAX);
    while let Some(trajectory) = reader.next_trajectory() {
        let added = if left == 0 {
            builder.note(index, &trajectory.id)
        } else {
            left -= 1;
            builder.add(index, &trajectory)
        };
        if let Err(error) = added {
            unfit += 1;
            if unfit <= MAX_UNFIT {
                let line = trajectory.rows.first().map_or(0, |row| row.line);
                let finding = Diagnostic::error(error.code(), error.to_string());
                diagnostics.push(finding.at(&dataset.path, Place::Line(line), ""));
            }
        }
    }
    let facts = reader.finish();
    diagnostics.extend_from_slice(reader.diagnostics());
    let mismatch = digest_mismatch(dataset, &facts);
    let sound = reader.errors() == 0 && unfit == 0 && mismatch.is_none();
    diagnostics.extend(mismatch);
    sound.then_some(facts)
}

/// Findings of one kind to keep for one data set.
const MAX_UNFIT: u32 = 20;

fn digest_mismatch(dataset: &Dataset, facts: &Facts) -> Option<Diagnostic> {
    let expected = dataset.sha256.as_ref()?;
    let found = facts.sha256.as_ref()?;
    (!expected.eq_ignore_ascii_case(found)).then(|| {
        let message =
            format!("data set `{}` is not the file that the scenario names", dataset.name);
        Diagnostic::error("dataset-digest", message)
            .at(&dataset.path, Place::File, "")
            .note(format!("expected SHA-256 {expected}"))
            .note(format!("found    SHA-256 {found}"))
            .help("bring the right file, or correct `sha256` in the scenario")
    })
}
