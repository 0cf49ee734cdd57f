//! What a run knows of itself, in the forms of the result directory.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use crate::cli::prepare::Prepared;
use crate::cli::progress::clock_text;
use crate::plan::PointPlan;
use crate::report::CurvePoint;
use crate::results::{
    ConfigDataset, ConfigSweBench, DatasetEntry, Disclosure, Manifest, PointEntry, PointState,
    RunConfig, RunFacts, ScenarioBlock, ScenarioEntry, ToolEntry, rfc3339,
};
use crate::scenario::model::{GeneratedTokens, ToolDelays};

/// This program's version.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit that the program was built from, where the build was told.
const COMMIT: Option<&str> = option_env!("SCENARIO_COMMIT");

/// The manifest of a run that is about to begin.
pub(super) fn manifest(
    prepared: &Prepared,
    simulated: bool,
    measured_by: Option<&str>,
    host: Value,
    started_at: SystemTime,
) -> Manifest {
    let scenario = &prepared.scenario;
    let tool = ToolEntry {
        name: "scenario".to_owned(),
        version: VERSION.to_owned(),
        commit: COMMIT.map(str::to_owned),
    };
    let entry = ScenarioEntry { name: scenario.name.clone(), digest: scenario.digest.clone() };
    let datasets =
        scenario.datasets.iter().zip(&prepared.facts).map(|(dataset, facts)| DatasetEntry {
            name: dataset.name.clone(),
            path: dataset.path.display().to_string(),
            sha256: facts.sha256.clone().unwrap_or_default(),
            bytes: facts.uncompressed_bytes,
            trajectories: facts.trajectories,
            client_turns: facts.client_turns,
        });
    let points = prepared
        .plan
        .points
        .iter()
        .map(|point| PointEntry::planned(point.concurrency, region(point)));
    let mut manifest = Manifest::new(tool, entry, datasets.collect(), points.collect(), started_at);
    manifest.simulated = simulated;
    manifest.measured_by = measured_by.map(str::to_owned);
    manifest.host = host;
    manifest
}

/// What the numbers of a point belong to.
pub(super) fn run_facts(
    prepared: &Prepared,
    simulated: bool,
    point: &PointPlan,
    started_at: SystemTime,
    state: PointState,
) -> RunFacts {
    let scenario = &prepared.scenario;
    RunFacts {
        version: VERSION.to_owned(),
        commit: COMMIT.map(str::to_owned),
        started_at,
        state,
        simulated,
        client_limited: false,
        concurrency: point.concurrency,
        region: region(point),
        min_duration: point.min_duration,
        benchmark: scenario.model.benchmark.clone(),
        seed: scenario.mix.seed,
        warmup_requests: warmup_requests(prepared),
    }
}

/// The resolved configuration of a point.
pub(super) fn run_config(
    prepared: &Prepared,
    simulated: bool,
    point: &PointPlan,
    disclosure: Option<&Disclosure>,
) -> RunConfig {
    let scenario = &prepared.scenario;
    let swe_bench = scenario.accuracy.swe_bench.as_ref();
    let swe_bench = swe_bench.filter(|run| run.at.contains(&point.concurrency));
    let endpoint = &scenario.endpoint;
    let datasets = (0..).zip(&scenario.datasets).map(|(index, dataset)| ConfigDataset {
        name: dataset.name.clone(),
        path: dataset.path.display().to_string(),
        trajectories: trajectories_of(prepared, index),
    });
    RunConfig {
        name: format!("{}-r{}", scenario.name, point.concurrency),
        model: scenario.model.name.clone(),
        sampling: object(&scenario.model.sampling),
        tokenizer: scenario.model.tokenizer.as_ref().map(|path| path.display().to_string()),
        datasets: datasets.collect(),
        turn_timeout: scenario.load.turn_timeout.get(),
        salt: scenario.cache.salt,
        tool_delays: scenario.load.tool_delays == ToolDelays::Recorded,
        routing_headers: vec![endpoint.session_header.clone()],
        seed: scenario.mix.seed,
        seeds: disclosure.map(|stated| stated.seeds),
        inline: scenario.accuracy.inline,
        swe_bench: swe_bench
            .map(|run| ConfigSweBench { instances: run.instances, template: run.template.clone() }),
        concurrency: point.concurrency,
        max_idle: endpoint.max_idle.get(),
        warmup_requests: warmup_requests(prepared),
        endpoints: match endpoint.simulated {
            Some(_) => vec!["simulated".to_owned()],
            None => endpoint.urls.clone(),
        },
        scenario: ScenarioBlock {
            version: VERSION.to_owned(),
            digest: scenario.digest.clone(),
            simulated,
            settings: settings(prepared),
        },
    }
}

