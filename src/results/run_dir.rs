//! A result directory: one run of one scenario.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::atomic;
use super::error::ResultsError;
use super::manifest::{Manifest, PointState};
use super::run_folder::{Outcome, RunFolder};
use super::time::rfc3339;
use crate::metrics::Counters;

pub(super) const MANIFEST_FILE: &str = "manifest.json";
const POINTS: &str = "points";
/// Holds room on the disk while a run writes, so that on a full disk the manifest can still say
/// what became of the run.
const RESERVE_FILE: &str = ".reserve";
const RESERVE_BYTES: usize = 64 * 1024;
/// Written once and locked while a process fills the directory, so that no other goes on with a run
/// that still runs. The system frees the lock of a killed process.
const LOCKED: &str = "scenario.yaml";

/// What a new result directory is made of.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// The directory to make, `results/<scenario>/<run-id>`.
    pub path: &'a Path,
    /// Whether a directory that is already there may be replaced.
    pub force: bool,
    /// The manifest to begin with.
    pub manifest: Manifest,
    /// The scenario file as given.
    pub source: &'a str,
    /// The scenario merged and expanded, secrets removed.
    pub resolved: &'a str,
}

/// A report directory of another client that becomes a run folder.
#[derive(Clone, Copy, Debug)]
pub struct Adopted<'a> {
    /// The directory, inside the point's hidden folder.
    pub report: &'a Path,
    /// Files beside it in the hidden folder that go along.
    pub files: &'a [&'a str],
    /// Turns of the whole replay.
    pub turns: Counters,
    /// Violations that the self-check found in its log.
    pub violations: u64,
}

/// A result directory that is being filled.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    manifest: Manifest,
    replaced: Option<PathBuf>,
    lock: Option<File>,
}

impl RunDir {
    /// Makes the directory with its manifest and the scenario. One that is already there is an
    /// error; with `force` it is moved aside to a hidden name and removed only after the new run
    /// is complete.
    pub fn create(run: NewRun<'_>) -> Result<Self, ResultsError> {
        let path = run.path.to_owned();
        let replaced = match path.symlink_metadata() {
            Ok(_) if run.force => Some(atomic::move_aside(&path, "replaced")?),
            Ok(_) => return Err(ResultsError::Exists { path }),
            Err(_) => None,
        };
        // Another process may have begun in the same second.
        atomic::create_new_directory(&path)?;
        atomic::create_directories(&path.join(POINTS))?;
        atomic::write(&path.join("scenario.yaml"), run.source.as_bytes())?;
        atomic::write(&path.join("scenario.resolved.yaml"), run.resolved.as_bytes())?;
        let lock = Some(lock(&path)?);
        run.manifest.write(&path)?;
        Ok(Self { path, manifest: run.manifest, replaced, lock })
    }

    /// Opens a result directory to go on with its unfinished points.
    ///
    /// # Errors
    /// There is no manifest, or another process fills the directory.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        Manifest::read(path)?;
        let lock = Some(lock(path)?);
        // Read again: the other process may just have ended.
        let manifest = Manifest::read(path)?;
        Ok(Self { path: path.to_owned(), manifest, replaced: None, lock })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a finished point.
    pub fn point_folder(&self, concurrency: u32) -> PathBuf {
        self.path.join(POINTS).join(format!("r{concurrency}"))
    }

    /// The manifest as it stands on disk.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where the directory that this one replaces was moved to, while it is still kept.
    pub fn replaced(&self) -> Option<&Path> {
        self.replaced.as_deref()
    }

    /// Begins a point: makes its hidden folder and says in the manifest that it runs. What a killed
    /// run left of the point is moved aside.
    pub fn start_point(
        &mut self,
        concurrency: u32,
        now: SystemTime,
    ) -> Result<RunFolder, ResultsError> {
        let points = self.path.join(POINTS);
        let target = points.join(format!("r{concurrency}"));
        let partial = points.join(format!(".r{concurrency}.partial"));
        self.manifest.point_mut(&self.path, concurrency)?;
        if target.symlink_metadata().is_ok() {
            let state = self.manifest.point_mut(&self.path, concurrency)?.state;
            if state == PointState::Complete {
                return Err(ResultsError::Exists { path: target });
            }
            atomic::move_aside(&target, state.name())?;
        }
        if partial.symlink_metadata().is_ok() {
            atomic::move_aside(&partial, "killed")?;
        }
        atomic::create_directories(&partial)?;
        reserve(&self.path)?;
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        entry.state = PointState::Running;
        entry.started_at = Some(rfc3339(now));
        (entry.folder, entry.finished_at, entry.error) = (None, None, None);
        entry.accuracy_missing = None;
        self.manifest.state = PointState::Running;
        self.manifest.finished_at = None;
        self.manifest.write(&self.path)?;
        Ok(RunFolder::new(concurrency, partial, target))
    }

