//! From a scenario to the jobs that it asks for.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::client::{Service, ServiceConfig};
use super::error::ServiceError;
use super::instances::{InstanceError, InstanceIds};
use super::job::{Finished, Timing};
use super::protocol::{Generation, RunRequest, Subset, Template};
use crate::accuracy::AccuracyResults;
use crate::scenario::model::Scenario;
use crate::units::Secret;

/// Asking more often tells nothing more.
const SHORTEST_POLL: Duration = Duration::from_millis(10);

/// The jobs of a scenario: one at each of its accuracy points.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// Where they run.
    pub service: Service,
    /// The points, in the scenario's order.
    pub at: Vec<u32>,
    /// How jobs are paced.
    pub timing: Timing,
    model: String,
    endpoint: String,
    api_key: Option<Secret>,
    generation: Generation,
    template: Template,
    workers: Option<u32>,
    eval_workers: u32,
    instances: Vec<String>,
}

/// A scenario whose SWE-bench jobs cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The service's URL cannot be used.
    #[error("accuracy.swe_bench.service: {0}")]
    Service(#[from] ServiceError),
    /// The list of instances cannot be read.
    #[error("accuracy.swe_bench.instance_ids: {0}")]
    Instances(#[from] InstanceError),
    /// Something is missing or unknown.
    #[error("accuracy.swe_bench.{key}: {problem}")]
    Key {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl JobPlan {
    /// The jobs of a valid scenario; none when it asks for none. Reads the file of instance ids.
    ///
    /// # Errors
    /// The section cannot be carried out as it is.
    pub fn new(scenario: &Scenario) -> Result<Option<Self>, PlanError> {
        let Some(section) = &scenario.accuracy.swe_bench else { return Ok(None) };
        let wrong = |key, problem: &str| PlanError::Key { key, problem: problem.to_owned() };
        let service = Service::new(&ServiceConfig::new(&section.service, section.token.clone()))?;
        let ids = section.instance_ids.as_ref();
        let ids = ids.ok_or_else(|| wrong("instance_ids", "missing; name a file with the ids"))?;
        let instances = InstanceIds::read(ids)?.first(section.instances as usize);
        let instances = instances.map_err(|problem| wrong("instance_ids", &problem))?;
        let template = section.template.as_deref().map_or(Some(Template::Default), Template::named);
        let template =
            template.ok_or_else(|| wrong("template", "expected default or qwen_tools"))?;
        let endpoint = section.endpoint.as_ref().or(scenario.endpoint.urls.first());
        let endpoint = endpoint.ok_or_else(|| wrong("endpoint", "missing; there is no URL"))?;
        let sampling = match serde_json::to_value(&scenario.model.sampling) {
            Ok(Value::Object(sampling)) => sampling,
            _ => Map::new(),
        };
        Ok(Some(Self {
            service,
            at: section.at.clone(),
            timing: Timing {
                poll: section.poll.get().max(SHORTEST_POLL),
                patience: section.patience.get(),
                ..Timing::default()
            },
            model: scenario.model.name.clone(),
            endpoint: endpoint.clone(),
            api_key: scenario.endpoint.api_key.clone().filter(|key| !key.is_empty()),
            generation: Generation::of_sampling(&sampling),
            template,
            workers: section.workers,
            eval_workers: section.eval_workers,
            instances,
        }))
    }

    /// What is asked of the service for a point.
    pub fn request(&self, concurrency: u32) -> RunRequest {
        RunRequest {
            model_name: self.model.clone(),
            endpoint_urls: [self.endpoint.clone()],
            endpoint_api_key: self.api_key.as_ref().map(|key| key.expose().to_owned()),
            generation_params: self.generation.clone(),
            subset: Subset::Verified,
            split: "test",
            num_instances: self.instances.len(),
            workers: self.workers.unwrap_or(concurrency).max(1),
            max_eval_workers: self.eval_workers.max(1),
            evaluated_instance_ids: self.instances.clone(),
            template: self.template,
        }
    }
}

impl Finished {
    /// Sets the SWE-bench entry of a run folder's accuracy file, with the run that it comes from
    /// and the concurrency that it really had.
    pub fn record(&self, request: &RunRequest, results: &mut AccuracyResults) {
        let more = json!({
            "run_id": self.run_id,
            "concurrency": request.workers,
            "submitted_instances": self.result.submitted,
            "resolved_instances": self.result.resolved,
        });
        let more = more.as_object().cloned().unwrap_or_default();
        results.set_swe_bench(&self.result.entry(self.duration_ns), more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(swe_bench: &str) -> Scenario {
        let text = format!(
            "schema: scenario/v1\nname: n\n\
             model: {{ name: m, sampling: {{ temperature: 1.0, max_tokens: 8192 }} }}\n\
             endpoint: {{ urls: [http://e:1], api_key: sk-1 }}\n\
             datasets: [{{ name: a, path: a }}]\nload: {{ concurrency: [1, 64] }}\n\
             accuracy: {{ swe_bench: {{ service: 'http://s:1', {swe_bench} }} }}\n"
        );
        serde_yaml::from_str(&text).unwrap()
    }

    #[test]
    fn a_request_takes_its_workers_from_the_point() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ids.txt");
        std::fs::write(&file, "a__a-1\nb__b-2\nc__c-3\n").unwrap();
        let ids = format!("instances: 2, instance_ids: '{}'", file.display());
        let plan = JobPlan::new(&scenario(&format!("{ids}, at: [64]"))).unwrap().unwrap();
        let request = plan.request(64);
        assert_eq!((request.workers, request.max_eval_workers, plan.at), (64, 8, vec![64]));
        assert_eq!(request.evaluated_instance_ids, ["a__a-1", "b__b-2"]);
        assert_eq!(request.endpoint_api_key.as_deref(), Some("sk-1"));
        let more = "workers: 4, eval_workers: 2, endpoint: 'http://from-there:1', \
                    template: qwen_tools";
        let request = JobPlan::new(&scenario(&format!("{ids}, {more}"))).unwrap().unwrap();
        let request = request.request(64);
        assert_eq!((request.workers, request.max_eval_workers), (4, 2));
        assert_eq!(request.endpoint_urls, ["http://from-there:1"]);
        assert_eq!(request.template, Template::QwenTools);

        let error = |more: &str| JobPlan::new(&scenario(more)).unwrap_err().to_string();
        assert_eq!(
            error(&ids.replace("instances: 2", "instances: 4")),
            "accuracy.swe_bench.instance_ids: 3 instance ids, but 4 are to be run"
        );
        assert_eq!(
            error(&format!("{ids}, template: gpt")),
            "accuracy.swe_bench.template: expected default or qwen_tools"
        );
        assert_eq!(
            error("at: [1]"),
            "accuracy.swe_bench.instance_ids: missing; name a file with the ids"
        );
    }

    #[test]
    fn nothing_asked_for_is_no_plan() {
        let mut scenario = scenario("at: []");
        scenario.accuracy.swe_bench = None;
        assert!(JobPlan::new(&scenario).unwrap().is_none());
    }
}
