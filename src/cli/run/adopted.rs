//! What a point that another client measured gets beside that client's own files.

use std::path::Path;
use std::sync::Arc;

use super::facts;
use super::point::{Session, disk, expected_turns};
use crate::cli::counting::Counting;
use crate::cli::failure::Failure;
use crate::metrics::TokenSource;
use crate::plan::PointPlan;
use crate::recount::{Recomputed, RecountError};
use crate::reference::Report;
use crate::replay::StopLevel;
use crate::results::{PointDescription, RunFacts, WarmupDeclaration, write_file};

/// Official token counts of its event log where a tokenizer is set. A log that cannot be counted
/// costs no measured point.
pub(super) fn tokens(session: &Session<'_>, log: &Path, concurrency: u32) -> TokenSource {
    let Some(reference) = session.reference else { return TokenSource::ServerReported };
    let headline = format!("point r{concurrency}");
    let counting = Counting {
        console: session.console,
        headline: &headline,
        log,
        reference,
        stopped: &|| session.stop.level() > StopLevel::Run,
    };
    let library = || Ok::<_, RecountError>(Arc::clone(&session.prepared.library));
    let counted = counting.run(library);
    session.console.clear_bar();
    match counted {
        Ok(counted) => counted.source(),
        Err(error) => {
            session.console.warning(&format!("{headline}: tokens were not counted: {error}"));
            TokenSource::ServerReported
        }
    }
}

/// Writes what a submission states of the point into the report directory: point.yaml, and the
/// files of the system. Nothing where no submission is planned.
pub(super) fn complete(
    session: &Session<'_>,
    point: &PointPlan,
    report: &Report,
    facts: &RunFacts,
    read: &Recomputed,
) -> Result<(), Failure> {
    let Some(statement) = session.statement else { return Ok(()) };
    let prepared = session.prepared;
    let stated = statement.point(point.concurrency);
    let config = facts::run_config(prepared, session.simulated, point, Some(&stated.disclosure));
    let description = PointDescription {
        facts,
        config: &config,
        warmup: &WarmupDeclaration::none(),
        planned_turns: expected_turns(&prepared.library, &prepared.plan.sequence),
        disclosure: Some(&stated.disclosure),
    };
    let steady = read.detector.finish(prepared.turns_per_pass());
    let text = description.with_steady(&steady);
    let own = ("point.yaml".into(), text.into_bytes());
    let files = stated.files.into_iter().map(|file| (file.path, file.content));
    for (path, content) in std::iter::once(own).chain(files) {
        write_file(&report.folder.join(path), &content).map_err(|error| disk(&error))?;
    }
    Ok(())
}
