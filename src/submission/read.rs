//! Finding run folders, and parsing their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::SubmissionError;
use super::files;
use crate::yaml;

/// A run folder, or a point of a packaged submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder.
    pub(super) folder: PathBuf,
    /// The root of the submission that it is a point of.
    pub(super) submission: Option<PathBuf>,
}

/// The runs below a path: a run folder, a result directory, or a submission.
pub(super) fn find(path: &Path) -> Result<Vec<Place>, SubmissionError> {
    let run = |folder: PathBuf| Place { folder, submission: None };
    if path.join("manifest.json").is_file() && path.join("points").is_dir() {
        let points = numbered(&path.join("points"))?;
        return some(path, points.into_iter().map(run).collect());
    }
    if let Some(root) = submission_root(path)? {
        let mut found = Vec::new();
        for system in directories(&root.join("results"))? {
            for model in directories(&system)? {
                found.extend(
                    numbered(&model)?
                        .into_iter()
                        .map(|folder| Place { folder, submission: Some(root.clone()) }),
                );
            }
        }
        return some(path, found);
    }
    let is_run = ["point.yaml", "config.yaml", "result_summary.json", "performance"]
        .iter()
        .any(|name| path.join(name).exists());
    if is_run { Ok(vec![run(path.to_owned())]) } else { some(path, Vec::new()) }
}

fn some(path: &Path, places: Vec<Place>) -> Result<Vec<Place>, SubmissionError> {
    if places.is_empty() {
        return Err(SubmissionError::NoRun { path: path.to_owned() });
    }
    Ok(places)
}

/// The level of a submission that has `results/`: the path itself, or the only such directory one
/// or two levels below it, in an organisation's directory.
fn submission_root(path: &Path) -> Result<Option<PathBuf>, SubmissionError> {
    let is_root = |path: &PathBuf| path.join("results").is_dir() && path.join("src").is_dir();
    let mut level = vec![path.to_owned()];
    for depth in 0..3 {
        if let Some(root) = level.iter().find(|path| is_root(path)) {
            let several = level.iter().filter(|path| is_root(path)).count() > 1;
            return Ok((!several).then(|| root.clone()));
        }
        // A run folder or a directory of many others is no organisation's.
        if depth == 2 || level.len() > 100 || path.join("point.yaml").exists() || !path.is_dir() {
            break;
        }
        let mut below = Vec::new();
        for directory in &level {
            below.extend(directories(directory)?);
        }
        level = below;
    }
    Ok(None)
}

/// The directories in a directory, sorted, without hidden ones.
fn directories(path: &Path) -> Result<Vec<PathBuf>, SubmissionError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(SubmissionError::read(path))? {
        let entry = entry.map_err(SubmissionError::read(path))?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The directories `r<N>` in a directory, by number.
fn numbered(path: &Path) -> Result<Vec<PathBuf>, SubmissionError> {
    let mut found = directories(path)?;
    found.retain(|folder| number(folder).is_some());
    found.sort_by_key(|folder| number(folder));
    Ok(found)
}

/// N of a folder that is called `r<N>`.
pub(super) fn number(folder: &Path) -> Option<u64> {
    let digits = folder.file_name()?.to_str()?.strip_prefix('r')?;
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if all { digits.parse().ok() } else { None }
}

/// The mapping in a YAML text.
pub(super) fn yaml_map(path: &Path, text: &str) -> Result<Map<String, Value>, SubmissionError> {
    let file: Arc<Path> = path.into();
    let parsed = yaml::parse(&file, text);
    let problem = parsed.diagnostics.first().map(|finding| finding.message.clone());
    match (problem, parsed.root.map(|root| root.to_json())) {
        (None, Some(Value::Object(map))) => Ok(map),
        (Some(problem), _) => Err(SubmissionError::unusable(path, "", problem)),
        _ => Err(SubmissionError::unusable(path, "", "expected a mapping of keys to values")),
    }
}

/// The object in a JSON file.
pub(super) fn json_map(path: &Path) -> Result<Map<String, Value>, SubmissionError> {
    let bytes = files::bytes(path)?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(SubmissionError::unusable(path, "", "expected a JSON object")),
        Err(error) => Err(SubmissionError::unusable(path, "", error.to_string())),
    }
}
