//! `scenario export`: configurations for the reference client.

use std::path::{Path, PathBuf};

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use super::prepare::{Prepared, ScenarioArgs, prepare};
use crate::reference::{
    ClientData, ClientPoint, DataError, ENDPOINT_KEY, SWE_BENCH_TOKEN, differences, obstacles,
};
use crate::results;

const EXAMPLES: &str = "\
Examples:
  scenario export --client mlperf-endpoints scenarios/qwen3.6-35b-a3b.yaml
  scenario export --client mlperf-endpoints my-bench.yaml --out configs --points 8,64
  inference-endpoint benchmark from-config -c configs/my-bench-r8.yaml --mode both

Writes one configuration per point, and the data set where the scenario mixes several or takes a
part of one. Keys and tokens stand in no file: the configurations take them from ENDPOINT_API_KEY
and SWEBENCH_TOKEN. `scenario score`, `report` and `audit` take the client's report directories;
`scenario run --client mlperf-endpoints` drives the client itself.

Exit codes:
  0 written   2 wrong usage, or a scenario that the client cannot replay   3 cannot write";

/// Write configurations for the reference client, one per point
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The client that will replay them
    #[arg(long, value_enum)]
    client: Client,
    /// Where the files go; DIR/<scenario>-r<N>.yaml
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Overwrite files
    #[arg(long)]
    force: bool,
}

/// A client other than this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Client {
    /// The reference client of MLPerf Endpoints
    MlperfEndpoints,
}

impl Client {
    /// Its name on the command line and in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::MlperfEndpoints => "mlperf-endpoints",
        }
    }
}

/// Writes the files and names them.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let Client::MlperfEndpoints = args.client;
    let prepared = prepare(&args.scenario, context)?;
    check(&prepared, context)?;
    let scenario = &prepared.scenario;
    if scenario.endpoint.urls.is_empty() {
        return Err(Failure::usage("endpoint.simulated: the client needs a server with a URL")
            .help("start `scenario serve` and name it with --set 'endpoint={urls: [URL]}'"));
    }
    let out = std::path::absolute(&args.out).unwrap_or_else(|_| args.out.clone());
    std::fs::create_dir_all(&out).map_err(|error| {
        Failure::could_not(format!("{}: cannot be made", out.display())).because(&error)
    })?;
    let points: Vec<(u32, PathBuf)> = prepared
        .plan
        .points
        .iter()
        .map(|point| point.concurrency)
        .map(|point| (point, args.out.join(format!("{}-r{point}.yaml", scenario.name))))
        .collect();
    if let (false, Some((_, path))) =
        (args.force, points.iter().find(|(_, path)| path.symlink_metadata().is_ok()))
    {
        return Err(Failure::usage(format!("{}: exists", path.display()))
            .help("replace it with --force, or choose another place with --out"));
    }
    let data = data_file(&prepared, &out.join(format!("{}.jsonl", scenario.name)), args.force)?;
    for (concurrency, path) in &points {
        let report = out.join("logs").join(format!("{}-r{concurrency}", scenario.name));
        let point = ClientPoint {
            scenario,
            concurrency: *concurrency,
            trajectories: prepared.plan.sequence.len(),
            data: &data,
            endpoints: &scenario.endpoint.urls,
            report: &report,
        };
        results::write_file(path, point.to_yaml().as_bytes())
            .map_err(|error| Failure::could_not(error.to_string()))?;
        context.console.out_line(&path.display().to_string())?;
    }
    Ok(ExitStatus::Success)
}

/// Refuses what the client cannot do, and tells what it does otherwise.
pub(super) fn check(prepared: &Prepared, context: &Context) -> Result<(), Failure> {
    let scenario = &prepared.scenario;
    if let Some(first) = obstacles(scenario).into_iter().next() {
        return Err(Failure::usage(format!(
            "{}: the reference client cannot do that: {}",
            first.key, first.text
        ))
        .help(format!("change it for this client with --set {}=…", first.key)));
    }
    for difference in differences(scenario) {
        let (key, text) = (difference.key, difference.text);
        context.console.message(&format!("{key}: differs with the reference client: {text}"));
    }
    let has = |secret: Option<&crate::units::Secret>| secret.is_some_and(|s| !s.is_empty());
    let swe_bench = scenario.accuracy.swe_bench.as_ref();
    for (name, used) in [
        (ENDPOINT_KEY, has(scenario.endpoint.api_key.as_ref())),
        (SWE_BENCH_TOKEN, has(swe_bench.and_then(|section| section.token.as_ref()))),
    ] {
        if used {
            context.console.message(&format!("the configurations read ${{{name}}}"));
        }
    }
    Ok(())
}

/// The data set file for the client; written to `path` where the scenario has none that fits.
pub(super) fn data_file(
    prepared: &Prepared,
    path: &Path,
    replace: bool,
) -> Result<PathBuf, Failure> {
    let (scenario, library) = (&prepared.scenario, &prepared.library);
    let data = ClientData::of(scenario, library, &prepared.plan);
    data.file(scenario, library, path, replace).map_err(|error| match error {
        DataError::Store(error @ crate::dataset::StoreError::Exists(_)) => {
            Failure::usage(error.to_string()).help("replace it with --force")
        }
        error @ DataError::Shared { .. } => Failure::usage(error.to_string())
            .help("give the conversations of one data set other ids"),
        other => Failure::could_not(other.to_string()),
    })
}
