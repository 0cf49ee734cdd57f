//! Which event logs a path means.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cli::failure::Failure;
use crate::results::{Manifest, ResultsError};

/// The points that a path means.
#[derive(Debug)]
pub(super) struct Places {
    /// The result directory: the path itself, or the one that the point lies in.
    pub(super) run: Option<PathBuf>,
    /// Whether the path is the result directory, so that these are all of its points.
    pub(super) whole: bool,
    /// Whether that directory's endpoint was a simulated one.
    pub(super) simulated: bool,
    /// The points, in the order of the sweep.
    pub(super) points: Vec<Place>,
}

/// One point.
#[derive(Debug)]
pub(super) struct Place {
    /// The folder that the log lies in.
    pub(super) folder: PathBuf,
    /// The event log.
    pub(super) log: PathBuf,
}

const LOG: &str = "events.jsonl";

/// Looks up what `path` is: a result directory, a run folder (ours, or a report directory of the
/// reference client), or an event log.
pub(super) fn find(path: &Path) -> Result<Places, Failure> {
    if path.is_file() {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        return Ok(one(Place { folder, log: path.to_owned() }));
    }
    if path.join(LOG).is_file() {
        return Ok(one(Place { folder: path.to_owned(), log: path.join(LOG) }));
    }
    match Manifest::read(path) {
        Ok(manifest) => whole(path, &manifest),
        Err(ResultsError::Read { .. }) => Err(Failure::usage(format!(
            "{}: found neither manifest.json nor {LOG}",
            path.display()
        ))
        .help(
            "name a result directory, one of its points/r<N>, a report directory of the \
                     reference client, or an event log",
        )),
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}

fn whole(path: &Path, manifest: &Manifest) -> Result<Places, Failure> {
    let folders = manifest.points.iter().filter_map(|point| point.folder.as_ref());
    let points: Vec<Place> = folders
        .map(|folder| Place { folder: path.join(folder), log: path.join(folder).join(LOG) })
        .collect();
    if points.is_empty() {
        return Err(Failure::usage(format!(
            "{}: no point of this run is complete or interrupted",
            path.display()
        ))
        .help("the log of a point that was killed lies in points/.r<N>.partial"));
    }
    let simulated = manifest.simulated;
    Ok(Places { run: Some(path.to_owned()), whole: true, simulated, points })
}

fn one(place: Place) -> Places {
    // points/r<N> of a result directory.
    let folder = std::path::absolute(&place.folder).unwrap_or_else(|_| place.folder.clone());
    let run = folder.ancestors().nth(2).filter(|run| run.join("manifest.json").is_file());
    let manifest = run.and_then(|run| Manifest::read(run).ok());
    let simulated = manifest.is_some_and(|manifest| manifest.simulated);
    Places { run: run.map(Path::to_owned), whole: false, simulated, points: vec![place] }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    model_params: ModelParams,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelParams {
    tokenizer_name: Option<String>,
}

impl Place {
    /// The tokenizer that config.yaml names, relative to the folder; none when it names none.
    pub(super) fn tokenizer(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.folder.join("config.yaml")).ok()?;
        let config: Config = serde_yaml::from_str(&text).ok()?;
        config.model_params.tokenizer_name.map(|name| self.folder.join(name))
    }
}
