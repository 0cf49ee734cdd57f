//! What a scenario's submission section says of each point, as files of its run folder.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::error::SubmissionError;
use super::{description, files, power};
use crate::compliance::{FieldFault, description_faults};
use crate::results::{Disclosure, ExtraFile, Seeds};
use crate::ruleset::{Region, Ruleset};
use crate::scenario::ValidScenario;
use crate::scenario::model::{PointStatement, Submission};

/// The submission section of a scenario with its files read.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    scenario: &'a ValidScenario,
    submission: &'a Submission,
    system: Map<String, Value>,
    /// Completed; none where none is stated.
    power: Option<Map<String, Value>>,
    shared: Vec<ExtraFile>,
    /// By point; `None` for all of them.
    server_configs: Vec<(Option<u32>, ExtraFile)>,
}

/// What a point's run folder holds for a submission.
#[derive(Clone, Debug)]
pub struct PointFiles {
    /// The fields of point.yaml.
    pub disclosure: Disclosure,
    /// The files beside it.
    pub files: Vec<ExtraFile>,
}

impl<'a> Statement<'a> {
    /// Reads what the scenario's submission section names; none where there is no such section.
    ///
    /// # Errors
    /// A file cannot be read, or the power description is wrong.
    pub fn read(scenario: &'a ValidScenario) -> Result<Option<Self>, SubmissionError> {
        let Some(submission) = &scenario.submission else { return Ok(None) };
        let object = |node: &crate::yaml::Node| match node.to_json() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let statements = scenario.statements();
        let system = statements.system.as_ref().map(object).unwrap_or_default();
        let described = description::describe(&system, submission, None);
        let power = statements.power.as_ref().map(object);
        let power = power.map(|stated| power::complete(&stated, &described)).transpose();
        let power = power.map_err(|faults| {
            let path = submission.power.clone().unwrap_or_default();
            let FieldFault { field, message } = faults.into_iter().next().unwrap_or(FieldFault {
                field: String::new(),
                message: "the power cannot be computed".to_owned(),
            });
            SubmissionError::unusable(&path, &field, message)
        })?;
        Ok(Some(Self {
            scenario,
            submission,
            system,
            power,
            shared: shared(submission)?,
            server_configs: server_configs(submission)?,
        }))
    }

    /// What an audit will find wrong with the description of the system, so that it can be told
    /// before hours are spent on measuring.
    pub fn system_faults(&self) -> Vec<FieldFault> {
        let described = description::describe(&self.system, self.submission, None);
        description_faults(&Value::Object(described).to_string())
    }

    /// The files of a point's run folder.
    pub fn point(&self, concurrency: u32) -> PointFiles {
        let point = self.submission.points.iter().find(|point| point.at.contains(&concurrency));
        let described = description::describe(&self.system, self.submission, point);
        let mut files = vec![json_file("system_desc.json", &described)];
        files.extend(self.power.as_ref().map(|power| json_file("system_power.json", power)));
        files.extend(self.shared.iter().cloned());
        let here = |at: &Option<u32>| at.is_none_or(|at| at == concurrency);
        let configs = self.server_configs.iter().filter(|(at, _)| here(at));
        files.extend(configs.map(|(_, file)| file.clone()));
        PointFiles { disclosure: self.disclosure(concurrency, point), files }
    }

    fn disclosure(&self, concurrency: u32, point: Option<&PointStatement>) -> Disclosure {
        let stated = self.submission;
        let model = stated.model.as_ref();
        let dataset = stated.dataset.as_ref();
        let swe_bench = self.scenario.accuracy.swe_bench.as_ref();
        let nodes = match point.map(|point| &point.nodes_used) {
            Some(nodes) if !nodes.is_empty() => nodes,
            _ => &stated.nodes_used,
        };
        let nodes_used = (!nodes.is_empty()).then(|| json!(nodes));
        let drafts = point.and_then(|point| point.speculative_decoding).unwrap_or(true);
        Disclosure {
            division: stated.division.name().to_owned(),
            max_supported_concurrency: self
                .scenario
                .statements()
                .system_number("max_supported_concurrency"),
            model_precision: model.map(|model| model.precision.clone()).unwrap_or_default(),
            link_to_model: model.map(|model| model.link.clone()).unwrap_or_default(),
            link_to_model_transformation: model.and_then(|model| model.transformation.clone()),
            model_notes: model.and_then(|model| model.notes.clone()),
            dataset: dataset.map(|set| set.id.clone()).unwrap_or_default(),
            dataset_name: dataset.map(|set| set.name.clone()).unwrap_or_default(),
            dataset_link: dataset.map(|set| set.link.clone()).unwrap_or_default(),
            shared_src: format!("src/{}", implementation(stated)),
            shared_docs: "docs".to_owned(),
            seed_set: stated.seed_set.clone(),
            seeds: seeds(self.scenario.ruleset(), &stated.seed_set),
            target_cohort: stated.target_cohort.clone(),
            accuracy_run: swe_bench.is_some_and(|run| run.at.contains(&concurrency)),
            speculative_decoding: if drafts {
                stated.speculative_decoding.clone()
            } else {
                Map::new()
            },
            nodes_used,
            dp_shortfall: point
                .and_then(|point| point.dp_shortfall.as_ref())
                .map(|shortfall| json!(shortfall)),
        }
    }

