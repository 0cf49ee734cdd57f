//! What the service is sent and what it answers (API version v1).

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The API version that is spoken here.
const API_VERSION: &str = "v1";
/// What the service must be able to do.
const NEEDED: [&str; 3] = ["swebench.run", "swebench.cancel", "artifacts.download"];
/// The longest run id; it stands in URLs and file names.
const MAX_RUN_ID: usize = 128;

/// The files that a finished run may offer.
pub const ARTIFACTS: [&str; 5] = [
    "preds.json",
    "swe_bench_agent.log",
    "swe_bench_eval.log",
    "swe_bench_results.json",
    "status.json",
];

/// An answer that is not of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Not JSON of the expected shape.
    #[error("the answer is not what API v1 sends: {0}")]
    Shape(String),
    /// Another API version.
    #[error("the service speaks API version `{0}`, expected `v1`")]
    Version(String),
    /// The service does not say that it is well.
    #[error("the service says that it is `{0}`, expected `ok`")]
    NotOk(String),
    /// A capability is missing.
    #[error("the service cannot do `{0}`, which is needed")]
    Capability(&'static str),
    /// A run id that could not stand in a URL.
    #[error("the run id {0} holds other characters than letters, digits, `_` and `-`")]
    RunId(String),
    /// An answer about another run.
    #[error("asked for run `{asked}`, but the answer is about `{answered}`")]
    OtherRun {
        /// The run that was asked for.
        asked: String,
        /// The run in the answer.
        answered: String,
    },
}

/// The answer of `GET /health`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Health {
    api_version: String,
    #[serde(default)]
    capabilities: Vec<String>,
    #[serde(default)]
    status: String,
}

impl Health {
    /// Reads and checks an answer.
    ///
    /// # Errors
    /// Another version, a missing capability, or a service that is not well.
    pub fn parse(body: &[u8]) -> Result<Self, ProtocolError> {
        let health: Self = parse(body)?;
        if health.api_version != API_VERSION {
            return Err(ProtocolError::Version(health.api_version));
        }
        if health.status != "ok" {
            return Err(ProtocolError::NotOk(health.status));
        }
        match NEEDED.into_iter().find(|needed| !health.can(needed)) {
            Some(missing) => Err(ProtocolError::Capability(missing)),
            None => Ok(health),
        }
    }

    /// Whether the service tells how far a run is.
    pub fn tells_progress(&self) -> bool {
        self.can("swebench.progress")
    }

    fn can(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|known| known == capability)
    }
}

/// The part of SWE-bench that is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subset {
    /// SWE-bench Verified; the official one.
    #[default]
    Verified,
    /// SWE-bench Lite.
    Lite,
}

/// How the agent is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Template {
    /// For most models.
    #[default]
    Default,
    /// For Qwen's way of calling tools.
    QwenTools,
}

impl Template {
    /// The template of a name; none when there is no such one.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::Default),
            "qwen_tools" => Some(Self::QwenTools),
            _ => None,
        }
    }
}

/// The sampling parameters of the agent's requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Generation(Map<String, Value>);

impl Generation {
    /// From a scenario's sampling, whose `max_tokens` the service calls `max_new_tokens`.
    pub fn of_sampling(sampling: &Map<String, Value>) -> Self {
        let rename = |(key, value): (&String, &Value)| {
            let key = if key == "max_tokens" { "max_new_tokens" } else { key };
            (key.to_owned(), value.clone())
        };
        Self(sampling.iter().map(rename).collect())
    }
}

/// The body of `POST /v1/runs`. The service refuses unknown keys.
#[derive(Clone, Serialize)]
pub struct RunRequest {
    /// The model as the endpoint knows it.
    pub model_name: String,
    /// Exactly one URL, as it is reached from the service's host.
    pub endpoint_urls: [String; 1],
    /// The endpoint's key. Sent to the service and shown nowhere else.
    pub endpoint_api_key: Option<String>,
    /// Sampling parameters.
    pub generation_params: Generation,
    /// The part of SWE-bench.
    pub subset: Subset,
    /// The split of the data set.
    pub split: &'static str,
    /// How many instances: the length of the list.
    pub num_instances: usize,
    /// Agents at work at once.
    pub workers: u32,
    /// Evaluations at work at once.
    pub max_eval_workers: u32,
    /// The instances, in the data set's order.
    pub evaluated_instance_ids: Vec<String>,
    /// How the agent is set up.
    pub template: Template,
}

impl RunRequest {
    /// What identifies the job: SHA-256 of the request without the endpoint's key.
    pub fn digest(&self) -> String {
        let without_key = Self { endpoint_api_key: None, ..self.clone() };
        let bytes = serde_json::to_vec(&without_key).expect("plain values have no errors");
        crate::digest::sha256_hex(&bytes)
    }
}

