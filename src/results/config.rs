//! config.yaml: the resolved configuration in the reference client's shape.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::disclosure::Seeds;

/// What config.yaml of a point says. Secrets must not be put in here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunConfig {
    /// The run's name, such as `qwen-coding-workflow-r8`.
    pub name: String,
    /// The model as sent.
    pub model: String,
    /// Sampling parameters exactly as the scenario gave them, under the scenario's names;
    /// `max_tokens` is written as `max_new_tokens`.
    pub sampling: Map<String, Value>,
    /// The tokenizer's directory, where one is set.
    pub tokenizer: Option<String>,
    /// The data sets of the mix.
    pub datasets: Vec<ConfigDataset>,
    /// `load.turn_timeout`.
    pub turn_timeout: Duration,
    /// `cache.salt`.
    pub salt: bool,
    /// Whether recorded tool delays are kept unchanged.
    pub tool_delays: bool,
    /// The headers that carry the logical conversation id.
    pub routing_headers: Vec<String>,
    /// The seed of the order.
    pub seed: u64,
    /// The seeds of a submission's seed set, where one is stated.
    pub seeds: Option<Seeds>,
    /// Whether the replies of the replay are scored.
    pub inline: bool,
    /// The SWE-bench run that belongs to the point, where one does.
    pub swe_bench: Option<ConfigSweBench>,
    /// Conversations active at once.
    pub concurrency: u32,
    /// `endpoint.max_idle`.
    pub max_idle: Duration,
    /// Requests sent before the replay to warm the server up; 0 for no warm-up.
    pub warmup_requests: u64,
    /// The URLs; for the simulated endpoint a text that says so.
    pub endpoints: Vec<String>,
    /// What the reference client has no key for.
    pub scenario: ScenarioBlock,
}

/// One data set in config.yaml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigDataset {
    /// Its name in the scenario.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Its trajectories issued over all passes.
    pub trajectories: u64,
}

/// A SWE-bench run in config.yaml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSweBench {
    /// How many instances.
    pub instances: u32,
    /// The service's template, where one is set.
    pub template: Option<String>,
}

/// The block of our own settings in config.yaml.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScenarioBlock {
    /// The tool's version.
    pub version: String,
    /// SHA-256 of the resolved scenario.
    pub digest: String,
    /// Whether the endpoint was the simulated one.
    pub simulated: bool,
    /// Further settings by their name in the scenario file, such as `load.tail`.
    pub settings: Map<String, Value>,
}

impl RunConfig {
    /// The YAML text.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(&Resolved::new(self))
            .expect("our own types have only text keys and no errors")
    }
}

#[derive(Serialize)]
struct Resolved<'a> {
    name: &'a str,
    version: &'static str,
    r#type: &'static str,
    model_params: Map<String, Value>,
    datasets: Vec<Dataset<'a>>,
    settings: Settings,
    endpoint_config: Endpoint<'a>,
    /// From the result directory.
    report_dir: String,
    scenario: &'a ScenarioBlock,
}

#[derive(Serialize)]
struct Dataset<'a> {
    name: &'a str,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy_config: Option<Accuracy<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agentic_inference: Option<Agentic<'a>>,
}

#[derive(Serialize)]
struct Accuracy<'a> {
    eval_method: &'static str,
    num_repeats: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    extras: Option<Extras<'a>>,
}

#[derive(Serialize)]
struct Extras<'a> {
    num_instances: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    swebench_template: Option<&'a str>,
}

#[derive(Serialize)]
struct Agentic<'a> {
    turn_timeout_s: f64,
    enable_salt: bool,
    inject_tool_delay: bool,
    routing_headers: &'a [String],
    num_trajectories_to_issue: u64,
    stop_issuing_on_first_user_complete: bool,
}

#[derive(Serialize)]
struct Settings {
    runtime: Runtime,
    load_pattern: LoadPattern,
    client: Client,
    warmup: Warmup,
    early_stopping: EarlyStopping,
}

#[derive(Serialize)]
struct Runtime {
    /// No replay is ended, or kept going, by time.
    min_duration_ms: u64,
    max_duration_ms: u64,
    scheduler_random_seed: u64,
    dataloader_random_seed: u64,
}

#[derive(Serialize)]
struct LoadPattern {
    r#type: &'static str,
    target_concurrency: u32,
}

