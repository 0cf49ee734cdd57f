//! Runs that lack what only a submitter can write, such as the reference client's: a scenario
//! supplies it.

use std::path::Path;

use serde_json::{Map, Value};

use super::error::SubmissionError;
use super::files;
use super::read::{Place, yaml_map};
use super::run::{Run, Supplied};
use super::shared::Shared;
use super::statement::Statement;
use crate::results::{PointDescription, RunConfig, StoredPoint, WarmupDeclaration};

/// Reads a run folder; what it lacks comes from a scenario, where one is given.
pub(super) fn read(
    place: &Place,
    statement: Option<&Statement<'_>>,
) -> Result<Run, SubmissionError> {
    let folder = &place.folder;
    let lacks = |name: &str| !folder.join(name).is_file();
    let Some(statement) = statement.filter(|_| lacks("point.yaml") || lacks("system_desc.json"))
    else {
        return Run::read(place);
    };
    let config_path = folder.join("config.yaml");
    if lacks("config.yaml") {
        return Run::read(place);
    }
    let config = yaml_map(&config_path, &files::text(&config_path)?)?;
    let concurrency = target(&config).ok_or_else(|| {
        SubmissionError::unusable(
            &config_path,
            "settings.load_pattern.target_concurrency",
            "found no whole number above 0",
        )
    })?;
    let point = statement.point(concurrency);
    let text = point_yaml(folder, statement, concurrency, &config)?;
    let object = |name: &str| {
        let file = point.files.iter().find(|file| file.path == Path::new(name))?;
        serde_json::from_slice::<Map<String, Value>>(&file.content).ok()
    };
    Run::supplied(
        place,
        Supplied {
            point: text,
            system: object("system_desc.json").unwrap_or_default(),
            power: object("system_power.json"),
            shared: Shared::stated(&point.files),
        },
    )
}

/// The target concurrency of a resolved configuration.
fn target(config: &Map<String, Value>) -> Option<u32> {
    let pattern = config.get("settings")?.get("load_pattern")?;
    let target = u32::try_from(pattern.get("target_concurrency")?.as_u64()?).ok()?;
    (target > 0).then_some(target)
}

/// point.yaml of a run that has none. Its warm-up is what the run's own configuration says: none,
/// unless that client sent one, of which nothing but the number of requests is known.
fn point_yaml(
    folder: &Path,
    statement: &Statement<'_>,
    concurrency: u32,
    config: &Map<String, Value>,
) -> Result<String, SubmissionError> {
    let unusable = |error: crate::results::ResultsError| {
        SubmissionError::unusable(folder, "", error.to_string())
    };
    let mut stored = StoredPoint::read(folder).map_err(unusable)?;
    stored.facts.concurrency = concurrency;
    stored.facts.benchmark = statement.benchmark().map(str::to_owned);
    stored.facts.region = statement.region(concurrency).map(|region| region.name().to_owned());
    stored.facts.min_duration = statement.min_duration(concurrency);
    let warmup = config.get("settings").and_then(|settings| settings.get("warmup"));
    let enabled = warmup.and_then(|warmup| warmup.get("enabled")) == Some(&Value::Bool(true));
    if enabled {
        return Err(SubmissionError::unusable(
            &folder.join("config.yaml"),
            "settings.warmup.enabled",
            "found true: the warm-up must be declared; write point.yaml with its `warmup` block",
        ));
    }
    Ok(PointDescription {
        facts: &stored.facts,
        config: &RunConfig::default(),
        warmup: &WarmupDeclaration::none(),
        planned_turns: stored.issued.unwrap_or(0),
        disclosure: Some(&statement.point(concurrency).disclosure),
    }
    .to_yaml())
}