/// Trajectories of the data set at `dataset` that a point issues, over all passes.
fn trajectories_of(prepared: &Prepared, dataset: u32) -> u64 {
    let conversations = prepared.library.conversations();
    let of_set = |index: usize| conversations.get(index).is_some_and(|c| c.dataset == dataset);
    let sequence = prepared.plan.sequence.iter();
    sequence.filter(|assignment| of_set(assignment.conversation as usize)).count() as u64
}

fn warmup_requests(prepared: &Prepared) -> u64 {
    prepared.scenario.load.warmup.as_ref().map_or(0, |warmup| warmup.requests.into())
}

/// What the reference client has no key for.
fn settings(prepared: &Prepared) -> Map<String, Value> {
    let scenario = &prepared.scenario;
    let keep = scenario.cache.generated_tokens == GeneratedTokens::Keep;
    let mut settings = Map::new();
    let datasets = scenario.datasets.iter().zip(&prepared.facts);
    let datasets = datasets.map(|(set, facts)| json!({ "name": set.name, "sha256": facts.sha256 }));
    settings.insert("datasets".to_owned(), datasets.collect());
    settings.insert("mix".to_owned(), json!(scenario.mix));
    settings.insert("load.tail".to_owned(), json!(scenario.load.tail));
    settings.insert("load.tool_delays".to_owned(), json!(scenario.load.tool_delays));
    let generated = if keep { "keep" } else { "clear" };
    settings.insert("cache.generated_tokens".to_owned(), json!(generated));
    settings.insert("endpoint.usage".to_owned(), json!(scenario.endpoint.usage));
    settings
        .insert("endpoint.reasoning_field".to_owned(), json!(scenario.endpoint.reasoning_field));
    settings
}

fn object(value: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn region(point: &PointPlan) -> Option<String> {
    point.region.map(|region| region.name().to_owned())
}

/// A run id from the time of its start: `20261130T030221Z`.
pub(super) fn stamp(started_at: SystemTime) -> String {
    let text = rfc3339(started_at);
    let seconds = text.split('.').next().unwrap_or(&text);
    seconds.chars().filter(char::is_ascii_alphanumeric).chain(['Z']).collect()
}

/// One line about a finished point.
pub(super) fn point_line(row: &CurvePoint) -> String {
    let mut line = format!(
        "point r{}: {}, {} turns, {} failed",
        row.concurrency,
        row.state.name(),
        row.turns,
        row.failed
    );
    if row.skipped > 0 {
        let _ = write!(line, ", {} skipped", row.skipped);
    }
    match row.duration_s {
        Some(seconds) if seconds < 60.0 => {
            let _ = write!(line, ", performance window {seconds:.1} s");
        }
        Some(seconds) => {
            let window = clock_text(Duration::from_secs_f64(seconds));
            let _ = write!(line, ", performance window {window}");
        }
        None => line.push_str(", nothing measured"),
    }
    line
}

/// A JSON document on one line.
pub(super) fn json_line(pretty: &[u8]) -> String {
    let value: Value = serde_json::from_slice(pretty).unwrap_or_default();
    value.to_string()
}
