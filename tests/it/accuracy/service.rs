//! Jobs at a SWE-bench service that misbehaves.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scenario::accuracy::swe_bench::{
    Finished, Generation, Job, JobEvent, JobState, RunRequest, Service, ServiceConfig,
    ServiceError, Subset, SweBenchError, Template, Timing,
};
use scenario::units::Secret;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::watch;

use super::stand_in::{Fault, StandIn};

const TIMING: Timing = Timing {
    poll: Duration::from_millis(5),
    patience: Duration::from_secs(20),
    limit: Duration::from_mins(1),
    cancel: Duration::from_millis(100),
};

/// A service, a client of it, and a place for its files.
struct Rig {
    service: StandIn,
    client: Service,
    folder: TempDir,
    request: RunRequest,
    timing: Timing,
}

fn client(url: &str, token: &str) -> Service {
    Service::new(&ServiceConfig::new(url, Some(Secret::new(token)))).unwrap()
}

/// A client that waits only this long for an answer.
fn hasty_client(url: &str, answer_time: Duration) -> Service {
    let mut config = ServiceConfig::new(url, Some(Secret::new("t0ken-secret")));
    config.answer_time = answer_time;
    Service::new(&config).unwrap()
}

impl Rig {
    async fn new() -> Self {
        let service = StandIn::start().await;
        let sampling = json!({ "temperature": 1.0, "max_tokens": 8192 });
        let request = RunRequest {
            model_name: "m".to_owned(),
            endpoint_urls: ["http://127.0.0.1:9".to_owned()],
            endpoint_api_key: Some("sk-endpoint".to_owned()),
            generation_params: Generation::of_sampling(sampling.as_object().unwrap()),
            subset: Subset::Verified,
            split: "test",
            num_instances: 2,
            workers: 1,
            max_eval_workers: 1,
            evaluated_instance_ids: vec!["a__a-1".to_owned(), "b__b-2".to_owned()],
            template: Template::Default,
        };
        let client = client(&service.url(), "t0ken-secret");
        let folder = tempfile::tempdir().unwrap();
        Self { service, client, folder, request, timing: TIMING }
    }

    fn state_file(&self) -> PathBuf {
        self.folder.path().join("job.json")
    }

