//! `scenario report`: the numbers of a finished run once more, from its event logs alone.

mod interrupt;
pub(super) mod library;
mod place;
mod point;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use self::interrupt::Interrupt;
use self::place::{Place, Places, find};
use self::point::{Point, Session, Stopped};
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::scoring;
use crate::accuracy::AccuracyVerdict;
use crate::report::{Curve, CurvePoint, verdict_text};
use crate::results::{Manifest, replace_file};

const EXAMPLES: &str = "\
Examples:
  scenario report results/quickstart/20261130T030221Z
  scenario report results/qwen/night --tokenizer models/qwen --write
  scenario report results/qwen/night/points/r8 --format json
  scenario report reference-report/ --tokenizer models/qwen

Token counts are official with a tokenizer: --tokenizer, or the one that the run names. Prompts
come from the log (log.prompts), else from the run's data sets. Without a tokenizer they are what
the server reported, and the output says so. Interrupting leaves the run as it is.

Exit codes:
  0 fine                             1 a self-check failed
  2 wrong usage or invalid input     3 a file cannot be read or written     130 interrupted";

/// Compute the numbers of a finished run again, officially counted
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// A result directory, one of its points/r<N>, a report directory of the reference client, or
    /// an events.jsonl
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Count with the tokenizer and chat template of this model directory
    #[arg(long, value_name = "DIR")]
    tokenizer: Option<PathBuf>,
    /// The run's data sets in the scenario's order, where they no longer lie where they lay
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dataset: Vec<PathBuf>,
    /// How to print the numbers
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Put the numbers into the run's files
    #[arg(long)]
    write: bool,
}

/// How the numbers are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The report of each point; for a result directory the table of its curve, too
    #[default]
    Text,
    /// One JSON object: `points`, each with its `folder` and `summary`
    Json,
}

/// Computes, prints, and with --write replaces the numbers of every point.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let places = find(&args.run)?;
    let interrupt = Interrupt::install()?;
    let console = &context.console;
    let mut session =
        Session { args, places: &places, console, interrupt: &interrupt, library: None };
    let mut points = Vec::new();
    for place in &places.points {
        match session.point(place) {
            Ok(point) => points.push((place, point)),
            Err(Stopped::Failed(failure)) => return Err(failure),
            Err(Stopped::Interrupted) => {
                console.message("interrupted: the run is as it was");
                return Ok(ExitStatus::Interrupted);
            }
        }
    }
    let curve = if places.whole { Some(curve(&places, &points)?) } else { None };
    if args.write {
        write(&places, &points, curve.as_ref(), context)?;
    }
    match args.format {
        Format::Text => {
            for (place, point) in &points {
                if points.len() > 1 {
                    console.out_line(&format!("{}:", place.folder.display()))?;
                }
                console.out_line(&point.text())?;
            }
            if let Some(curve) = &curve {
                console.out_line(&curve.table())?;
                if let Some(verdict) = &curve.accuracy {
                    console.out_line(&format!("\n{}", verdict_text(verdict)))?;
                }
            }
        }
        Format::Json => console.out_line(&json(&points).to_string())?,
    }
    let sound = points.iter().all(|(_, point)| point.is_sound());
    Ok(if sound { ExitStatus::Success } else { ExitStatus::Findings })
}

fn curve(places: &Places, points: &[(&Place, Point)]) -> Result<Curve, Failure> {
    let run = places.run.as_deref().unwrap_or(Path::new("."));
    let manifest = Manifest::read(run).map_err(|error| Failure::could_not(error.to_string()))?;
    let points: Vec<CurvePoint> = points.iter().map(|(_, point)| point.row()).collect();
    let lengths: Vec<_> = points.iter().map(|row| (row.concurrency, row.osl_mean)).collect();
    let verdict = verdict(&run.join("curve.json"))?;
    Ok(Curve {
        scenario: manifest.scenario.name,
        simulated: manifest.simulated,
        points,
        accuracy: verdict.map(|verdict| verdict.with_output_lengths(&lengths)),
    })
}

/// The verdict that a curve.json holds; none where there is none.
fn verdict(path: &Path) -> Result<Option<AccuracyVerdict>, Failure> {
    let Some(bytes) = scoring::read(path)? else { return Ok(None) };
    let parse = || {
        let mut curve: Value = serde_json::from_slice(&bytes)?;
        serde_json::from_value(curve.get_mut("accuracy").map(Value::take).unwrap_or_default())
    };
    parse().map_err(|error: serde_json::Error| {
        Failure::could_not(format!("{}: its verdict cannot be read", path.display()))
            .because(&error)
            .help("remove the file; `scenario score RUN --write` judges anew")
    })
}

/// Replaces the numbers in the run's files. Nothing is written unless every point can be.
fn write(
    places: &Places,
    points: &[(&Place, Point)],
    curve: Option<&Curve>,
    context: &Context,
) -> Result<(), Failure> {
    if let Some((place, _)) = points.iter().find(|(_, point)| !point.is_ours()) {
        let folder = place.folder.display();
        return Err(Failure::usage(format!("{folder}: --write: no run folder of this program"))
            .help("take the numbers from --format json"));
    }
    for (place, point) in points {
        point.write(&place.folder)?;
    }
    match (&places.run, curve) {
        (Some(run), Some(curve)) => replace_file(&run.join("curve.json"), &curve.to_json())
            .map_err(|error| Failure::could_not(error.to_string())),
        (Some(run), None) => {
            let text = "curve.json still holds the old numbers of this point";
            context.console.message(&format!("{}: {text}", run.display()));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn json(points: &[(&Place, Point)]) -> Value {
    let point = |(place, point): &(&Place, Point)| json!({ "folder": place.folder.display().to_string(), "summary": point.summary() });
    json!({ "points": points.iter().map(point).collect::<Vec<_>>() })
}