#[derive(Serialize)]
struct Client {
    warmup_connections: u32,
    max_connections: i32,
    stream_all_chunks: bool,
    insecure: bool,
    max_idle_time: f64,
}

#[derive(Serialize)]
struct Warmup {
    enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    n_requests: Option<u64>,
    salt: bool,
    drain: bool,
    #[serde(rename = "warmup_random_seed")]
    random_seed: u64,
}

#[derive(Serialize)]
struct EarlyStopping {
    enabled: bool,
}

#[derive(Serialize)]
struct Endpoint<'a> {
    endpoints: &'a [String],
    api_type: &'static str,
}

impl<'a> Resolved<'a> {
    fn new(config: &'a RunConfig) -> Self {
        let played = config.datasets.iter().map(|dataset| Dataset::played(config, dataset));
        let seeds = config.seeds.unwrap_or(Seeds {
            scheduler_rng_seed: config.seed,
            sample_index_rng_seed: config.seed,
            model_seed: config.seed,
        });
        let warm = config.warmup_requests > 0;
        Self {
            name: &config.name,
            version: "1.0",
            r#type: "online",
            model_params: model_params(config),
            datasets: played.chain(config.swe_bench.as_ref().map(Dataset::swe_bench)).collect(),
            settings: Settings {
                runtime: Runtime {
                    min_duration_ms: 0,
                    max_duration_ms: 0,
                    scheduler_random_seed: seeds.scheduler_rng_seed,
                    dataloader_random_seed: seeds.sample_index_rng_seed,
                },
                load_pattern: LoadPattern {
                    r#type: "agentic_inference",
                    target_concurrency: config.concurrency,
                },
                client: Client {
                    warmup_connections: 0,
                    max_connections: -1,
                    stream_all_chunks: true,
                    insecure: false,
                    max_idle_time: config.max_idle.as_secs_f64(),
                },
                // Warm-up requests are never salted, and their replies are always awaited.
                warmup: Warmup {
                    enabled: warm,
                    n_requests: warm.then_some(config.warmup_requests),
                    salt: false,
                    drain: warm,
                    random_seed: config.seed,
                },
                early_stopping: EarlyStopping { enabled: true },
            },
            endpoint_config: Endpoint { endpoints: &config.endpoints, api_type: "openai" },
            report_dir: format!("points/r{}", config.concurrency),
            scenario: &config.scenario,
        }
    }
}

impl<'a> Dataset<'a> {
    /// A data set of the replay.
    fn played(config: &'a RunConfig, dataset: &'a ConfigDataset) -> Self {
        Self {
            name: &dataset.name,
            r#type: "performance",
            path: Some(&dataset.path),
            accuracy_config: config.inline.then_some(Accuracy {
                eval_method: "agentic_inference_inline",
                num_repeats: 1,
                extras: None,
            }),
            agentic_inference: Some(Agentic {
                turn_timeout_s: config.turn_timeout.as_secs_f64(),
                enable_salt: config.salt,
                inject_tool_delay: config.tool_delays,
                routing_headers: &config.routing_headers,
                num_trajectories_to_issue: dataset.trajectories,
                stop_issuing_on_first_user_complete: false,
            }),
        }
    }

    /// The SWE-bench run.
    fn swe_bench(run: &'a ConfigSweBench) -> Self {
        let template = run.template.as_deref();
        let extras = Extras { num_instances: run.instances, swebench_template: template };
        Self {
            name: "swe_bench",
            r#type: "accuracy",
            path: None,
            accuracy_config: Some(Accuracy {
                eval_method: "swe_bench_scorer",
                num_repeats: 1,
                extras: Some(extras),
            }),
            agentic_inference: None,
        }
    }
}

fn model_params(config: &RunConfig) -> Map<String, Value> {
    let mut params = Map::new();
    params.insert("name".to_owned(), config.model.clone().into());
    for (key, value) in &config.sampling {
        let key = if key == "max_tokens" { "max_new_tokens" } else { key };
        params.insert(key.to_owned(), value.clone());
    }
    params.insert("streaming".to_owned(), "on".into());
    if let Some(tokenizer) = &config.tokenizer {
        params.insert("tokenizer_name".to_owned(), tokenizer.clone().into());
    }
    params
}
