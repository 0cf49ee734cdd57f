//! The end of a run whose scenario has a `submission` section: the tree, and what the audit thinks
//! of it.

use std::path::Path;

use super::point::Session;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::package::{PENDING, failure, judged, say};
use crate::compliance::Report;
use crate::submission::{Options, Replacing, package};

/// Where the tree goes in a result directory.
const DIRECTORY: &str = "submission";

/// Assembles the submission of a complete run; none where the scenario plans none.
///
/// # Errors
/// The run folders make no submission, or it cannot be written.
pub(super) fn assemble(
    session: &Session<'_>,
    run_dir: &Path,
    context: &Context,
) -> Result<Option<Report>, Failure> {
    if session.statement.is_none() {
        return Ok(None);
    }
    let out = run_dir.join(DIRECTORY);
    let options = Options {
        out: &out,
        id: PENDING,
        statement: None,
        replacing: Replacing::Whole,
        archive: false,
    };
    let built = package(&[run_dir.to_owned()], &options).map_err(|error| failure(&error))?;
    let report = judged(&built.root, session.prepared.scenario.ruleset(), context)?;
    say(&built, &report, context);
    Ok(Some(report))
}
