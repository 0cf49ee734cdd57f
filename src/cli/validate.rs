//! `scenario validate`: every finding about scenario files.

use std::path::PathBuf;

use clap::ValueEnum;

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::prepare::assignment;
use crate::diagnostics::{
    Counts, Diagnostic, SourceMap, render_github, render_human, render_json, render_sarif,
};
use crate::scenario::{Depth, LoadRequest, load};

const EXAMPLES: &str = "\
Examples:
  scenario validate scenarios/*.yaml                     every file, data sets included
  scenario validate --format github scenarios/*.yaml     annotations on a pull request
  scenario validate x.yaml --set load.turn_timeout=30s   with a value changed

Exit codes: 0 no errors (warnings are none), 1 errors, 2 a file cannot be read at all";

/// Check scenario files: YAML, schema and meaning, the data sets included
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The scenario files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Set a value of every scenario; PATH as in `load.turn_timeout`, VALUE in YAML. May be
    /// repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
}

/// How to print findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people: the offending line, underlined.
    #[default]
    Human,
    /// One JSON document.
    Json,
    /// GitHub workflow commands.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// Runs the command.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let console = &context.console;
    let (mut findings, mut sources) = (Vec::<Diagnostic>::new(), SourceMap::default());
    let mut unreadable = false;
    for file in &args.files {
        let loaded = load(&LoadRequest {
            path: file,
            env: &|name| context.env(name),
            set: &args.set,
            depth: Depth::Full,
        });
        unreadable |= loaded.is_unreadable(file);
        if args.format == Format::Human {
            let text = render_human(&loaded.diagnostics, &loaded.sources, console.stdout_color());
            if !text.is_empty() {
                console.out(&(text + "\n"))?;
            }
        }
        console.message(&format!("{}: {}", file.display(), Counts::of(&loaded.diagnostics)));
        findings.extend(loaded.diagnostics);
        sources.extend(loaded.sources);
    }
    match args.format {
        Format::Human => {}
        Format::Json => console.out(&render_json(&findings, &sources))?,
        Format::Github => console.out(&render_github(&findings, &sources))?,
        Format::Sarif => console.out(&render_sarif(&findings, &sources))?,
    }
    Ok(match (unreadable, Counts::of(&findings).errors) {
        (true, _) => ExitStatus::Usage,
        (false, 0) => ExitStatus::Success,
        (false, _) => ExitStatus::Findings,
    })
}