impl std::fmt::Debug for RunRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = self.endpoint_api_key.as_ref().map(|_| crate::units::Secret::MASK);
        f.debug_struct("RunRequest")
            .field("model_name", &self.model_name)
            .field("endpoint_urls", &self.endpoint_urls)
            .field("endpoint_api_key", &key)
            .field("num_instances", &self.num_instances)
            .finish_non_exhaustive()
    }
}

/// Whether a run is over, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// Accepted.
    Queued,
    /// At work.
    Running,
    /// Done, with a result.
    Succeeded,
    /// Given up by the service.
    Failed,
    /// Cancelled.
    Cancelled,
}

impl RunState {
    /// Whether the run will not change any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// The answer about one run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RunStatus {
    /// The run: letters, digits, `_` and `-`.
    pub run_id: String,
    /// Whether it is over.
    pub status: RunState,
    /// What it is at, in one word.
    #[serde(default)]
    pub phase: Option<String>,
    /// Instances for the agent.
    #[serde(default)]
    pub agent_total: Option<u64>,
    /// Of these, done.
    #[serde(default)]
    pub agent_completed: Option<u64>,
    /// Instances to evaluate.
    #[serde(default)]
    pub eval_total: Option<u64>,
    /// Of these, done.
    #[serde(default)]
    pub eval_completed: Option<u64>,
    /// When it was accepted, in seconds since 1970.
    #[serde(default)]
    pub created_at: Option<f64>,
    /// When it ended.
    #[serde(default)]
    pub finished_at: Option<f64>,
    /// What it has to say.
    #[serde(default)]
    pub message: Option<String>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// The harness's report.
    #[serde(default)]
    pub result: Option<Map<String, Value>>,
    /// The files that it offers.
    #[serde(default)]
    artifacts: Vec<Artifact>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Artifact {
    #[serde(default)]
    name: String,
    #[serde(default)]
    url: String,
}

impl RunStatus {
    /// Reads and checks an answer; `asked` is the run that it must be about, where one is known.
    ///
    /// # Errors
    /// Not a status, an unusable run id, or another run's status.
    pub fn parse(body: &[u8], asked: Option<&str>) -> Result<Self, ProtocolError> {
        let status: Self = parse(body)?;
        if !is_run_id(&status.run_id) {
            let shown = crate::wire::excerpt(status.run_id.as_bytes());
            return Err(ProtocolError::RunId(format!("{shown:?}")));
        }
        match asked {
            Some(asked) if asked != status.run_id => {
                Err(ProtocolError::OtherRun { asked: asked.to_owned(), answered: status.run_id })
            }
            _ => Ok(status),
        }
    }

    /// The known files that the run offers at the URL where they belong, in the order of
    /// [`ARTIFACTS`]; anything else is ignored.
    pub fn artifacts(&self) -> Vec<&'static str> {
        let offered = |name: &&str| {
            let url = artifact_path(&self.run_id, name);
            self.artifacts.iter().any(|artifact| artifact.name == *name && artifact.url == url)
        };
        ARTIFACTS.into_iter().filter(offered).collect()
    }

    /// Whether the run succeeded, or still may.
    pub fn can_succeed(&self) -> bool {
        !matches!(self.status, RunState::Failed | RunState::Cancelled)
    }

    /// One line about how far the run is.
    pub fn progress(&self) -> String {
        let phase = self.phase.as_deref().unwrap_or(match self.status {
            RunState::Queued => "queued",
            RunState::Running => "running",
            RunState::Succeeded => "succeeded",
            RunState::Failed => "failed",
            RunState::Cancelled => "cancelled",
        });
        let mut line = crate::wire::excerpt(phase.as_bytes());
        let parts = [
            ("agent", self.agent_completed, self.agent_total),
            ("eval", self.eval_completed, self.eval_total),
        ];
        for (name, done, total) in parts {
            if let (Some(done), Some(total)) = (done, total) {
                let _ = write!(line, ", {name} {done}/{total}");
            }
        }
        line
    }
}

/// The path of a run's file.
pub(super) fn artifact_path(run_id: &str, name: &str) -> String {
    format!("/v1/runs/{run_id}/artifacts/{name}")
}

/// Whether a text can be a run id: it stands in URLs, so nothing but letters, digits, `_`, `-`.
pub(super) fn is_run_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= MAX_RUN_ID && text.bytes().all(fits)
}

fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ProtocolError> {
    serde_json::from_slice(body).map_err(|error| ProtocolError::Shape(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn health_is_checked() {
        let health = |version: &str, status: &str, capabilities: &[&str]| {
            let body =
                json!({ "api_version": version, "status": status, "capabilities": capabilities });
            Health::parse(body.to_string().as_bytes())
        };
        let all = ["swebench.run", "swebench.cancel", "artifacts.download", "swebench.progress"];
        assert!(health("v1", "ok", &all).unwrap().tells_progress());
        assert!(!health("v1", "ok", &all[..3]).unwrap().tells_progress());
        let errors: Vec<String> = [
            health("v2", "ok", &all),
            health("v1", "starting", &all),
            health("v1", "ok", &all[1..]),
            Health::parse(b"<html>"),
            Health::parse(b"{}"),
        ]
        .map(|health| health.unwrap_err().to_string())
        .into();
        insta::assert_snapshot!(errors.join("\n"), @r"
        the service speaks API version `v2`, expected `v1`
        the service says that it is `starting`, expected `ok`
        the service cannot do `swebench.run`, which is needed
        the answer is not what API v1 sends: expected value at line 1 column 1
        the answer is not what API v1 sends: missing field `api_version` at line 1 column 2
        ");
    }

    fn status(run_id: &str) -> Result<RunStatus, ProtocolError> {
        let body = json!({ "run_id": run_id, "status": "running" }).to_string();
        RunStatus::parse(body.as_bytes(), None)
    }

    #[test]
    fn run_ids_are_safe_in_urls() {
        assert!(status("run_1-A").is_ok());
        for unsafe_id in ["", "../x", "a/b", "a b", "é", "a?b", &"a".repeat(129)] {
            assert!(matches!(status(unsafe_id), Err(ProtocolError::RunId(_))), "{unsafe_id}");
        }
        let body = br#"{"run_id":"b","status":"running"}"#;
        let error = RunStatus::parse(body, Some("a")).unwrap_err();
        assert_eq!(error.to_string(), "asked for run `a`, but the answer is about `b`");
    }

    #[test]
    fn only_known_artifacts_at_their_own_url_are_offered() {
        let body = json!({
            "run_id": "r1", "status": "succeeded", "artifacts": [
                { "name": "status.json", "url": "/v1/runs/r1/artifacts/status.json" },
                { "name": "preds.json", "url": "/v1/runs/r1/artifacts/preds.json" },
                { "name": "swe_bench_agent.log", "url": "http://elsewhere/swe_bench_agent.log" },
                { "name": "swe_bench_eval.log", "url": "/v1/runs/r2/artifacts/swe_bench_eval.log" },
                { "name": "../../etc/passwd", "url": "/v1/runs/r1/artifacts/../../etc/passwd" },
                {},
            ],
        });
        let status = RunStatus::parse(body.to_string().as_bytes(), None).unwrap();
        assert_eq!(status.artifacts(), ["preds.json", "status.json"]);
    }

    #[test]
    fn progress_is_one_line() {
        let body = json!({
            "run_id": "r", "status": "running", "phase": "agent\u{7}", "agent_total": 200,
            "agent_completed": 12, "eval_total": null,
        });
        let status = RunStatus::parse(body.to_string().as_bytes(), None).unwrap();
        assert_eq!(status.progress(), "agent , agent 12/200");
        assert_eq!(super::tests::status("r").unwrap().progress(), "running");
    }

    #[test]
    fn the_request_has_every_key_of_the_protocol_and_hides_the_key() {
        let sampling = json!({ "temperature": 1.0, "max_tokens": 8192 });
        let mut request = RunRequest {
            model_name: "m".to_owned(),
            endpoint_urls: ["http://h:1".to_owned()],
            endpoint_api_key: Some("sk-1".to_owned()),
            generation_params: Generation::of_sampling(sampling.as_object().unwrap()),
            subset: Subset::Verified,
            split: "test",
            num_instances: 1,
            workers: 2,
            max_eval_workers: 3,
            evaluated_instance_ids: vec!["a__b-1".to_owned()],
            template: Template::QwenTools,
        };
        let sent = serde_json::to_value(&request).unwrap();
        let expected = json!({
            "model_name": "m", "endpoint_urls": ["http://h:1"], "endpoint_api_key": "sk-1",
            "generation_params": { "temperature": 1.0, "max_new_tokens": 8192 },
            "subset": "verified", "split": "test", "num_instances": 1, "workers": 2,
            "max_eval_workers": 3, "evaluated_instance_ids": ["a__b-1"], "template": "qwen_tools",
        });
        assert_eq!(sent, expected);
        assert!(!format!("{request:?}").contains("sk-1"));
        let digest = request.digest();
        request.endpoint_api_key = None;
        assert_eq!(request.digest(), digest);
        request.workers = 4;
        assert_ne!(request.digest(), digest);
    }

    proptest! {
        #[test]
        fn no_answer_panics(body in "\\PC{0,100}|[{}\\[\\]\":,a-z_0-9]{0,80}") {
            let _ = Health::parse(body.as_bytes());
            let _ = RunStatus::parse(body.as_bytes(), Some("r"));
        }
    }
}
