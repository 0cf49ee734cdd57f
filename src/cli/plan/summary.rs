//! What `plan` says, as values.

use std::time::Duration;

use serde::Serialize;

use crate::cli::prepare::Prepared;
use crate::clock::{Nanos, nanos};
use crate::plan::Assignment;
use crate::prompt::{Turn, Volume, expected_duration};
use crate::scenario::model::Simulated;
use crate::scenario::{ValidScenario, ValueOrigin};

/// What a turn is assumed to take on a real endpoint.
const ASSUMED_TURN: Duration = Duration::from_secs(5);
/// Bytes of text that the simulated endpoint counts as one token.
const TOKEN_BYTES: f64 = 4.0;

/// The plan of a scenario.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    /// `name` of the scenario.
    pub(super) scenario: String,
    /// `description`, where there is one.
    pub(super) description: String,
    /// SHA-256 of the resolved document.
    pub(super) digest: String,
    /// The model as sent.
    pub(super) model: String,
    /// The URLs; empty for the simulated endpoint.
    pub(super) endpoints: Vec<String>,
    /// The data sets, in the scenario's order.
    pub(super) datasets: Vec<DatasetSummary>,
    /// The order of trajectories.
    pub(super) order: String,
    /// Trajectories in one pass.
    pub(super) trajectories_per_pass: u32,
    /// Trajectories of one point.
    pub(super) trajectories: u64,
    /// Whether that is a whole number of passes.
    pub(super) whole_passes: bool,
    /// The same for every point.
    pub(super) per_point: VolumeSummary,
    /// What becomes of recorded delays.
    pub(super) tool_delays: serde_json::Value,
    /// Where the expected durations come from.
    pub(super) turn_time: TurnTime,
    /// The points, in the order in which they run.
    pub(super) points: Vec<PointSummary>,
    /// Seconds of all points together.
    pub(super) expected_s: f64,
    /// Every value of the scenario and where it came from.
    pub(super) values: Vec<ValueOrigin>,
    /// What the ruleset binds, where there is one.
    pub(super) ruleset: Option<RulesetSummary>,
}

/// One data set.
#[derive(Debug, Serialize)]
pub(super) struct DatasetSummary {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    pub(super) trajectories: u64,
    pub(super) taken: u32,
    pub(super) client_turns: u64,
    pub(super) delay_s: f64,
}

/// What one point sends.
#[derive(Debug, Serialize)]
pub(super) struct VolumeSummary {
    pub(super) requests: u64,
    pub(super) request_bytes: u64,
    pub(super) longest_request_bytes: u64,
    pub(super) shareable_prefix_bytes: u64,
    pub(super) shareable_prefix_percent: f64,
    pub(super) recorded_reply_bytes: u64,
    pub(super) delay_s: f64,
}

/// What a turn is taken to last.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub(super) enum TurnTime {
    /// As the user said, or the default for a real endpoint.
    Assumed { seconds: f64 },
    /// As the simulated endpoint's model has it.
    Simulated,
}

/// One point.
#[derive(Debug, Serialize)]
pub(super) struct PointSummary {
    pub(super) concurrency: u32,
    pub(super) region: Option<&'static str>,
    /// Conversations that are really active at once: no more than there are trajectories.
    pub(super) active: u32,
    /// Seconds that the delays alone take.
    pub(super) delays_only_s: f64,
    /// Seconds until the performance window is expected to close.
    pub(super) window_s: f64,
    /// Seconds until the last turn is expected to end.
    pub(super) expected_s: f64,
    /// Seconds that the ruleset wants at least.
    pub(super) min_duration_s: Option<u64>,
}

/// What the ruleset binds.
#[derive(Debug, Serialize)]
pub(super) struct RulesetSummary {
    pub(super) name: String,
    pub(super) binds: Vec<String>,
}

