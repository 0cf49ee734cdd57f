//! `--resume`: going on with a run that was interrupted, killed or failed.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::facts::VERSION;
use super::point::{PointResult, Session, disk};
use super::signals::Stage;
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::prepare::Prepared;
use crate::cli::scoring;
use crate::metrics::{TokenCounts, TokenSource};
use crate::recount::recompute;
use crate::report::{Curve, CurvePoint};
use crate::results::{Manifest, PointEntry, PointState, RunDir, StoredPoint};

/// Makes sure that a result directory is one of this very scenario, on these data sets, and leaves
/// only its points in the plan.
pub(super) fn check(
    directory: &Path,
    prepared: &mut Prepared,
    console: &Console,
) -> Result<(), Failure> {
    let manifest = Manifest::read(directory).map_err(|error| {
        Failure::usage(format!("--resume {}: no run to go on with", directory.display()))
            .because(&error)
            .help("name a result directory, as `scenario run` prints it in its last line")
    })?;
    let place = format!("--resume {}", directory.display());
    let (was, is) = (&manifest.scenario.digest, &prepared.scenario.digest);
    if was != is {
        return Err(Failure::usage(format!(
            "{place}: was run from another scenario (digest {was}, this one's is {is})"
        ))
        .help("give the same file and the same --set; the directory's scenario.yaml tells which"));
    }
    for (entry, facts) in manifest.datasets.iter().zip(&prepared.facts) {
        if facts.sha256.as_ref().is_some_and(|sha256| *sha256 != entry.sha256) {
            return Err(Failure::usage(format!(
                "{place}: the data set `{}` was another file then (SHA-256 {})",
                entry.name, entry.sha256
            ))
            .help("bring that file back, or start a new run"));
        }
    }
    if manifest.tool.version != VERSION {
        console.warning(&format!(
            "{place}: was begun by version {} of this program",
            manifest.tool.version
        ));
    }
    let known = |concurrency| manifest.points.iter().any(|entry| entry.concurrency == concurrency);
    prepared.plan.points.retain(|point| known(point.concurrency));
    if prepared.plan.points.is_empty() {
        return Err(Failure::usage(format!("{place}: has no such point"))
            .help("leave --points away, or start a new run"));
    }
    Ok(())
}

/// Opens the directory.
pub(super) fn open(directory: &Path, simulated: bool) -> Result<RunDir, Failure> {
    let run_dir = RunDir::open(directory).map_err(|error| disk(&error))?;
    if run_dir.manifest().simulated != simulated {
        let (was, is) =
            if simulated { ("a real", "a simulated") } else { ("a simulated", "a real") };
        return Err(Failure::usage(format!(
            "--resume {}: was begun against {was} endpoint, but this is {is} one",
            directory.display()
        ))
        .help("start a new run"));
    }
    Ok(run_dir)
}

/// The entry of a point that needs no replay.
pub(super) fn finished(run_dir: &RunDir, concurrency: u32) -> Option<&PointEntry> {
    let mut entries = run_dir.manifest().points.iter();
    entries.find(|entry| {
        entry.concurrency == concurrency
            && entry.state == PointState::Complete
            && entry.folder.is_some()
    })
}

/// The numbers of a finished point: its row in curve.json, else made from its log. Official token
/// counts that were interrupted are made up for.
pub(super) fn result(
    session: &Session<'_>,
    directory: &Path,
    entry: &PointEntry,
) -> Result<PointResult, Failure> {
    session.stage.enter(Stage::AfterReplay);
    let folder = directory.join(entry.folder.as_deref().unwrap_or_default());
    let stored = StoredPoint::read(&folder).map_err(|error| disk(&error))?;
    let mut row = match row_of_curve(directory, entry.concurrency) {
        Some(row) => row,
        None => row_of_log(&folder, &stored, entry)?,
    };
    let mut violations = Vec::new();
    if let (Some(_), Some(self_check), true) = (session.reference, &stored.self_check, stored.ours)
        && row.token_counts != TokenCounts::Official.label()
    {
        match session.count_tokens(&folder, &stored.facts, self_check) {
            Ok(counted) => row = counted.unwrap_or(row),
            Err(reason) => violations.push(format!("tokens-counted: {reason}")),
        }
    }
    let client = stored.self_check.and_then(|self_check| self_check.client);
    let limits = client.map(|client| client.limits).unwrap_or_default();
    Ok(PointResult { row, violations, limits })
}

fn row_of_curve(directory: &Path, concurrency: u32) -> Option<CurvePoint> {
    let bytes = std::fs::read(directory.join("curve.json")).ok()?;
    let curve: Curve = serde_json::from_slice(&bytes).ok()?;
    let mut rows = curve.points.into_iter();
    rows.find(|row| row.concurrency == concurrency && row.state == PointState::Complete)
}

/// The run was killed before the row was written, and thus before any official count was.
fn row_of_log(
    folder: &Path,
    stored: &StoredPoint,
    entry: &PointEntry,
) -> Result<CurvePoint, Failure> {
    let log = folder.join("events.jsonl");
    let read = recompute(&log, &TokenSource::ServerReported, &AtomicBool::new(false))?;
    let mut facts = stored.facts.clone();
    facts.concurrency = entry.concurrency;
    facts.region.clone_from(&entry.region);
    let row = CurvePoint::new(&facts, &read.metrics, entry.skipped.unwrap_or_default());
    Ok(if stored.ours { row } else { row.with_summary(&scoring::summary(folder)?) })
}
