//! The scenario's own checks, at the end of a run.

use std::path::Path;

use crate::cli::console::Console;
use crate::compliance::judge_checks;
use crate::diagnostics::{Severity, render_human};
use crate::scenario::model::Check;

/// Evaluates the checks over the finished points and prints what does not hold; true when one that
/// is an error does not.
pub(super) fn are_broken(checks: &[Check], run: &Path, console: &Console) -> bool {
    let report = judge_checks(run, checks);
    let (findings, sources) = report.located();
    if !findings.is_empty() {
        console.findings(&render_human(&findings, &sources, console.stderr_color()));
    }
    report.count(Severity::Error) > 0
}
