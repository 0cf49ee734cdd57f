//! point.yaml: the official description of a point, as far as a run knows it.

use serde::Serialize;

use super::config::RunConfig;
use super::summary::RunFacts;

/// The fields of point.yaml that a run knows; what only the submitter knows (division, model
/// links, warmup declaration, ...) is added when a submission is assembled.
#[derive(Serialize)]
pub(super) struct PointYaml<'a> {
    concurrency: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_name: Option<&'a str>,
    dataset_name: String,
    dataset_type: &'static str,
    runtime_settings: RuntimeSettings,
    /// Ours, unknown to the official tools: only there, and true, for the simulated endpoint.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    simulated: bool,
}

#[derive(Serialize)]
struct RuntimeSettings {
    load_pattern: &'static str,
    runtime: Runtime,
}

#[derive(Serialize)]
struct Runtime {
    scheduler_rng_seed: u64,
    sample_index_rng_seed: u64,
}

impl<'a> PointYaml<'a> {
    /// What is known of a point.
    pub(super) fn new(facts: &'a RunFacts, config: &RunConfig) -> Self {
        let names: Vec<&str> = config.datasets.iter().map(|set| set.name.as_str()).collect();
        Self {
            concurrency: facts.concurrency,
            region: facts.region.as_deref(),
            model_name: facts.benchmark.as_deref(),
            dataset_name: names.join(" + "),
            dataset_type: "Performance",
            runtime_settings: RuntimeSettings {
                load_pattern: "agentic_inference",
                runtime: Runtime {
                    scheduler_rng_seed: facts.seed,
                    sample_index_rng_seed: facts.seed,
                },
            },
            simulated: facts.simulated,
        }
    }

    /// The YAML text.
    pub(super) fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).expect("our own types have only text keys and no errors")
    }
}