    /// Ends a point with its numbers: writes every file of the run folder, gives the folder its
    /// final name, and says so in the manifest, as failed if the self-check found a violation.
    /// Returns the folder.
    pub fn finish_point(
        &mut self,
        folder: RunFolder,
        outcome: &Outcome<'_>,
        now: SystemTime,
    ) -> Result<PathBuf, ResultsError> {
        let concurrency = folder.concurrency();
        let target = folder.finish(outcome)?;
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        let passed = outcome.self_check.passed();
        entry.state = if passed { outcome.facts.state } else { PointState::Failed };
        entry.folder = Some(format!("{POINTS}/r{concurrency}"));
        entry.finished_at = Some(rfc3339(now));
        entry.turns = Some(outcome.metrics.total);
        entry.skipped = Some(outcome.self_check.skipped);
        entry.violations = Some(outcome.self_check.violations.len() as u64);
        self.manifest.write(&self.path)?;
        Ok(target)
    }

    /// Ends a point that another client measured: its report directory, as it is, becomes the run
    /// folder. Returns the folder.
    pub fn adopt_point(
        &mut self,
        folder: RunFolder,
        adopted: Adopted<'_>,
        now: SystemTime,
    ) -> Result<PathBuf, ResultsError> {
        let Adopted { report, files, turns, violations } = adopted;
        let concurrency = folder.concurrency();
        for name in files {
            let (from, to) = (folder.partial_path().join(name), report.join(name));
            if from.is_file() {
                fs::rename(&from, &to).map_err(ResultsError::write("create", &to))?;
            }
        }
        let target = folder.adopt(report)?;
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        entry.state = PointState::Complete;
        entry.folder = Some(format!("{POINTS}/r{concurrency}"));
        entry.finished_at = Some(rfc3339(now));
        entry.turns = Some(turns);
        entry.violations = Some(violations);
        self.manifest.write(&self.path)?;
        Ok(target)
    }

    /// Ends a point that was interrupted and left nothing that could be taken for it.
    pub fn interrupt_point(
        &mut self,
        concurrency: u32,
        now: SystemTime,
    ) -> Result<(), ResultsError> {
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        entry.state = PointState::Interrupted;
        entry.finished_at = Some(rfc3339(now));
        self.manifest.write(&self.path)
    }

    /// Ends a point that left no numbers: the manifest says why, the hidden folder stays for a
    /// look at what there is.
    pub fn fail_point(
        &mut self,
        concurrency: u32,
        error: String,
        now: SystemTime,
    ) -> Result<(), ResultsError> {
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        entry.state = PointState::Failed;
        entry.finished_at = Some(rfc3339(now));
        entry.error = Some(error);
        self.release();
        self.manifest.write(&self.path)
    }

    /// Says why accuracy of a point was not measured; none where all of it was.
    pub fn note_accuracy(
        &mut self,
        concurrency: u32,
        missing: Option<String>,
    ) -> Result<(), ResultsError> {
        let entry = self.manifest.point_mut(&self.path, concurrency)?;
        if entry.accuracy_missing == missing {
            return Ok(());
        }
        entry.accuracy_missing = missing;
        self.manifest.write(&self.path)
    }

    /// Writes a file at the top of the directory, such as `curve.json`, replacing it.
    pub fn write_file(&self, name: &str, content: &[u8]) -> Result<PathBuf, ResultsError> {
        let path = self.path.join(name);
        atomic::write(&path, content)?;
        Ok(path)
    }

    /// Ends the run: interrupted or failed if a point was, complete when all are. A directory that
    /// was moved aside is removed only if the run is complete.
    pub fn finish(&mut self, now: SystemTime) -> Result<PointState, ResultsError> {
        let has = |state| self.manifest.points.iter().any(|point| point.state == state);
        self.manifest.state = if has(PointState::Failed) || has(PointState::Running) {
            PointState::Failed
        } else if has(PointState::Interrupted) || has(PointState::Planned) {
            PointState::Interrupted
        } else {
            PointState::Complete
        };
        self.manifest.finished_at = Some(rfc3339(now));
        self.release();
        self.manifest.write(&self.path)?;
        self.lock = None;
        if self.manifest.state == PointState::Complete
            && let Some(old) = self.replaced.take()
        {
            let removed =
                if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
            removed.map_err(ResultsError::write("remove", &old))?;
        }
        Ok(self.manifest.state)
    }

    /// Gives the room that was held back free.
    fn release(&self) {
        // It may be gone already, and no harm is done if it stays.
        let _ = fs::remove_file(self.path.join(RESERVE_FILE));
    }
}

/// Locks a result directory for this process.
fn lock(directory: &Path) -> Result<File, ResultsError> {
    let path = directory.join(LOCKED);
    let file = File::open(&path).map_err(ResultsError::read(&path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(ResultsError::Busy { path: directory.to_owned() }),
        // Some file systems have no locks; a run is not refused for that.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Holds room back in a result directory.
fn reserve(path: &Path) -> Result<(), ResultsError> {
    let path = path.join(RESERVE_FILE);
    fs::write(&path, vec![0; RESERVE_BYTES]).map_err(ResultsError::write("write", &path))
}