    /// The files that all points share, in the places of a run folder.
    pub(super) fn shared_files(&self) -> &[ExtraFile] {
        &self.shared
    }

    /// The canonical name of the model.
    pub(super) fn benchmark(&self) -> Option<&str> {
        self.scenario.model.benchmark.as_deref()
    }

    /// The region of a point.
    pub(super) fn region(&self, concurrency: u32) -> Option<Region> {
        let sweep = self.scenario.load.concurrency.points();
        let stated = |key| self.scenario.statements().system_number(key);
        let lowest = stated("c_min_override").or_else(|| sweep.iter().min().copied())?;
        let highest =
            stated("max_supported_concurrency").or_else(|| sweep.iter().max().copied())?;
        self.scenario.ruleset()?.regions(lowest, highest)?.of(concurrency)
    }

    /// The shortest run that the ruleset takes of a point.
    pub(super) fn min_duration(&self, concurrency: u32) -> Option<Duration> {
        self.scenario.ruleset().map(|ruleset| ruleset.min_duration(concurrency))
    }
}

/// The seeds of a seed set.
pub(super) fn seeds(ruleset: Option<&Ruleset>, set: &str) -> Seeds {
    let set = ruleset.and_then(|ruleset| ruleset.seed_set(set));
    set.map_or_else(Seeds::default, |set| Seeds {
        scheduler_rng_seed: set.scheduler_rng_seed,
        sample_index_rng_seed: set.sample_index_rng_seed,
        model_seed: set.model_seed,
    })
}

/// The implementation's name.
fn implementation(submission: &Submission) -> String {
    let name = submission.implementation.as_ref().and_then(|path| path.file_name());
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn json_file(name: &str, map: &Map<String, Value>) -> ExtraFile {
    let content = format!("{:#}\n", Value::Object(map.clone())).into_bytes();
    ExtraFile { path: name.into(), content }
}

fn copied(prefix: &str, file: &files::Below) -> Result<ExtraFile, SubmissionError> {
    let path = PathBuf::from(format!("{prefix}/{}", file.name));
    Ok(ExtraFile { path, content: files::bytes(&file.path)? })
}

/// The implementation and the documentation.
fn shared(submission: &Submission) -> Result<Vec<ExtraFile>, SubmissionError> {
    let mut shared = Vec::new();
    if let Some(directory) = &submission.implementation {
        let prefix = format!("src/{}", implementation(submission));
        for file in files::below(directory)? {
            shared.push(copied(&prefix, &file)?);
        }
    }
    if let Some(directory) = &submission.docs {
        for file in files::below(directory)? {
            shared.push(copied("documentation", &file)?);
        }
    }
    Ok(shared)
}

/// The server's settings: those of all points, and those of one.
fn server_configs(
    submission: &Submission,
) -> Result<Vec<(Option<u32>, ExtraFile)>, SubmissionError> {
    let Some(directory) = &submission.server_configs else { return Ok(Vec::new()) };
    let mut configs = Vec::new();
    for mut file in files::below(directory)? {
        let own = file.name.split_once('/').and_then(|(first, rest)| {
            let digits = first.strip_prefix('r')?;
            Some((digits.parse::<u32>().ok()?, rest.to_owned()))
        });
        let at = own.map(|(at, rest)| {
            file.name = rest;
            at
        });
        configs.push((at, copied("server_configs", &file)?));
    }
    Ok(configs)
}
