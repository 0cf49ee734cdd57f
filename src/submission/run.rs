//! A run folder in memory: what the tree needs of it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::{Disagreement, SubmissionError};
use super::files::{self, Below};
use super::read::{Place, json_map, number, yaml_map};
use super::shared::Shared;
use crate::accuracy::AccuracyResults;

/// Files that are copied into the point's directory as they are, by their path in the folder.
const COPIED: [&str; 4] =
    ["report.txt", "sample_idx_map.json", "serving_config.json", "metrics/final_snapshot.json"];
const WARMUP_LOG: &str = "warmup.jsonl";

/// What a run measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    /// Performance, with or without accuracy.
    Performance,
    /// Accuracy alone.
    Accuracy,
}

/// A parsed file with its path.
#[derive(Clone, Debug)]
pub(super) struct Parsed {
    pub(super) path: PathBuf,
    pub(super) map: Map<String, Value>,
}

/// A run folder.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) folder: PathBuf,
    pub(super) kind: RunKind,
    pub(super) concurrency: u32,
    pub(super) point: Parsed,
    pub(super) point_text: String,
    pub(super) config: Parsed,
    pub(super) summary: Option<Parsed>,
    pub(super) system: Parsed,
    pub(super) power: Option<Parsed>,
    pub(super) accuracy: Option<(PathBuf, AccuracyResults)>,
    /// Copied as they are: the path in the point's directory, and where they come from.
    pub(super) copied: Vec<Below>,
    pub(super) shared: Shared,
}

/// What a scenario supplies to a run that lacks it.
#[derive(Clone, Debug)]
pub(super) struct Supplied {
    /// point.yaml.
    pub(super) point: String,
    /// `system_desc.json`.
    pub(super) system: Map<String, Value>,
    /// `system_power.json`, where one is stated.
    pub(super) power: Option<Map<String, Value>>,
    /// `src/` and `docs/`.
    pub(super) shared: Shared,
}

impl Run {
    /// Reads a run folder.
    pub(super) fn read(place: &Place) -> Result<Self, SubmissionError> {
        let folder = &place.folder;
        let point_path = required(
            folder,
            &["point.yaml"],
            "a run folder of `scenario run` has one; for another client's, pass --scenario FILE",
        )?;
        let system_path = required(
            folder,
            &["system_desc.json"],
            "a scenario's `submission.system` gives one; for another client's run, pass \
             --scenario FILE",
        )?;
        let power = present(folder, &["system_power.json"]).or_else(|| {
            // A packaged submission has one for the whole system.
            place.submission.as_ref()?;
            present(folder.ancestors().nth(2)?, &["system_power.json"])
        });
        let power = power.map(|path| Ok(Parsed { map: json_map(&path)?, path })).transpose()?;
        let system = Parsed { map: json_map(&system_path)?, path: system_path };
        let text = files::text(&point_path)?;
        Self::build(place, point_path, text, system, power, Shared::of(place)?)
    }

    /// A run folder with what a scenario supplies; a file that the folder has goes first.
    pub(super) fn supplied(place: &Place, supplied: Supplied) -> Result<Self, SubmissionError> {
        let folder = &place.folder;
        let own = |name: &str, other: Option<Map<String, Value>>| {
            let path = folder.join(name);
            match (path.is_file(), other) {
                (true, _) => Ok(Some(Parsed { map: json_map(&path)?, path })),
                (false, other) => Ok(other.map(|map| Parsed { path, map })),
            }
        };
        let point_path = folder.join("point.yaml");
        let text = if point_path.is_file() { files::text(&point_path)? } else { supplied.point };
        let system = own("system_desc.json", Some(supplied.system))?;
        let system = system.unwrap_or_else(|| Parsed { path: PathBuf::new(), map: Map::new() });
        let power = own("system_power.json", supplied.power)?;
        let mut shared = supplied.shared;
        shared.add(&Shared::of(place)?)?;
        Self::build(place, point_path, text, system, power, shared)
    }

    fn build(
        place: &Place,
        point_path: PathBuf,
        point_text: String,
        system: Parsed,
        power: Option<Parsed>,
        shared: Shared,
    ) -> Result<Self, SubmissionError> {
        let folder = &place.folder;
        let point = Parsed { map: yaml_map(&point_path, &point_text)?, path: point_path };
        let config_path = required(folder, &["config.yaml"], "the client writes it")?;
        let config_map = yaml_map(&config_path, &files::text(&config_path)?)?;
        let config = Parsed { map: config_map, path: config_path };
        let kind = kind(&config, &point)?;
        let summary = present(folder, &["performance/result_summary.json", "result_summary.json"]);
        let summary = match (summary, kind) {
            (Some(path), _) => Some(Parsed { map: json_map(&path)?, path }),
            (None, RunKind::Accuracy) => None,
            (None, RunKind::Performance) => {
                let path = folder.join("performance/result_summary.json");
                return Err(SubmissionError::Missing { path, help: "the client writes it" });
            }
        };
        let concurrency = concurrency(folder, &point, &config)?;
        Ok(Self {
            folder: folder.clone(),
            kind,
            concurrency,
            point,
            point_text,
            config,
            summary,
            system,
            power,
            accuracy: accuracy(folder)?,
            copied: copied(folder)?,
            shared,
        })
    }

    /// The model that point.yaml names.
    pub(super) fn model_name(&self) -> Option<&str> {
        self.point.map.get("model_name")?.as_str().filter(|name| !name.trim().is_empty())
    }

