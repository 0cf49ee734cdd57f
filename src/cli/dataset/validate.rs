//! `scenario dataset validate`: every finding about data set files.

use std::path::{Path, PathBuf};

use super::count;
use crate::cli::context::Context;
use crate::cli::failure::{ExitStatus, Failure};
use crate::cli::validate::Format;
use crate::dataset::{Facts, Limits, Reader};
use crate::diagnostics::{
    Diagnostic, Place, SourceMap, render_github, render_human, render_json, render_sarif,
};

const EXAMPLES: &str = "\
Examples:
  scenario dataset validate datasets/*.jsonl
  scenario dataset validate --format sarif set.jsonl.zst
  scenario dataset validate --max-findings 1000 set.jsonl

Exit codes: 0 no errors (warnings are none), 1 errors, 2 a file cannot be opened";

/// Check data sets: every rule of the format, with the row of each finding
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The data set files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Findings to print for each file; the others are counted
    #[arg(long, value_name = "N", default_value_t = Limits::default().findings)]
    max_findings: usize,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    let sources = SourceMap::default();
    let (mut findings, mut errors) = (Vec::new(), 0);
    let mut unreadable = false;
    for file in &args.files {
        let checked = check(file, args.max_findings);
        errors += checked.errors;
        unreadable |= checked.unreadable;
        if args.format == Format::Human {
            let text = render_human(&checked.findings, &sources, console.stdout_color());
            if !text.is_empty() {
                console.out(&(text + "\n"))?;
            }
        }
        console.message(&format!("{}: {}", file.display(), checked.summary));
        findings.extend(checked.findings);
    }
    match args.format {
        Format::Human => {}
        Format::Json => console.out(&render_json(&findings, &sources))?,
        Format::Github => console.out(&render_github(&findings, &sources))?,
        Format::Sarif => console.out(&render_sarif(&findings, &sources))?,
    }
    Ok(match (unreadable, errors) {
        (true, _) => ExitStatus::Usage,
        (false, 0) => ExitStatus::Success,
        (false, _) => ExitStatus::Findings,
    })
}

/// What came of one file.
struct Checked {
    findings: Vec<Diagnostic>,
    errors: u64,
    unreadable: bool,
    summary: String,
}

fn check(file: &Path, max_findings: usize) -> Checked {
    let limits = Limits { findings: max_findings, ..Limits::default() };
    let mut reader = match Reader::open(file, limits) {
        Ok(reader) => reader,
        Err(error) => {
            let finding = Diagnostic::error("dataset-unreadable", error.to_string());
            let findings = vec![finding.at(file, Place::File, "")];
            let summary = "not read".to_owned();
            return Checked { findings, errors: 1, unreadable: true, summary };
        }
    };
    let facts = reader.finish();
    let mut findings = reader.diagnostics().to_vec();
    let mut warnings = reader.warnings();
    if let Some(finding) = no_system(file, &facts) {
        findings.push(finding);
        warnings += 1;
    }
    let broken = match facts.broken_trajectories {
        0 => String::new(),
        n => format!(", {n} broken"),
    };
    let summary = format!(
        "{}, {}; {}{broken}, {}",
        count(reader.errors(), "error", "errors"),
        count(warnings, "warning", "warnings"),
        count(facts.trajectories, "usable trajectory", "usable trajectories"),
        count(facts.client_turns, "client turn", "client turns"),
    );
    Checked { findings, errors: reader.errors(), unreadable: false, summary }
}

/// Trajectories that no salted run takes; nothing in the file itself is wrong with them.
fn no_system(file: &Path, facts: &Facts) -> Option<Diagnostic> {
    let first = facts.first_without_system.as_ref()?;
    let (count, first) = (facts.without_system, first.escape_debug());
    let text = match count {
        1 => format!("the conversation `{first}` has no system prompt"),
        _ => format!("{count} conversations have no system prompt, such as `{first}`"),
    };
    let finding = Diagnostic::warning("dataset-no-system", text)
        .note("salted runs, which the benchmark's rules require, refuse them")
        .help("put a `system` text into their first rows, or replay with `cache: { salt: false }`");
    Some(finding.at(file, Place::File, ""))
}
