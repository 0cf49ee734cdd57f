//! The configuration of one point, with the keys that the reference client knows.
//!
//! It refuses unknown keys, and its versions differ in some (the limits of the duration, for one);
//! only keys that every known version has are written, and every other setting keeps its default.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::ruleset::Ruleset;
use crate::scenario::ValidScenario;
use crate::scenario::model::{SweBench, Tail, ToolDelays};

/// The environment variable that configurations take the endpoint's key from.
pub const ENDPOINT_KEY: &str = "ENDPOINT_API_KEY";
/// The environment variable that configurations take the SWE-bench service's token from.
pub const SWE_BENCH_TOKEN: &str = "SWEBENCH_TOKEN";

/// One point for the reference client.
#[derive(Clone, Copy, Debug)]
pub struct ClientPoint<'a> {
    /// The scenario.
    pub scenario: &'a ValidScenario,
    /// Conversations active at once.
    pub concurrency: u32,
    /// Trajectories to issue, over all passes.
    pub trajectories: usize,
    /// The data set file.
    pub data: &'a Path,
    /// The URLs.
    pub endpoints: &'a [String],
    /// Where the client leaves its results.
    pub report: &'a Path,
}

impl ClientPoint<'_> {
    /// The configuration as YAML. Secrets stand there as environment variables.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(&self.value()).expect("JSON values are YAML")
    }

    fn value(&self) -> Value {
        let scenario = self.scenario;
        let mut endpoint = Map::new();
        let urls: Vec<String> = self.endpoints.iter().map(|url| escaped(url)).collect();
        endpoint.insert("endpoints".to_owned(), json!(urls));
        if has_secret(scenario.endpoint.api_key.as_ref()) {
            endpoint.insert("api_key".to_owned(), json!(format!("${{{ENDPOINT_KEY}}}")));
        }
        endpoint.insert("api_type".to_owned(), json!("openai"));
        let (scheduler, sample_index) = seeds(scenario);
        json!({
            "name": format!("{}-r{}", escaped(&scenario.name), self.concurrency),
            "version": "1.0",
            "type": "online",
            "model_params": self.model_params(),
            "datasets": self.datasets(),
            "settings": {
                "runtime": {
                    "scheduler_random_seed": scheduler,
                    "dataloader_random_seed": sample_index,
                },
                "load_pattern": {
                    "type": "agentic_inference",
                    "target_concurrency": self.concurrency,
                },
                "client": {
                    "warmup_connections": 0,
                    "max_idle_time": scenario.endpoint.max_idle.get().as_secs_f64(),
                },
            },
            "endpoint_config": endpoint,
            "report_dir": escaped(&self.report.display().to_string()),
        })
    }

    fn model_params(&self) -> Map<String, Value> {
        let model = &self.scenario.model;
        let mut params = Map::new();
        params.insert("name".to_owned(), escaped(&model.name).into());
        if let Ok(Value::Object(sampling)) = serde_json::to_value(&model.sampling) {
            for (key, value) in sampling {
                let key = if key == "max_tokens" { "max_new_tokens".to_owned() } else { key };
                params.insert(key, escaped_value(value));
            }
        }
        params.insert("streaming".to_owned(), "on".into());
        if let Some(tokenizer) = &model.tokenizer {
            let tokenizer = escaped(&tokenizer.display().to_string());
            params.insert("tokenizer_name".to_owned(), tokenizer.into());
        }
        params
    }

    fn datasets(&self) -> Vec<Value> {
        let scenario = self.scenario;
        let load = &scenario.load;
        let mut performance = json!({
            "name": "agentic_inference_conversations",
            "type": "performance",
            "path": escaped(&self.data.display().to_string()),
        });
        if scenario.accuracy.inline {
            performance["accuracy_config"] =
                json!({ "eval_method": "agentic_inference_inline", "num_repeats": 1 });
        }
        performance["agentic_inference"] = json!({
            "turn_timeout_s": load.turn_timeout.get().as_secs_f64(),
            "enable_salt": scenario.cache.salt,
            "inject_tool_delay": load.tool_delays == ToolDelays::Recorded,
            "routing_headers": [escaped(&scenario.endpoint.session_header)],
            "num_trajectories_to_issue": self.trajectories,
            "stop_issuing_on_first_user_complete": load.tail == Tail::Stop,
        });
        let swe_bench = scenario.accuracy.swe_bench.as_ref();
        let swe_bench = swe_bench.filter(|section| section.at.contains(&self.concurrency));
        let swe_bench = swe_bench.map(|section| self.swe_bench(section));
        std::iter::once(performance).chain(swe_bench).collect()
    }

    fn swe_bench(&self, section: &SweBench) -> Value {
        let mut extras = Map::new();
        extras.insert("swebench_service_url".to_owned(), escaped(&section.service).into());
        if has_secret(section.token.as_ref()) {
            let token = format!("${{{SWE_BENCH_TOKEN}}}");
            extras.insert("swebench_service_auth_token".to_owned(), token.into());
        }
        extras.insert("num_instances".to_owned(), section.instances.into());
        extras.insert("workers".to_owned(), section.workers.unwrap_or(self.concurrency).into());
        extras.insert("max_eval_workers".to_owned(), section.eval_workers.into());
        if let Some(template) = section.template.as_ref().filter(|name| *name != "default") {
            extras.insert("swebench_template".to_owned(), escaped(template).into());
        }
        json!({
            "name": "swe_bench",
            "type": "accuracy",
            "accuracy_config": {
                "eval_method": "swe_bench_scorer",
                "num_repeats": 1,
                "extras": extras,
            },
        })
    }
}

/// The seeds of the scheduler and of the order of samples: those of the submission's seed set,
/// else the scenario's own.
fn seeds(scenario: &ValidScenario) -> (u64, u64) {
    let stated = scenario.submission.as_ref().map(|submission| submission.seed_set.as_str());
    let set = stated.zip(scenario.ruleset()).and_then(|(id, rules)| Ruleset::seed_set(rules, id));
    set.map_or((scenario.mix.seed, scenario.mix.seed), |set| {
        (set.scheduler_rng_seed, set.sample_index_rng_seed)
    })
}

fn has_secret(secret: Option<&crate::units::Secret>) -> bool {
    secret.is_some_and(|secret| !secret.is_empty())
}

/// A text in which the client finds no environment variable.
fn escaped(text: &str) -> String {
    text.replace('$', "$$")
}

fn escaped_value(value: Value) -> Value {
    match value {
        Value::String(text) => escaped(&text).into(),
        Value::Array(list) => list.into_iter().map(escaped_value).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (key, escaped_value(value))).collect()
        }
        other => other,
    }
}
