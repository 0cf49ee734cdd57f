//! A run folder: what one point leaves, as the official tools read it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;

use super::atomic;
use super::config::RunConfig;
use super::disclosure::{Disclosure, WarmupDeclaration};
use super::error::ResultsError;
use super::manifest::pretty;
use super::point::{self, PointDescription};
use super::snapshot::Snapshot;
use super::summary::{ResultSummary, RunFacts};
use crate::events::{SampleId, Writer};
use crate::metrics::steady::Analysis;
use crate::metrics::{Metrics, SelfCheckReport};

/// Events are written in pieces of this size.
const LOG_BUFFER: usize = 256 * 1024;

pub(super) const POINT_YAML: &str = "point.yaml";
pub(super) const SUMMARY: &str = "performance/result_summary.json";

/// What a finished point is made of.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// What the numbers belong to.
    pub facts: &'a RunFacts,
    /// The numbers.
    pub metrics: &'a Metrics,
    /// What the steady-state detector found; none where it was not asked.
    pub steady: Option<&'a Analysis>,
    /// The self-check's report.
    pub self_check: &'a SelfCheckReport,
    /// The resolved configuration.
    pub config: &'a RunConfig,
    /// The warm-up as it was performed.
    pub warmup: &'a WarmupDeclaration,
    /// Client turns that were to be issued.
    pub planned_turns: u64,
    /// What a submission states of the point; none where none is planned.
    pub disclosure: Option<&'a Disclosure>,
    /// Further files of the folder, by their path in it.
    pub files: &'a [ExtraFile],
    /// Every issued turn, in the order of issue, with its client turn's index in the data sets
    /// (client turns counted over all trajectories in file order).
    pub samples: &'a [(SampleId, u64)],
    /// report.txt.
    pub report: &'a str,
}

/// A further file of a run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraFile {
    /// Its path in the folder.
    pub path: PathBuf,
    /// What it holds.
    pub content: Vec<u8>,
}

/// The numbers of a point, in the files that hold them.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// What the numbers belong to.
    pub facts: &'a RunFacts,
    /// The numbers.
    pub metrics: &'a Metrics,
    /// What the steady-state detector found; none where it was not asked.
    pub steady: Option<&'a Analysis>,
    /// report.txt.
    pub report: &'a str,
}

impl Numbers<'_> {
    /// Puts them in the place of those of a finished run folder. Every file is replaced as a whole;
    /// the summary, which others read first, comes last.
    pub fn replace(&self, folder: &Path) -> Result<(), ResultsError> {
        let path = folder.join(POINT_YAML);
        let point_yaml = std::fs::read_to_string(&path).map_err(ResultsError::read(&path))?;
        for (name, bytes) in &self.files(&point_yaml) {
            atomic::write(&folder.join(name), bytes)?;
        }
        Ok(())
    }

    fn files(&self, point_yaml: &str) -> [(&'static str, Vec<u8>); 4] {
        let Self { facts, metrics, steady, report } = *self;
        [
            (POINT_YAML, point::with_steady(point_yaml, facts, steady).into_bytes()),
            ("metrics/final_snapshot.json", pretty(&Snapshot::new(metrics, facts))),
            ("report.txt", report.as_bytes().to_vec()),
            (SUMMARY, pretty(&ResultSummary::new(metrics, facts, steady))),
        ]
    }
}

/// A run folder under its hidden name.
#[derive(Debug)]
pub struct RunFolder {
    concurrency: u32,
    partial: PathBuf,
    target: PathBuf,
}

impl RunFolder {
    pub(super) fn new(concurrency: u32, partial: PathBuf, target: PathBuf) -> Self {
        Self { concurrency, partial, target }
    }

    /// The point's concurrency.
    pub fn concurrency(&self) -> u32 {
        self.concurrency
    }

    /// Where the folder is while it is not complete.
    pub fn partial_path(&self) -> &Path {
        &self.partial
    }

