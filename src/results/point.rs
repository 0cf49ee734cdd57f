//! point.yaml: the official description of a point, as far as a run knows it.

use serde::Serialize;

use super::config::RunConfig;
use super::summary::RunFacts;
use crate::metrics::steady::{Analysis, SteadyBlock};

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

/// The steady-state block, as the only key of a document.
#[derive(Serialize)]
struct SteadyYaml {
    steady_state: SteadyBlock,
}

/// A point.yaml with the steady-state block of `analysis` at its end, in place of one that it has;
/// every other line stays as it is.
pub(super) fn with_steady(text: &str, facts: &RunFacts, analysis: Option<&Analysis>) -> String {
    let mut inside = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !line.starts_with([' ', '-', '\n', '\r']) {
            inside = line.starts_with("steady_state:");
        }
        if !inside {
            kept.push_str(line);
        }
    }
    if let Some(analysis) = analysis {
        let min_duration = facts.min_duration.unwrap_or_default();
        let steady_state = SteadyBlock::new(analysis, min_duration);
        let block = serde_yaml::to_string(&SteadyYaml { steady_state })
            .expect("our own types have only text keys and no errors");
        if !kept.is_empty() && !kept.ends_with('\n') {
            kept.push('\n');
        }
        kept.push_str(&block);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::steady::analyze;
    use crate::results::PointState;

    #[test]
    fn a_steady_block_takes_the_old_one_s_place() {
        let facts = RunFacts {
            version: String::new(),
            commit: None,
            started_at: std::time::UNIX_EPOCH,
            state: PointState::Complete,
            simulated: false,
            concurrency: 2,
            region: None,
            min_duration: None,
            benchmark: None,
            seed: 1,
            warmup_requests: 0,
        };
        let old =
            "concurrency: 2\nsteady_state:\n  status: windowable\n  state:\n    a: b\nother: 1";
        let analysis = analyze(&[], 4);
        insta::assert_snapshot!(with_steady(old, &facts, Some(&analysis)), @r"
        concurrency: 2
        other: 1
        steady_state:
          status: partial_dataset
          verdict: not found
          state: {}
        ");
        assert_eq!(with_steady(old, &facts, None), "concurrency: 2\nother: 1");
    }
}