    fn artifacts(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    /// Runs the job to its end; also what it told.
    async fn run_with(
        &self,
        stop: watch::Receiver<bool>,
    ) -> (Result<Finished, SweBenchError>, Vec<String>) {
        let (state_file, artifacts) = (self.state_file(), self.artifacts());
        let job = Job {
            service: &self.client,
            request: &self.request,
            state_file: &state_file,
            artifacts: &artifacts,
            timing: self.timing,
        };
        let mut told = Vec::new();
        let result = job.run(stop, &mut |event| told.push(text(&event))).await;
        (result, told)
    }

    async fn run(&self) -> (Result<Finished, SweBenchError>, Vec<String>) {
        let (_keep, stop) = watch::channel(false);
        self.run_with(stop).await
    }

    async fn finished(&self) -> Finished {
        self.run().await.0.unwrap()
    }

    async fn failed(&self) -> SweBenchError {
        let error = self.run().await.0.unwrap_err();
        assert_no_secret(&format!("{error} {error:?}"));
        error
    }

    fn submissions(&self) -> usize {
        self.service.count("POST /v1/runs") - self.service.count("POST /v1/runs/")
    }
}

fn assert_no_secret(text: &str) {
    assert!(!text.contains("t0ken") && !text.contains("sk-endpoint"), "{text}");
}

fn text(event: &JobEvent<'_>) -> String {
    match event {
        JobEvent::Submitted(run) => format!("submitted {run}"),
        JobEvent::Reattached(run) => format!("reattached {run}"),
        JobEvent::Forgotten(run) => format!("forgotten {run}"),
        JobEvent::Progress(status) => status.progress(),
        JobEvent::Waiting(error) => {
            assert_no_secret(&error.to_string());
            "waiting".to_owned()
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_job_runs_to_its_result() {
    let rig = Rig::new().await;
    assert!(rig.client.health().await.unwrap().tells_progress());
    rig.client.check_token().await.unwrap();
    let (finished, told) = rig.run().await;
    let finished = finished.unwrap();
    assert_eq!(
        told,
        [
            "submitted run-1",
            "agent, agent 0/2",
            "agent, agent 1/2",
            "agent, agent 2/2",
            "succeeded",
        ]
    );
    assert_eq!(finished.result.score(), Some(0.5));
    assert_eq!((finished.run_id.as_str(), finished.duration_ns), ("run-1", 12_500_000_000));
    assert_eq!(finished.artifacts, ["preds.json", "swe_bench_eval.log"]);
    assert_eq!(finished.missing, [] as [&str; 0]);
    assert_eq!(read(&rig.artifacts().join("preds.json")), "content of preds.json");

    let sent = rig.service.inner().seen.iter().find(|(what, _)| what == "POST /v1/runs").cloned();
    assert_eq!(sent.unwrap().1, serde_json::to_value(&rig.request).unwrap());
    // Until the result is safe the job can be found again; no secret lies around.
    assert_no_secret(&read(&rig.state_file()));
    assert_eq!(rig.finished().await.result, finished.result);
    assert_eq!(rig.submissions(), 1);
}

#[tokio::test]
async fn a_wrong_token_is_told_before_anything_starts() {
    let rig = Rig::new().await;
    for (token, expected) in [
        ("wrong-token", "GET /v1/runs/none: HTTP 401: the service refuses the token"),
        ("", "GET /v1/runs/none: HTTP 401: the service wants a token"),
    ] {
        let client = client(&rig.service.url(), token);
        client.health().await.unwrap();
        let error = client.check_token().await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.help(), Some("set accuracy.swe_bench.token to the service's token"));
        assert!(!format!("{client:?}").contains("wrong-token"));
    }
}

#[tokio::test]
async fn errors_and_broken_answers_are_waited_out() {
    let rig = Rig::new().await;
    let busy = || Fault::Answer(429, "{\"error\":\"too many runs t0ken-secret\"}".to_owned());
    rig.service.fault("submit", busy());
    rig.service.fault("submit", Fault::Answer(500, "oops".to_owned()));
    for fault in [
        Fault::Answer(500, "<html>".to_owned()),
        Fault::Close,
        Fault::Half,
        Fault::Answer(200, "{}".to_owned()),
        Fault::Slow(Duration::from_millis(50)),
        Fault::Answer(503, String::new()),
    ] {
        rig.service.fault("status", fault);
    }
    rig.service.fault("artifact", Fault::Half);
    let (finished, told) = rig.run().await;
    assert_eq!(finished.unwrap().artifacts.len(), 2);
    assert_eq!(rig.submissions(), 3);
    assert!(told.iter().filter(|line| *line == "waiting").count() == 7, "{told:?}");
}

#[tokio::test]
async fn a_submission_that_may_have_been_accepted_is_not_repeated() {
    for fault in [Fault::Close, Fault::Half, Fault::Slow(Duration::from_mins(1))] {
        let mut rig = Rig::new().await;
        if matches!(fault, Fault::Slow(_)) {
            rig.client = hasty_client(&rig.service.url(), Duration::from_millis(300));
        }
        rig.service.fault("submit", fault);
        let error = rig.failed().await;
        assert!(matches!(error, SweBenchError::Service(_)), "{error}");
        assert_eq!(rig.submissions(), 1);
        assert_eq!(JobState::load(&rig.state_file()).unwrap(), None);
    }
}

#[tokio::test]
async fn an_invalid_request_is_told_at_once() {
    let rig = Rig::new().await;
    let words = "{\"error\":{\"message\":\"unknown key for sk-endpoint\"}}";
    rig.service.fault("submit", Fault::Answer(400, words.to_owned()));
    let error = rig.failed().await;
    assert_eq!(error.to_string(), "POST /v1/runs: HTTP 400: unknown key for ***");
    assert_eq!(rig.submissions(), 1);
}

#[tokio::test]
async fn a_service_that_dies_and_comes_back_is_followed_on() {
    let mut rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    let (_keep, stop) = watch::channel(false);
    let job = async {
        let (state_file, artifacts) = (rig.folder.path().join("job.json"), rig.folder.path());
        let job = Job {
            service: &rig.client,
            request: &rig.request,
            state_file: &state_file,
            artifacts,
            timing: rig.timing,
        };
        job.run(stop, &mut |_| {}).await
    };
    let service = &mut rig.service;
    let outage = async {
        while service.count("GET /v1/runs/run-1") < 3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        service.die().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        service.inner().steps = 0;
        service.come_back(true).await;
    };
    let (finished, ()) = tokio::join!(job, outage);
    assert_eq!(finished.unwrap().result.resolved, 1);
    assert_eq!(rig.submissions(), 1);
}

#[tokio::test]
async fn a_service_that_stays_away_leaves_a_job_to_go_on_with() {
    let mut rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    let (_keep, stop) = watch::channel(false);
    {
        let run = rig.run_with(stop);
        tokio::pin!(run);
        // A killed client: its future is dropped in the middle of the job.
        while rig.service.count("GET /v1/runs/run-1") < 3 {
            tokio::select! {
                _ = &mut run => panic!("it cannot be over"),
                () = tokio::time::sleep(Duration::from_millis(2)) => {}
            }
        }
    }
    rig.service.die().await;
    rig.timing.patience = Duration::from_millis(100);
    let error = rig.failed().await;
    rig.timing = TIMING;
    assert!(matches!(error, SweBenchError::Lost { .. }), "{error}");
    let help = error.help().unwrap();
    assert_eq!(help, "run the same command again: it goes on with the running job");

    rig.service.inner().steps = 0;
    rig.service.come_back(true).await;
    let (finished, told) = rig.run().await;
    assert_eq!(told[0], "reattached run-1");
    assert_eq!(finished.unwrap().run_id, "run-1");
    assert_eq!(rig.submissions(), 1);
}

#[tokio::test]
async fn a_restarted_service_that_forgot_the_run_is_told_and_the_next_call_starts_anew() {
    let rig = Rig::new().await;
    rig.service.fault("status", Fault::Answer(404, "{\"error\":\"unknown run\"}".to_owned()));
    let error = rig.failed().await;
    assert_eq!(error.to_string(), "run `run-1`: the service does not know it any more");
    assert_eq!(JobState::load(&rig.state_file()).unwrap(), None);
    rig.service.inner().next_id = "run-2".to_owned();
    assert_eq!(rig.finished().await.run_id, "run-2");

    // Forgotten between two calls: the state file points nowhere.
    rig.service.inner().runs.clear();
    rig.service.inner().next_id = "run-3".to_owned();
    let (finished, told) = rig.run().await;
    assert_eq!((told[0].as_str(), told[1].as_str()), ("forgotten run-2", "submitted run-3"));
    assert_eq!(finished.unwrap().run_id, "run-3");
}

#[tokio::test]
async fn interrupting_cancels_the_run() {
    let rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    rig.service.fault("cancel", Fault::Answer(500, String::new()));
    let (raise, stop) = watch::channel(false);
    let interrupt = async {
        while rig.service.count("GET /v1/runs/run-1") < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        raise.send_replace(true);
    };
    let ((result, _), ()) = tokio::join!(rig.run_with(stop), interrupt);
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "interrupted; run `run-1` was cancelled");
    assert_eq!(rig.service.count("POST /v1/runs/run-1/cancel"), 2);
    assert_eq!(JobState::load(&rig.state_file()).unwrap(), None);
    assert_eq!(rig.service.inner().runs["run-1"], None);
}

#[tokio::test]
async fn interrupting_before_anything_was_submitted_sends_nothing() {
    let rig = Rig::new().await;
    let (_keep, stop) = watch::channel(true);
    let error = rig.run_with(stop).await.0.unwrap_err();
    assert_eq!(error.to_string(), "interrupted; nothing was submitted");
    assert_eq!(rig.submissions(), 0);
}

#[tokio::test]
async fn a_run_that_cannot_be_cancelled_can_be_gone_on_with() {
    let rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    for _ in 0..1000 {
        rig.service.fault("cancel", Fault::Answer(503, String::new()));
    }
    let (raise, stop) = watch::channel(false);
    let interrupt = async {
        while rig.service.count("GET /v1/runs/run-1") < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        raise.send_replace(true);
    };
    let ((result, _), ()) = tokio::join!(rig.run_with(stop), interrupt);
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "interrupted; run `run-1` could not be cancelled and may go on");
    assert_eq!(error.help(), Some("run the same command again to go on with the job"));
    rig.service.inner().steps = 0;
    assert_eq!(rig.finished().await.run_id, "run-1");
}

#[tokio::test]
async fn half_a_result_is_asked_for_again_and_then_told() {
    let rig = Rig::new().await;
    rig.service.inner().end = json!({ "result": { "submitted_instances": 2 } });
    let error = rig.failed().await;
    assert_eq!(
        error.to_string(),
        "run `run-1` succeeded, but its result cannot be used: `resolved_instances` is absent, \
         expected a whole number"
    );
    // The files are there for a look, and the job for another try.
    assert_eq!(read(&rig.artifacts().join("preds.json")), "content of preds.json");
    rig.service.inner().end =
        json!({ "result": { "submitted_instances": 1, "resolved_instances": 1 } });
    let finished = rig.finished().await;
    assert!(!finished.result.entry(0).complete);
    assert_eq!(rig.submissions(), 1);
}

#[tokio::test]
async fn a_failed_run_says_why_and_the_next_call_starts_anew() {
    let rig = Rig::new().await;
    rig.service.inner().end = json!({
        "status": "failed", "error": "docker died; key sk-endpoint, token t0ken-secret",
    });
    let error = rig.failed().await;
    assert_eq!(error.to_string(), "run `run-1` failed: docker died; key ***, token ***");
    assert_eq!(JobState::load(&rig.state_file()).unwrap(), None);
}

#[tokio::test]
async fn a_run_that_was_cancelled_elsewhere_is_not_gone_on_with() {
    let rig = Rig::new().await;
    rig.finished().await;
    rig.service.inner().runs.insert("run-1".to_owned(), None);
    rig.service.inner().next_id = "run-2".to_owned();
    let (finished, told) = rig.run().await;
    assert_eq!(told[0], "forgotten run-1");
    assert_eq!(finished.unwrap().run_id, "run-2");
}

#[tokio::test]
async fn a_job_that_takes_too_long_is_cancelled() {
    let mut rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    rig.timing.limit = Duration::from_millis(50);
    let error = rig.failed().await;
    assert!(matches!(error, SweBenchError::TooLong { cancelled: true, .. }), "{error}");
    assert_eq!(rig.service.count("POST /v1/runs/run-1/cancel"), 1);
}

#[tokio::test]
async fn what_is_not_the_protocol_is_refused() {
    let rig = Rig::new().await;
    rig.service.fault("submit", Fault::Redirect("http://127.0.0.1:1/steal".to_owned()));
    let error = rig.failed().await;
    assert_eq!(error.to_string(), "POST /v1/runs: HTTP 307: redirects are not followed");

    rig.service.inner().next_id = "../../etc".to_owned();
    let error = rig.failed().await;
    assert!(error.to_string().contains("the run id \"../../etc\" holds other characters"));

    rig.service.inner().health["api_version"] = json!("v2");
    let error = rig.client.health().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "GET /health: the service speaks API version `v2`, expected `v1`"
    );
    rig.service.fault("health", Fault::Answer(200, "<html>hello</html>".to_owned()));
    assert!(rig.client.health().await.unwrap_err().help().is_some());
}