impl Summary {
    /// Everything about a plan; `turn_time` is what the user assumes of a turn.
    pub(super) fn new(prepared: &Prepared, turn_time: Option<Duration>) -> Self {
        let (scenario, plan) = (&prepared.scenario, &prepared.plan);
        let delays = scenario.load.tool_delays;
        let delay = |recorded: Nanos| nanos(delays.apply(Duration::from_nanos(recorded)));
        let volume = Volume::of(&prepared.library, &plan.sequence, delay);
        let simulated = scenario.endpoint.simulated.as_ref();
        let model = match (turn_time, simulated) {
            (None, Some(simulated)) => TurnModel::Simulated(simulated),
            (assumed, _) => TurnModel::Assumed(assumed.unwrap_or(ASSUMED_TURN)),
        };
        let points: Vec<PointSummary> = plan
            .points
            .iter()
            .map(|point| {
                let expected = |turn: &dyn Fn(&Turn) -> Nanos| {
                    expected_duration(&plan.sequence, point.concurrency, |assignment| {
                        let turns = turns(prepared, assignment);
                        turns.map(|t| delay(t.delay).saturating_add(turn(t))).sum()
                    })
                };
                let active = u32::try_from(plan.sequence.len()).unwrap_or(u32::MAX);
                let active = active.min(point.concurrency);
                let whole = expected(&|turn| model.time(turn, active));
                PointSummary {
                    concurrency: point.concurrency,
                    region: point.region.map(crate::ruleset::Region::name),
                    active,
                    delays_only_s: seconds(expected(&|_| 0).total),
                    window_s: seconds(whole.window),
                    expected_s: seconds(whole.total),
                    min_duration_s: point.min_duration.map(|least| least.as_secs()),
                }
            })
            .collect();
        Self {
            scenario: scenario.name.clone(),
            description: scenario.description.clone(),
            digest: scenario.digest.clone(),
            model: scenario.model.name.clone(),
            endpoints: scenario.endpoint.urls.clone(),
            datasets: datasets(prepared),
            order: word(&scenario.mix.order),
            trajectories_per_pass: plan.trajectories_per_pass,
            trajectories: plan.sequence.len() as u64,
            whole_passes: plan.whole_passes(),
            per_point: VolumeSummary::from(volume),
            tool_delays: serde_json::to_value(delays).unwrap_or_default(),
            turn_time: model.summary(),
            expected_s: points.iter().map(|point| point.expected_s).sum(),
            points,
            values: scenario.origins().to_vec(),
            ruleset: ruleset(scenario),
        }
    }
}

fn turns(prepared: &Prepared, assignment: Assignment) -> impl Iterator<Item = &Turn> {
    prepared.library.conversations()[assignment.conversation as usize].turns.iter()
}

fn datasets(prepared: &Prepared) -> Vec<DatasetSummary> {
    let sets = &prepared.scenario.datasets;
    let taken = prepared.library.conversations_per_dataset(sets.len());
    sets.iter()
        .zip(&prepared.facts)
        .zip(taken)
        .map(|((dataset, facts), taken)| DatasetSummary {
            name: dataset.name.clone(),
            path: dataset.path.display().to_string(),
            sha256: facts.sha256.clone().unwrap_or_default(),
            bytes: facts.uncompressed_bytes,
            trajectories: facts.trajectories,
            taken,
            client_turns: facts.client_turns,
            delay_s: facts.total_delay.as_secs_f64(),
        })
        .collect()
}

impl From<Volume> for VolumeSummary {
    fn from(volume: Volume) -> Self {
        Self {
            requests: volume.requests,
            request_bytes: volume.bytes,
            longest_request_bytes: volume.longest,
            shareable_prefix_bytes: volume.shareable_bytes,
            shareable_prefix_percent: float(volume.shareable_bytes) * 100.0
                / float(volume.bytes.max(1)),
            recorded_reply_bytes: volume.reply_bytes,
            delay_s: seconds(volume.delays),
        }
    }
}

/// How long a turn is taken to last.
enum TurnModel<'a> {
    Assumed(Duration),
    Simulated(&'a Simulated),
}

impl TurnModel<'_> {
    /// The time of one turn with `active` conversations; for the simulated endpoint its latency
    /// model without the prefill of uncached tokens, which is small beside the rest.
    fn time(&self, turn: &Turn, active: u32) -> Nanos {
        match self {
            Self::Assumed(time) => nanos(*time),
            Self::Simulated(simulated) => {
                let tokens = float(turn.reply_bytes()) / TOKEN_BYTES;
                let slowdown = 1.0 + simulated.batch_slowdown * f64::from(active - 1);
                let stream = simulated.inter_token.get().as_secs_f64() * tokens * slowdown;
                let stream = Duration::try_from_secs_f64(stream).unwrap_or(Duration::MAX);
                nanos(simulated.ttft.get().saturating_add(stream))
            }
        }
    }

    fn summary(&self) -> TurnTime {
        match self {
            Self::Assumed(time) => TurnTime::Assumed { seconds: time.as_secs_f64() },
            Self::Simulated(_) => TurnTime::Simulated,
        }
    }
}

fn ruleset(scenario: &ValidScenario) -> Option<RulesetSummary> {
    let ruleset = scenario.ruleset()?;
    let mut binds = vec![
        "cache.salt: true".to_owned(),
        "load.tool_delays: recorded".to_owned(),
        format!("mix: whole passes over the {} trajectories", ruleset.dataset.trajectories),
        format!("load.concurrency: {} to {} points", ruleset.points.min, ruleset.points.max),
    ];
    let canonical = scenario.model.benchmark.as_deref();
    if let Some(model) = canonical.and_then(|name| ruleset.model(name)) {
        let sampling = serde_json::Value::Object(model.sampling.clone());
        binds.push(format!("model.sampling: {sampling} and nothing else"));
    }
    Some(RulesetSummary { name: ruleset.name.clone(), binds })
}

/// A unit variant as it stands in the scenario file.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn seconds(time: Nanos) -> f64 {
    Duration::from_nanos(time).as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "shown with a few digits")]
fn float(count: u64) -> f64 {
    count as f64
}
