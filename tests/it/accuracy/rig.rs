//! A scenario whose accuracy is measured, the stand-in service that it names, and the real process.

use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use super::stand_in::StandIn;
use crate::cli::fixture;
use crate::cli::process::{Done, Running, Sandbox};

/// The result directory of every run here.
pub(super) const RUN: &str = "results/small/x";

/// Gates that the recorded replies and a service that resolves half of its instances pass.
const RULES: &str = r#"{ "extends": "mlperf-endpoints-agentic/v1.0", "name": "house",
    "points": { "min": 1 }, "accuracy": { "swe_bench_instances": 2 },
    "models": [{ "canonical": "mine", "title": "Mine", "submittable": false,
        "swe_bench_template": null, "sampling": {},
        "thresholds": { "inline_percent": 99.0, "swe_bench_percent": 40.0,
                        "output_length": { "min": 1.0, "max": 1000.0 } },
        "reference": null, "checkpoints": [], "drafters": [] }] }"#;

/// A sandbox with `small.yaml`, and a service that answers on a thread of its own.
pub(super) struct Rig {
    pub(super) sandbox: Sandbox,
    pub(super) service: StandIn,
    runtime: Runtime,
}

impl Rig {
    /// A scenario with these points, SWE-bench at `at`, and this endpoint.
    pub(super) fn with(points: &str, at: &str, endpoint: &str) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let service = runtime.block_on(StandIn::start());
        let sandbox = Sandbox::new().env("TOKEN", "t0ken-secret");
        sandbox.write("data.jsonl", &fixture::dataset());
        sandbox.write("house.json", RULES);
        sandbox.write("ids.txt", "a__a-1\nb__b-2\n");
        let more = format!(
            "load: {{ concurrency: {points}, tool_delays: recorded }}\n\
             accuracy:\n  inline: true\n  output_length: true\n  swe_bench:\n    \
             service: {}\n    token: ${{TOKEN}}\n    instances: 2\n    instance_ids: ids.txt\n    \
             endpoint: http://127.0.0.1:9\n    at: {at}\n    poll: 10ms\n    patience: 400ms\n\
             compliance: {{ ruleset: house.json }}\n",
            service.url()
        );
        let scenario = fixture::scenario(endpoint, &more);
        let scenario =
            scenario.replace("model: { name: m }", "model: { name: m, benchmark: mine }");
        sandbox.write("small.yaml", &scenario);
        Self { sandbox, service, runtime }
    }

    /// One point, with SWE-bench there.
    pub(super) fn one() -> Self {
        Self::with("[1]", "[1]", QUICK)
    }

    /// `scenario run`, begun or resumed.
    pub(super) fn arguments(resumed: bool) -> [&'static str; 4] {
        if resumed {
            ["run", "small.yaml", "--resume", RUN]
        } else {
            ["run", "small.yaml", "--run-id", "x"]
        }
    }

    /// Runs the scenario to its end, from the beginning or where it was left.
    pub(super) fn run(&self, resumed: bool) -> Done {
        let done = self.sandbox.run(&Self::arguments(resumed));
        assert!(!done.to_string().contains("t0ken"), "{done}");
        done
    }

    /// Starts the scenario and waits until the service was asked about the job a few times.
    pub(super) fn start_into_the_job(&self) -> Running {
        self.service.inner().steps = 1_000_000;
        let mut run = self.sandbox.start(&Self::arguments(false));
        run.wait_until(|| self.service.count("GET /v1/runs/run-1") > 3);
        run
    }

    /// A JSON file of the result directory.
    pub(super) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.sandbox.read(format!("{RUN}/{name}"))).unwrap()
    }

    /// The SWE-bench entry of a point.
    pub(super) fn swe_bench(&self, point: &str) -> Value {
        let file = self.json(&format!("points/{point}/accuracy/accuracy_results.json"));
        let entries = file["accuracy_scores"].as_array().unwrap().clone();
        entries.into_iter().find(|entry| entry["dataset_name"] == "swe_bench").unwrap_or_default()
    }

    /// Jobs that the service was asked for.
    pub(super) fn submissions(&self) -> usize {
        self.service.count("POST /v1/runs") - self.service.count("POST /v1/runs/")
    }

    /// The service dies.
    pub(super) fn kill_service(&mut self) {
        self.runtime.block_on(self.service.die());
    }

    /// The service comes back with what it knew.
    pub(super) fn revive_service(&mut self) {
        self.runtime.block_on(self.service.come_back(true));
    }
}

/// Answers at once.
pub(super) const QUICK: &str = "{ simulated: { ttft: 1ms, inter_token: 0ms } }";
