//! Run folders and what they say of themselves.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::accuracy::TruthSource;
use crate::cli::failure::Failure;
use crate::cli::scoring::RunPath;
use crate::results::Manifest;
use crate::scenario::model::Concurrency;

/// The largest configuration that is read.
const MAX_CONFIG: u64 = 16 << 20;

/// A data set that was played.
#[derive(Clone, Debug)]
pub(super) struct PlayedSet {
    /// The file, and how much of it was played.
    pub(super) source: TruthSource,
    /// The digest that the file had.
    pub(super) sha256: Option<String>,
}

/// What was found at a path.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The result directory, where a whole one was named.
    pub(super) directory: Option<PathBuf>,
    /// The result directory that the runs belong to.
    pub(super) home: Option<PathBuf>,
    /// The run that they belong to was measured on a simulated endpoint.
    pub(super) simulated: bool,
    /// The lowest and the highest concurrency of the scenario's sweep.
    pub(super) sweep: Option<(u32, u32)>,
    /// The run folders, in ascending concurrency.
    pub(super) runs: Vec<RunPath>,
    /// The data sets that were played.
    pub(super) datasets: Vec<PlayedSet>,
    /// `compliance.ruleset` of the scenario.
    pub(super) ruleset: Option<String>,
    /// The benchmark's name of the model, else the model as sent.
    pub(super) model: Option<String>,
    /// No manifest belongs to it: another client's report directory, or a folder that was moved.
    pub(super) is_foreign: bool,
    /// `accuracy.swe_bench.instances` of the scenario.
    pub(super) instances: Option<u64>,
}

impl Found {
    /// Looks at a result directory, or at a run folder or report directory.
    pub(super) fn at(path: &Path) -> Result<Self, Failure> {
        let mut found = if path.join("manifest.json").is_file() {
            Self::result_directory(path)?
        } else if path.join("events.jsonl").is_file() {
            Self::run_folder(path)?
        } else {
            let message = format!("{}: no run: no manifest.json, no events.jsonl", path.display());
            return Err(Failure::usage(message)
                .help("name a result directory, or the folder of one of its points"));
        };
        found.runs.sort_by_key(|run| run.concurrency);
        Ok(found)
    }

    fn result_directory(path: &Path) -> Result<Self, Failure> {
        let manifest = manifest(path)?;
        let folders = manifest.points.iter().filter_map(|point| {
            let folder = path.join(point.folder.as_ref()?);
            let run = RunPath { path: folder, concurrency: point.concurrency };
            run.path.join("events.jsonl").is_file().then_some(run)
        });
        let directory = Some(path.to_owned());
        let mut found = Self { directory, runs: folders.collect(), ..Self::default() };
        if found.runs.is_empty() {
            let message = format!("{}: no point of this run left its events", path.display());
            return Err(Failure::could_not(message));
        }
        found.of_manifest(path, &manifest)?;
        found.of_config(&found.runs[0].path.clone())?;
        Ok(found)
    }

    fn run_folder(path: &Path) -> Result<Self, Failure> {
        let config = config(path)?;
        let concurrency = config
            .pointer("/settings/load_pattern/target_concurrency")
            .and_then(Value::as_u64)
            .and_then(|concurrency| u32::try_from(concurrency).ok())
            .or_else(|| concurrency_of_name(path))
            .unwrap_or_default();
        let runs = vec![RunPath { path: path.to_owned(), concurrency }];
        let mut found = Self { runs, is_foreign: true, ..Self::default() };
        // points/r8 inside a result directory knows more through its manifest.
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if let Some(directory) = absolute.ancestors().nth(2)
            && directory.join("manifest.json").is_file()
        {
            found.is_foreign = false;
            found.of_manifest(directory, &manifest(directory)?)?;
        }
        found.of_config(path)?;
        Ok(found)
    }

