//! What the reference client left of a point.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The largest summary or configuration that is read.
const MAX_FILE: u64 = 64 << 20;
const LOG: &str = "events.jsonl";
const CONFIG: &str = "config.yaml";
/// Where versions put the summary.
const SUMMARIES: [&str; 2] = ["performance/result_summary.json", "result_summary.json"];

/// What a report must be about.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The model as sent.
    pub model: &'a str,
    /// Conversations active at once.
    pub concurrency: u32,
}

/// A report directory with everything in it that a run folder needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The directory.
    pub folder: PathBuf,
    /// The client's performance summary.
    pub summary: Value,
    /// The event log.
    pub log: PathBuf,
}

/// A report directory that cannot be taken for the point.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// Files are missing.
    #[error("{}: without {}", .folder.display(), .files.join(", "))]
    Missing {
        /// The directory.
        folder: PathBuf,
        /// What is missing.
        files: Vec<&'static str>,
    },
    /// A file is not what its name says.
    #[error("{}: {reason}", .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It is about something else.
    #[error("{}: {key} is {found}, expected {expected}", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
        /// What stands there.
        found: String,
        /// What was asked for.
        expected: String,
    },
}

impl Report {
    /// Checks a report directory.
    ///
    /// # Errors
    /// Files are missing or cut off, or about another model or point.
    pub fn read(folder: &Path, expected: Expected<'_>) -> Result<Self, ReportError> {
        let summary = SUMMARIES.iter().map(|name| folder.join(name)).find(|path| path.is_file());
        let mut files = Vec::new();
        files.extend((!folder.join(LOG).is_file()).then_some(LOG));
        files.extend((!folder.join(CONFIG).is_file()).then_some(CONFIG));
        files.extend(summary.is_none().then_some(SUMMARIES[0]));
        let (Some(path), true) = (summary, files.is_empty()) else {
            return Err(ReportError::Missing { folder: folder.to_owned(), files });
        };
        let unusable = |path: &Path, reason: String| {
            let path = path.to_owned();
            ReportError::Unusable { path, reason }
        };
        let summary: Value = serde_json::from_str(&text(&path)?)
            .map_err(|error| unusable(&path, format!("is no JSON: {error}")))?;
        if !summary.is_object() {
            return Err(unusable(&path, "is no performance summary".to_owned()));
        }
        if summary.get("complete") == Some(&Value::Bool(false)) {
            return Err(unusable(&path, "says that the run is not complete".to_owned()));
        }
        let config = folder.join(CONFIG);
        let value: Value = serde_yaml::from_str(&text(&config)?).map_err(|error| {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            unusable(&config, format!("is no YAML: {}", first.trim_start_matches("error: ")))
        })?;
        about(&config, &value, expected)?;
        let log = folder.join(LOG);
        whole(&log)?;
        Ok(Self { folder: folder.to_owned(), summary, log })
    }
}

/// The configuration is that of the point.
fn about(path: &Path, config: &Value, expected: Expected<'_>) -> Result<(), ReportError> {
    let wanted = [
        ("model_params.name", "/model_params/name", Value::from(expected.model)),
        (
            "settings.load_pattern.target_concurrency",
            "/settings/load_pattern/target_concurrency",
            Value::from(expected.concurrency),
        ),
    ];
    for (key, pointer, wanted) in wanted {
        let found = config.pointer(pointer).unwrap_or(&Value::Null);
        if *found != wanted {
            return Err(ReportError::Other {
                path: path.to_owned(),
                key,
                found: found.to_string(),
                expected: wanted.to_string(),
            });
        }
    }
    Ok(())
}

/// The log ends with a whole line.
fn whole(path: &Path) -> Result<(), ReportError> {
    let unusable = |reason: String| ReportError::Unusable { path: path.to_owned(), reason };
    let last = || -> std::io::Result<Option<u8>> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(None);
        }
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(Some(byte[0]))
    };
    match last().map_err(|error| unusable(format!("cannot be read: {error}")))? {
        Some(b'\n') => Ok(()),
        Some(_) => Err(unusable("is cut off in the middle of a line".to_owned())),
        None => Err(unusable("is empty".to_owned())),
    }
}

fn text(path: &Path) -> Result<String, ReportError> {
    let unusable = |reason: String| ReportError::Unusable { path: path.to_owned(), reason };
    let size = std::fs::metadata(path).map_err(|error| unusable(error.to_string()))?.len();
    if size > MAX_FILE {
        return Err(unusable(format!("has {size} bytes, more than {MAX_FILE}")));
    }
    std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected<'_> = Expected { model: "m", concurrency: 8 };

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn read(files: &[(&str, &str)]) -> Result<Report, String> {
        let folder = folder(files);
        let place = format!("{}", folder.path().display());
        Report::read(folder.path(), EXPECTED).map_err(|e| e.to_string().replace(&place, "[DIR]"))
    }

    const LOG: (&str, &str) = ("events.jsonl", "{}\n");
    const SUMMARY: (&str, &str) = ("result_summary.json", "{\"complete\":true}");
    const CONFIG: (&str, &str) = (
        "config.yaml",
        "model_params: { name: m }\nsettings: { load_pattern: { target_concurrency: 8 } }\n",
    );

    #[test]
    fn a_whole_report_is_taken() {
        let report = read(&[LOG, SUMMARY, CONFIG]).unwrap();
        assert_eq!(report.summary["complete"], true);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let other = CONFIG.1.replace(": m", ": other");
        let errors: Vec<String> = [
            &[][..],
            &[LOG, CONFIG],
            &[("events.jsonl", ""), SUMMARY, CONFIG],
            &[("events.jsonl", "{}\n{"), SUMMARY, CONFIG],
            &[LOG, ("result_summary.json", "{"), CONFIG],
            &[LOG, ("result_summary.json", "[]"), CONFIG],
            &[LOG, ("result_summary.json", "{\"complete\":false}"), CONFIG],
            &[LOG, SUMMARY, ("config.yaml", "")],
            &[LOG, SUMMARY, ("config.yaml", "a: [")],
            &[LOG, SUMMARY, ("config.yaml", &other)],
            &[LOG, SUMMARY, ("config.yaml", &CONFIG.1.replace('8', "16"))],
        ]
        .map(|files| read(files).unwrap_err())
        .into();
        insta::assert_snapshot!(errors.join("\n"), @r#"
        [DIR]: without events.jsonl, config.yaml, performance/result_summary.json
        [DIR]: without performance/result_summary.json
        [DIR]/events.jsonl: is empty
        [DIR]/events.jsonl: is cut off in the middle of a line
        [DIR]/result_summary.json: is no JSON: EOF while parsing an object at line 1 column 1
        [DIR]/result_summary.json: is no performance summary
        [DIR]/result_summary.json: says that the run is not complete
        [DIR]/config.yaml: model_params.name is null, expected "m"
        [DIR]/config.yaml: is no YAML: line 1 column 4: unclosed bracket '['
        [DIR]/config.yaml: model_params.name is "other", expected "m"
        [DIR]/config.yaml: settings.load_pattern.target_concurrency is 16, expected 8
        "#);
    }
}