#[tokio::test]
async fn what_the_service_repeats_is_shown_without_secrets() {
    let rig = Rig::new().await;
    let echo = "{\"run_id\":\"r\",\"status\":\"t0ken-secret sk-endpoint\"}".to_owned();
    rig.service.fault("submit", Fault::Answer(200, echo));
    let error = rig.failed().await;
    assert!(error.to_string().contains("unknown variant `*** ***`"), "{error}");
    rig.service.inner().health["status"] = json!("t0ken-secret");
    assert_no_secret(&rig.client.health().await.unwrap_err().to_string());
}

#[tokio::test]
async fn an_answer_about_another_run_is_refused() {
    let rig = Rig::new().await;
    rig.service.inner().steps = 1_000_000;
    let other = "{\"run_id\":\"other\",\"status\":\"succeeded\"}".to_owned();
    rig.service.fault("status", Fault::Answer(200, other));
    let error = rig.failed().await;
    assert!(error.to_string().contains("but the answer is about `other`"), "{error}");
}

#[tokio::test]
async fn a_state_file_of_another_request_is_not_taken_over() {
    let mut rig = Rig::new().await;
    rig.finished().await;
    rig.request.model_name = "another".to_owned();
    let error = rig.failed().await;
    assert!(matches!(error, SweBenchError::OtherJob { .. }), "{error}");
    assert_eq!(rig.submissions(), 1);
}

#[test]
fn urls_are_a_scheme_a_host_and_a_port() {
    for (url, problem) in [
        ("localhost:18080", "must begin with http:// or https://"),
        ("ftp://h", "must begin with http:// or https://"),
        ("http://h/api", "must have no path, query or fragment"),
        ("http://h?x=1", "must have no path, query or fragment"),
        ("http://user:pass@h", "must hold no credentials"),
        ("http://", "is none"),
        ("", "is none"),
    ] {
        let error = Service::new(&ServiceConfig::new(url, None)).unwrap_err();
        assert!(matches!(error, ServiceError::Url { .. }));
        let text = error.to_string();
        assert!(text.contains(problem) && !text.contains("pass@"), "{url}: {text}");
    }
    assert!(Service::new(&ServiceConfig::new("https://h:1/", None)).is_ok());
}