    /// The model's name for the directory: of point.yaml, else of config.yaml.
    pub(super) fn model(&self) -> &str {
        let params = || self.config.map.get("model_params")?.get("name")?.as_str();
        self.model_name().or_else(params).unwrap_or_default()
    }

    /// A text of the system description.
    pub(super) fn described(&self, key: &str) -> Option<&str> {
        self.system.map.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether the run was against a simulated endpoint.
    pub(super) fn is_simulated(&self) -> bool {
        let says = |map: &Map<String, Value>| map.get("simulated") == Some(&Value::Bool(true));
        self.summary.as_ref().is_some_and(|summary| says(&summary.map)) || says(&self.point.map)
    }
}

/// The first of some files that is there.
fn present(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

fn required(folder: &Path, names: &[&str], help: &'static str) -> Result<PathBuf, SubmissionError> {
    let missing = || SubmissionError::Missing { path: folder.join(names[0]), help };
    present(folder, names).ok_or_else(missing)
}

/// What the run measured: as its first data set says, else as point.yaml says.
fn kind(config: &Parsed, point: &Parsed) -> Result<RunKind, SubmissionError> {
    let first = config.map.get("datasets").and_then(|sets| sets.get(0));
    let of_config = first.and_then(|set| set.get("type")).and_then(Value::as_str);
    let of_point = point.map.get("dataset_type").and_then(Value::as_str);
    let word = |text: &str| match text.trim().to_lowercase().as_str() {
        "performance" => Some(RunKind::Performance),
        "accuracy" => Some(RunKind::Accuracy),
        _ => None,
    };
    of_config.and_then(word).or_else(|| of_point.and_then(word)).ok_or_else(|| {
        let found = of_config.map_or_else(|| "nothing".to_owned(), |text| format!("{text:?}"));
        SubmissionError::unusable(
            &config.path,
            "datasets.0.type",
            format!("found {found}, expected performance or accuracy"),
        )
    })
}

/// The concurrency, which point.yaml, config.yaml and a folder called `r<N>` agree on.
fn concurrency(folder: &Path, point: &Parsed, config: &Parsed) -> Result<u32, SubmissionError> {
    let stated = point.map.get("concurrency");
    let whole = |value: &Value| match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let text = number.to_string();
            text.strip_suffix(".0")?.parse().ok()
        }),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let concurrency = stated.and_then(whole).filter(|number| *number > 0);
    let concurrency =
        concurrency.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
            let found = stated.map_or_else(|| "nothing".to_owned(), Value::to_string);
            let reason = format!("found {found}, expected a whole number above 0");
            SubmissionError::unusable(&point.path, "concurrency", reason)
        })?;
    let disagree = |file: PathBuf, field: &str, found: String| {
        Err(SubmissionError::Disagree(Box::new(Disagreement {
            file,
            field: field.to_owned(),
            found,
            other: point.path.clone(),
            expected: concurrency.to_string(),
        })))
    };
    if let Some(number) = number(folder).filter(|number| *number != u64::from(concurrency)) {
        return disagree(folder.to_owned(), "", format!("the name r{number}"));
    }
    let pattern = config.map.get("settings").and_then(|settings| settings.get("load_pattern"));
    let target = pattern.and_then(|pattern| pattern.get("target_concurrency"));
    match target.filter(|target| !target.is_null()) {
        Some(target) if whole(target) != Some(u64::from(concurrency)) => {
            let field = "settings.load_pattern.target_concurrency";
            disagree(config.path.clone(), field, target.to_string())
        }
        _ => Ok(concurrency),
    }
}

/// The accuracy results; where there are none, what an older client left in results.json.
fn accuracy(folder: &Path) -> Result<Option<(PathBuf, AccuracyResults)>, SubmissionError> {
    let names = [
        "accuracy/accuracy_results.json",
        "accuracy_results.json",
        "accuracy/results.json",
        "results.json",
    ];
    let Some(path) = present(folder, &names) else { return Ok(None) };
    let bytes = files::bytes(&path)?;
    if path.file_name().is_some_and(|name| name == "results.json") {
        let scores = json_map(&path)?.shift_remove("accuracy_scores");
        let Some(scores) = scores.filter(|scores| !scores.is_null()) else { return Ok(None) };
        let only = serde_json::json!({ "accuracy_scores": scores }).to_string();
        return parsed(&path, only.as_bytes()).map(|results| Some((path, results)));
    }
    parsed(&path, &bytes).map(|results| Some((path, results)))
}

fn parsed(path: &Path, bytes: &[u8]) -> Result<AccuracyResults, SubmissionError> {
    AccuracyResults::parse(bytes)
        .map_err(|error| SubmissionError::unusable(path, "accuracy_scores", error.to_string()))
}

/// The files that are copied as they are.
fn copied(folder: &Path) -> Result<Vec<Below>, SubmissionError> {
    let mut copied: Vec<Below> = COPIED
        .iter()
        .chain([&WARMUP_LOG])
        .map(|name| Below { name: (*name).to_owned(), path: folder.join(name) })
        .filter(|file| file.path.is_file())
        .collect();
    for entry in std::fs::read_dir(folder).map_err(SubmissionError::read(folder))? {
        let entry = entry.map_err(SubmissionError::read(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_json = Path::new(&name).extension().is_some_and(|extension| extension == "json");
        if name.starts_with("mlperf-system-info-") && is_json {
            copied.push(Below { name, path: entry.path() });
        }
    }
    for file in files::below(&folder.join("server_configs"))? {
        copied.push(Below { name: format!("server_configs/{}", file.name), path: file.path });
    }
    copied.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(copied)
}