    /// Makes events.jsonl, empty. Its write errors name the file.
    pub fn event_log(&self) -> Result<Writer<EventLog>, ResultsError> {
        let path = self.partial.join("events.jsonl");
        let file = File::create_new(&path).map_err(ResultsError::write("create", &path))?;
        let file = BufWriter::with_capacity(LOG_BUFFER, file);
        Ok(Writer::new(EventLog { path, file }))
    }

    /// Gives a directory inside the hidden folder the final name; the hidden folder goes.
    pub(super) fn adopt(self, inside: &Path) -> Result<PathBuf, ResultsError> {
        atomic::rename(inside, &self.target)?;
        std::fs::remove_dir_all(&self.partial)
            .map_err(ResultsError::write("remove", &self.partial))?;
        Ok(self.target)
    }

    /// Writes every file but the event log and gives the folder its final name.
    pub(super) fn finish(self, outcome: &Outcome<'_>) -> Result<PathBuf, ResultsError> {
        let Outcome { facts, metrics, steady, self_check, config, samples, report, .. } = *outcome;
        let point = PointDescription {
            facts,
            config,
            warmup: outcome.warmup,
            planned_turns: outcome.planned_turns,
            disclosure: outcome.disclosure,
        };
        let point_yaml = point.to_yaml();
        let numbers = Numbers { facts, metrics, steady, report };
        for directory in ["performance", "metrics"] {
            atomic::create_directories(&self.partial.join(directory))?;
        }
        let files = [
            ("config.yaml", config.to_yaml().into_bytes()),
            ("sample_idx_map.json", pretty(&SampleIndexMap { performance: samples })),
            ("self_check.json", pretty(self_check)),
        ];
        for (name, bytes) in files.iter().chain(&numbers.files(&point_yaml)) {
            atomic::write(&self.partial.join(name), bytes)?;
        }
        for file in outcome.files {
            atomic::write_file(&self.partial.join(&file.path), &file.content)?;
        }
        sync_log(&self.partial.join("events.jsonl"))?;
        atomic::rename(&self.partial, &self.target)?;
        Ok(self.target)
    }
}

/// Makes the log durable before the folder gets its final name.
fn sync_log(path: &Path) -> Result<(), ResultsError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.map_err(ResultsError::write("write", path)),
    }
}

/// The file behind an event log.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    file: BufWriter<File>,
}

impl EventLog {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn name_file(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        let path = self.path.clone();
        io::Error::new(kind, ResultsError::Write { doing: "write", path, source: error })
    }
}

impl Write for EventLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| self.name_file(error))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes).map_err(|error| self.name_file(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| self.name_file(error))
    }
}

/// `sample_idx_map.json`: sample id to data set index, per phase.
#[derive(serde::Serialize)]
struct SampleIndexMap<'a> {
    #[serde(serialize_with = "sample_map")]
    performance: &'a [(SampleId, u64)],
}

fn sample_map<S: serde::Serializer>(
    samples: &&[(SampleId, u64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(samples.len()))?;
    for (sample, index) in *samples {
        map.serialize_entry(&sample.to_string(), index)?;
    }
    map.end()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::events::{Event, EventKind};

    #[test]
    fn a_full_disk_is_told_with_the_name_of_the_log() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let path = PathBuf::from("points/.r8.partial/events.jsonl");
        // Less buffer than one event, so that the first one reaches the disk.
        let file = BufWriter::with_capacity(8, file);
        let mut log = Writer::new(EventLog { path, file });
        let error = log.write(&Event { at: 1, kind: EventKind::SessionEnded }).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let text = "cannot write `points/.r8.partial/events.jsonl`: the disk is full";
        assert_eq!(error.to_string(), text);
        let inner = error.into_inner().unwrap().downcast::<ResultsError>().unwrap();
        assert!(inner.help().unwrap().contains("--out"));
    }

    #[test]
    fn what_the_disk_refuses_at_the_end_is_told_by_finish() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let file = BufWriter::with_capacity(LOG_BUFFER, file);
        let mut log = Writer::new(EventLog { path: "events.jsonl".into(), file });
        log.write(&Event { at: 1, kind: EventKind::SessionEnded }).unwrap();
        assert!(log.finish().unwrap_err().to_string().contains("the disk is full"));
    }
}
