//! `scenario init`: a scenario to start from.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::context::Context;
use super::failure::{ExitStatus, Failure};

const EXAMPLES: &str = "\
Examples:
  scenario init my-bench                        my-bench.yaml on the simulated endpoint, and data
  scenario init my-bench --template endpoint    the same for a server of your own
  scenario init qwen --template benchmark       the MLPerf Endpoints agentic benchmark";

/// Write a scenario to start from, with a small data set beside it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The scenario's name: NAME.yaml is written in the current directory
    #[arg(default_value = "scenario", value_parser = scenario_name)]
    name: String,
    /// What to start from
    #[arg(long, value_enum, default_value_t)]
    template: Template,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
}

/// What to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Template {
    /// The embedded simulated endpoint; runs at once.
    #[default]
    Simulated,
    /// A server of your own.
    Endpoint,
    /// The MLPerf Endpoints agentic benchmark.
    Benchmark,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Self::Simulated => include_str!("templates/simulated.yaml"),
            Self::Endpoint => include_str!("templates/endpoint.yaml"),
            Self::Benchmark => include_str!("templates/benchmark.yaml"),
        }
    }
}

/// The data sets that every template names.
const DATASETS: [(&str, &str); 2] = [
    ("datasets/coding.jsonl", include_str!("../../datasets/coding.jsonl")),
    ("datasets/workflow.jsonl", include_str!("../../datasets/workflow.jsonl")),
];

/// A name that is a valid `name` of a scenario, and of a file.
fn scenario_name(text: &str) -> Result<String, String> {
    let name = text.strip_suffix(".yaml").unwrap_or(text);
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > 100 || !name.starts_with(|c: char| c.is_ascii_alphanumeric())
    {
        return Err("a name starts with a letter or digit and has 1 to 100 characters".to_owned());
    }
    match name.chars().find(|c| !valid(*c)) {
        None => Ok(name.to_owned()),
        Some(c) => Err(format!("`{c}` cannot stand in a name; use letters, digits, . _ and -")),
    }
}

/// Writes the files, or none of them when one exists with another content.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let file = format!("{}.yaml", args.name);
    let scenario = args.template.text().replace("@NAME@", &args.name).replace("@FILE@", &file);
    let mut files = vec![(PathBuf::from(&file), scenario)];
    files.extend(DATASETS.map(|(path, text)| (PathBuf::from(path), text.to_owned())));

    // A file that is already what we would write is no obstacle: several scenarios share the data.
    files.retain(|(path, text)| std::fs::read(path).ok().as_deref() != Some(text.as_bytes()));
    let existing: Vec<String> = files
        .iter()
        .filter(|(path, _)| std::fs::symlink_metadata(path).is_ok())
        .map(|(path, _)| path.display().to_string())
        .collect();
    if !existing.is_empty() && !args.force {
        let what = existing.join(", ");
        return Err(Failure::usage(format!("{what}: exists already; nothing was written"))
            .help("choose another NAME or directory, or overwrite with --force"));
    }
    for (path, text) in &files {
        write(path, text)?;
        context.console.message(&format!("wrote {}", path.display()));
    }
    context.console.message(&format!(
        "\nNext:\n  scenario validate {file}\n  scenario plan {file}\n  scenario run {file}"
    ));
    context.console.out_line(&file)?;
    Ok(ExitStatus::Success)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let written =
        parent.map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| {
        Failure::could_not(format!("{}: cannot write the file", path.display())).because(&error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_file_and_scenario_names() {
        assert_eq!(scenario_name("my-bench"), Ok("my-bench".to_owned()));
        assert_eq!(scenario_name("qwen3.6.yaml"), Ok("qwen3.6".to_owned()));
        for wrong in ["", ".yaml", "-x", "a/b", "ä", "a b"] {
            assert!(scenario_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_placeholder_is_filled() {
        for template in Template::value_variants() {
            let text = template.text().replace("@NAME@", "n").replace("@FILE@", "f");
            assert!(!text.contains('@'), "{template:?}");
        }
    }
}