    /// Takes what the manifest and the scenario beside it say.
    fn of_manifest(&mut self, directory: &Path, manifest: &Manifest) -> Result<(), Failure> {
        let scenario = yaml(&directory.join("scenario.resolved.yaml"))?;
        let take = |name: &str| {
            let take = scenario.get("mix").and_then(|mix| mix.get("take")?.get(name)?.as_u64());
            take.map(|take| u32::try_from(take).unwrap_or(u32::MAX))
        };
        let played = |entry: &crate::results::DatasetEntry| PlayedSet {
            source: TruthSource {
                path: directory.join(&entry.path),
                take: take(&entry.name),
                name: Some(entry.name.clone()),
            },
            sha256: Some(entry.sha256.clone()).filter(|digest| !digest.is_empty()),
        };
        self.datasets = manifest.datasets.iter().map(played).collect();
        self.home = Some(directory.to_owned());
        self.simulated = manifest.simulated;
        self.sweep = sweep(&scenario);
        let text = |pointer: &str| scenario.pointer(pointer)?.as_str().map(str::to_owned);
        self.ruleset = text("/compliance/ruleset");
        self.model = text("/model/benchmark").or_else(|| text("/model/name"));
        self.instances = scenario.pointer("/accuracy/swe_bench/instances").and_then(Value::as_u64);
        Ok(())
    }

    /// Takes what config.yaml says, where nothing else did.
    fn of_config(&mut self, folder: &Path) -> Result<(), Failure> {
        let config = config(folder)?;
        if self.model.is_none() {
            let name = config.pointer("/model_params/name").and_then(Value::as_str);
            self.model = name.map(str::to_owned);
        }
        if self.datasets.is_empty() {
            let sets = config.get("datasets").and_then(Value::as_array);
            let performance = sets.into_iter().flatten().filter(|set| {
                set.get("type").and_then(Value::as_str).is_none_or(|kind| kind == "performance")
            });
            let paths = performance.filter_map(|set| set.get("path").and_then(Value::as_str));
            self.datasets = paths
                .map(|path| PlayedSet {
                    source: TruthSource { path: beside(folder, path), take: None, name: None },
                    sha256: None,
                })
                .collect();
        }
        Ok(())
    }
}

/// The ends of a scenario's sweep.
fn sweep(scenario: &Value) -> Option<(u32, u32)> {
    let sweep: Concurrency =
        serde_json::from_value(scenario.pointer("/load/concurrency")?.clone()).ok()?;
    let points = sweep.points();
    points.iter().copied().min().zip(points.iter().copied().max())
}

/// A path of config.yaml: as it stands, else beside the file.
fn beside(folder: &Path, path: &str) -> PathBuf {
    let own = folder.join(path);
    if !Path::new(path).exists() && own.exists() { own } else { PathBuf::from(path) }
}

/// `r8` is concurrency 8.
fn concurrency_of_name(path: &Path) -> Option<u32> {
    let absolute = std::path::absolute(path).ok()?;
    absolute.file_name()?.to_str()?.strip_prefix('r')?.parse().ok()
}

fn manifest(directory: &Path) -> Result<Manifest, Failure> {
    Manifest::read(directory).map_err(|error| Failure::could_not(error.to_string()))
}

/// config.yaml of a folder; null when there is none.
fn config(folder: &Path) -> Result<Value, Failure> {
    yaml(&folder.join("config.yaml"))
}

/// A YAML file as a value; null when there is none.
fn yaml(path: &Path) -> Result<Value, Failure> {
    let broken = |reason: &dyn std::error::Error| {
        Failure::could_not(format!("{}: cannot be read", path.display())).because(reason)
    };
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Value::Null),
        Err(error) => return Err(broken(&error)),
        Ok(data) if data.len() > MAX_CONFIG => {
            return Err(Failure::could_not(format!("{}: {} bytes", path.display(), data.len())));
        }
        Ok(_) => {}
    }
    let text = std::fs::read_to_string(path).map_err(|error| broken(&error))?;
    serde_yaml::from_str(&text).map_err(|error| broken(&error))
}
