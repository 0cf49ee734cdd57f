//! point.yaml: the official description of a point.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::config::RunConfig;
use super::disclosure::{Disclosure, WarmupDeclaration};
use super::summary::RunFacts;
use crate::metrics::steady::{Analysis, SteadyBlock};

const PERFORMANCE: &str = "Performance";

/// What point.yaml is made of.
#[derive(Clone, Copy, Debug)]
pub struct PointDescription<'a> {
    /// What the numbers belong to.
    pub facts: &'a RunFacts,
    /// The resolved configuration.
    pub config: &'a RunConfig,
    /// The warm-up as it was performed.
    pub warmup: &'a WarmupDeclaration,
    /// Client turns that the point was to issue.
    pub planned_turns: u64,
    /// What a submission states; none where none is planned.
    pub disclosure: Option<&'a Disclosure>,
}

impl PointDescription<'_> {
    /// point.yaml without its steady-state block.
    pub fn to_yaml(&self) -> String {
        PointYaml::new(self).to_yaml()
    }

    /// point.yaml with what the steady-state detector found.
    pub fn with_steady(&self, analysis: &Analysis) -> String {
        with_steady(&self.to_yaml(), self.facts, Some(analysis))
    }
}

/// point.yaml but for the steady-state block: what the run knows, and what a submission discloses
/// where one is planned.
pub(super) struct PointYaml(Map<String, Value>);

#[derive(Serialize)]
struct RuntimeSettings {
    load_pattern: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_duration_ms: Option<u64>,
    min_sample_count: u64,
    /// Every chunk of every reply is read and stamped.
    stream_all_chunks: bool,
    runtime: Value,
}

impl PointYaml {
    /// What is known of a point.
    pub(super) fn new(point: &PointDescription<'_>) -> Self {
        let PointDescription { facts, config, warmup, planned_turns, disclosure } = *point;
        let mut fields = Fields(Map::new());
        fields.set("concurrency", facts.concurrency);
        fields.set_some("region", facts.region.as_deref());
        if let Some(stated) = disclosure {
            fields.set("division", &stated.division);
            fields.set_some("max_supported_concurrency", stated.max_supported_concurrency);
        }
        fields.set_some("model_name", facts.benchmark.as_deref());
        if let Some(stated) = disclosure {
            fields.disclose(stated);
        } else {
            let names: Vec<&str> = config.datasets.iter().map(|set| &*set.name).collect();
            fields.set("dataset_name", names.join(" + "));
            fields.set("dataset_type", PERFORMANCE);
        }
        let seeds = disclosure.map_or_else(
            || json!({ "scheduler_rng_seed": facts.seed, "sample_index_rng_seed": facts.seed }),
            |stated| json!(stated.seeds),
        );
        fields.set(
            "runtime_settings",
            RuntimeSettings {
                load_pattern: "agentic_inference",
                min_duration_ms: facts.min_duration.map(|min| min.as_secs().saturating_mul(1000)),
                min_sample_count: planned_turns,
                stream_all_chunks: true,
                runtime: seeds,
            },
        );
        fields.set("warmup", warmup);
        if let Some(stated) = disclosure {
            if !stated.speculative_decoding.is_empty() {
                fields.set("speculative_decoding", &stated.speculative_decoding);
            }
            fields.set_some("nodes_used", stated.nodes_used.as_ref());
            fields.set_some("dp_shortfall", stated.dp_shortfall.as_ref());
        }
        if facts.simulated {
            // Ours, unknown to the official tools: only there, and true, for the simulated endpoint.
            fields.set("simulated", true);
        }
        Self(fields.0)
    }

    /// The YAML text.
    pub(super) fn to_yaml(&self) -> String {
        serde_yaml::to_string(&self.0).expect("our own types have only text keys and no errors")
    }
}

/// Fields in the order in which they are set.
struct Fields(Map<String, Value>);

impl Fields {
    fn set(&mut self, key: &str, value: impl Serialize) {
        let value = serde_json::to_value(value).expect("our own types have only text keys");
        self.0.insert(key.to_owned(), value);
    }

    fn set_some(&mut self, key: &str, value: Option<impl Serialize>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// What a submission says of model, data set and shared directories.
    fn disclose(&mut self, stated: &Disclosure) {
        self.set("model_precision", &stated.model_precision);
        self.set("link_to_model", &stated.link_to_model);
        self.set_some("link_to_model_transformation", stated.link_to_model_transformation.as_ref());
        self.set_some("model_notes", stated.model_notes.as_ref());
        self.set("dataset", &stated.dataset);
        self.set("dataset_name", &stated.dataset_name);
        let kind = if stated.accuracy_run { "Accuracy + Performance" } else { PERFORMANCE };
        self.set("dataset_type", kind);
        self.set("dataset_link", &stated.dataset_link);
        self.set("shared_src", &stated.shared_src);
        self.set("shared_docs", &stated.shared_docs);
        self.set("seed_set", &stated.seed_set);
        self.set("target_cohort", &stated.target_cohort);
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
            client_limited: false,
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
