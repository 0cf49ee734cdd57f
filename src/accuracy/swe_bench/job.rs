//! The course of one job: submit or find it again, follow it, collect, or cancel it.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use tokio::sync::watch;

use super::client::Service;
use super::error::{ServiceError, SweBenchError};
use super::files;
use super::protocol::{RunRequest, RunState, RunStatus};
use super::result::{ResultError, SweBenchResult};
use super::state::JobState;
use crate::clock::{Clock, Nanos, nanos, wall_now};
use crate::units::Secret;

/// How often an unusable answer at the end is asked for again: the service may write its result a
/// moment after it says that it is done.
const RESULT_TRIES: u32 = 3;
/// How often a file is asked for.
const ARTIFACT_TRIES: u32 = 3;

/// How a job is paced. The defaults are the reference client's, but for the patience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Between two questions.
    pub poll: Duration,
    /// How long the service may go without a usable answer.
    pub patience: Duration,
    /// How long the whole job may take.
    pub limit: Duration,
    /// How long a cancellation is tried.
    pub cancel: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(5),
            patience: Duration::from_mins(10),
            limit: Duration::from_hours(24),
            cancel: Duration::from_secs(30),
        }
    }
}

/// One run of SWE-bench at one point.
#[derive(Debug)]
pub struct Job<'a> {
    /// Where it runs.
    pub service: &'a Service,
    /// What is asked.
    pub request: &'a RunRequest,
    /// The file by which the job is found again; nothing there means a new job.
    pub state_file: &'a Path,
    /// Where the run's files go; made when there are any.
    pub artifacts: &'a Path,
    /// How it is paced.
    pub timing: Timing,
}

/// What a job does, for people.
#[derive(Debug)]
pub enum JobEvent<'a> {
    /// A new run was accepted.
    Submitted(&'a str),
    /// An earlier client's run goes on.
    Reattached(&'a str),
    /// The run of an earlier client is gone, or failed; a new one is submitted.
    Forgotten(&'a str),
    /// How far it is.
    Progress(&'a RunStatus),
    /// The service gave no usable answer; it is asked again.
    Waiting(&'a ServiceError),
}

/// A job that came to a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The run.
    pub run_id: String,
    /// Its counters.
    pub result: SweBenchResult,
    /// How long it took: by the service where it tells, else from here.
    pub duration_ns: u64,
    /// The files that were fetched.
    pub artifacts: Vec<String>,
    /// Files that were offered but could not be fetched or written, with the reason.
    pub missing: Vec<String>,
}

type Tell<'t> = dyn FnMut(JobEvent<'_>) + Send + 't;

impl Job<'_> {
    /// Runs the job to its end. When `stop` turns true the run is cancelled at the service. The
    /// state file stays after success, so that a result that was not written down yet can be
    /// fetched again: call [`Job::forget`] once it is safe.
    ///
    /// # Errors
    /// Anything that keeps the job from a result. After [`SweBenchError::Lost`] and a cancellation
    /// that failed, the state file stays and the same call goes on with the run.
    pub async fn run(
        &self,
        mut stop: watch::Receiver<bool>,
        tell: &mut Tell<'_>,
    ) -> Result<Finished, SweBenchError> {
        let clock = Clock::start();
        let Some(run_id) = self.attach(&clock, &mut stop, tell).await? else {
            return Err(SweBenchError::Interrupted { run_id: None, cancelled: false });
        };
        let ended = tokio::select! {
            biased;
            () = stopped(&mut stop) => None,
            ended = self.follow(&clock, &run_id, tell) => Some(ended),
        };
        match ended {
            None => {
                let cancelled = self.cancel(&clock, &run_id).await;
                Err(SweBenchError::Interrupted { run_id: Some(run_id), cancelled })
            }
            Some(Ok(None)) => {
                let cancelled = self.cancel(&clock, &run_id).await;
                Err(SweBenchError::TooLong { run_id, limit: self.timing.limit, cancelled })
            }
            Some(Ok(Some(status))) => self.collect(&clock, status).await,
            Some(Err(error)) => Err(error),
        }
    }

    /// Removes the state file: the result is safe.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn forget(&self) -> Result<(), SweBenchError> {
        Ok(JobState::remove(self.state_file)?)
    }

    /// The run to follow: the one of the state file, or a new one. None when stopped before.
    async fn attach(
        &self,
        clock: &Clock,
        stop: &mut watch::Receiver<bool>,
        tell: &mut Tell<'_>,
    ) -> Result<Option<String>, SweBenchError> {
        if let Some(state) = JobState::load(self.state_file)? {
            if state.request != self.request.digest() || state.service != self.service.url() {
                let (path, run_id) = (self.state_file.to_owned(), state.run_id);
                return Err(SweBenchError::OtherJob { path, run_id });
            }
            match self.patiently(clock, stop, tell, Ask::Status(&state.run_id)).await? {
                None => return Ok(None),
                Some(Answer::Status(status)) if status.can_succeed() => {
                    tell(JobEvent::Reattached(&state.run_id));
                    return Ok(Some(state.run_id));
                }
                Some(_) => {
                    tell(JobEvent::Forgotten(&state.run_id));
                    JobState::remove(self.state_file)?;
                }
            }
        }
        let answer = self.patiently(clock, stop, tell, Ask::Submit).await?;
        let Some(Answer::Status(status)) = answer else { return Ok(None) };
        let now = wall_now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (service, run_id) = (self.service.url().to_owned(), status.run_id);
        JobState::new(service, run_id.clone(), self.request.digest(), now).save(self.state_file)?;
        tell(JobEvent::Submitted(&run_id));
        Ok(Some(run_id))
    }

    /// Asks until there is an answer, the patience is over, or `stop` says so (none). A request
    /// that is under way is never dropped: it might have been the one that submitted the job.
    async fn patiently(
        &self,
        clock: &Clock,
        stop: &mut watch::Receiver<bool>,
        tell: &mut Tell<'_>,
        ask: Ask<'_>,
    ) -> Result<Option<Answer>, SweBenchError> {
        let until = clock.now().saturating_add(nanos(self.timing.patience));
        while !*stop.borrow() {
            let answer = match ask {
                Ask::Status(run_id) => self.service.status(run_id).await,
                Ask::Submit => self.service.submit(self.request).await,
            };
            let error = match answer {
                Ok(status) => return Ok(Some(Answer::Status(Box::new(status)))),
                Err(ServiceError::NotFound { .. }) if matches!(ask, Ask::Status(_)) => {
                    return Ok(Some(Answer::Unknown));
                }
                Err(error) => error,
            };
            if !ask.may_repeat_after(&error) {
                return Err(error.into());
            }
            if clock.now() >= until {
                let patience = self.timing.patience;
                return Err(match ask {
                    Ask::Submit => error.into(),
                    Ask::Status(run_id) => {
                        SweBenchError::Lost { run_id: run_id.to_owned(), patience, last: error }
                    }
                });
            }
            tell(JobEvent::Waiting(&error));
            tokio::select! {
                () = stopped(stop) => {}
                () = clock.sleep_until(clock.now().saturating_add(nanos(self.timing.poll))) => {}
            }
        }
        Ok(None)
    }

    /// Follows a run until it is over. None when it takes too long.
    async fn follow(
        &self,
        clock: &Clock,
        run_id: &str,
        tell: &mut Tell<'_>,
    ) -> Result<Option<RunStatus>, SweBenchError> {
        let started = clock.now();
        let mut heard = started;
        let (mut results, mut shown) = (0, String::new());
        while clock.now().saturating_sub(started) < nanos(self.timing.limit) {
            match self.service.status(run_id).await {
                Ok(status) => {
                    heard = clock.now();
                    let progress = status.progress();
                    if progress != shown {
                        tell(JobEvent::Progress(&status));
                        shown = progress;
                    }
                    results += u32::from(status.status == RunState::Succeeded);
                    let unusable = status.status == RunState::Succeeded
                        && results < RESULT_TRIES
                        && self.result_of(&status).is_err();
                    if status.status.is_over() && !unusable {
                        return Ok(Some(status));
                    }
                }
                Err(ServiceError::NotFound { .. }) => {
                    JobState::remove(self.state_file)?;
                    return Err(SweBenchError::Gone { run_id: run_id.to_owned() });
                }
                Err(error) if !error.is_transient() => return Err(error.into()),
                Err(error) if clock.now().saturating_sub(heard) >= nanos(self.timing.patience) => {
                    let patience = self.timing.patience;
                    let run_id = run_id.to_owned();
                    return Err(SweBenchError::Lost { run_id, patience, last: error });
                }
                Err(error) => tell(JobEvent::Waiting(&error)),
            }
            clock.sleep_until(clock.now().saturating_add(nanos(self.timing.poll))).await;
        }
        Ok(None)
    }

    /// Takes what a run left.
    async fn collect(&self, clock: &Clock, status: RunStatus) -> Result<Finished, SweBenchError> {
        let (artifacts, missing) = self.fetch_artifacts(&status).await;
        if status.status != RunState::Succeeded {
            JobState::remove(self.state_file)?;
            let how = if status.status == RunState::Failed { "failed" } else { "was cancelled" };
            let reason = status.error.as_deref().or(status.message.as_deref());
            let reason = self.shown(reason.unwrap_or("the service gives no reason"));
            return Err(SweBenchError::Failed { run_id: status.run_id, how, reason });
        }
        let result = self.result_of(&status);
        let run_id = status.run_id.clone();
        let result =
            result.map_err(|error| SweBenchError::Result { run_id: run_id.clone(), error })?;
        let duration_ns = duration(&status).unwrap_or_else(|| clock.now());
        Ok(Finished { run_id, result, duration_ns, artifacts, missing })
    }

    fn result_of(&self, status: &RunStatus) -> Result<SweBenchResult, ResultError> {
        let report = status.result.as_ref();
        let report = report.ok_or_else(|| ResultError::Shape("there is none".to_owned()))?;
        SweBenchResult::of_report(report, self.request.evaluated_instance_ids.len() as u64)
    }

    async fn fetch_artifacts(&self, status: &RunStatus) -> (Vec<String>, Vec<String>) {
        let (mut fetched, mut missing) = (Vec::new(), Vec::new());
        for name in status.artifacts() {
            let mut tries = 0;
            let content = loop {
                tries += 1;
                match self.service.artifact(&status.run_id, name).await {
                    Err(error) if error.is_transient() && tries < ARTIFACT_TRIES => {
                        tokio::time::sleep(self.timing.poll).await;
                    }
                    content => break content.map_err(|error| error.to_string()),
                }
            };
            let written = content.and_then(|content| {
                let path = self.artifacts.join(name);
                files::write(&path, &content).map_err(|e| format!("{}: {e}", path.display()))
            });
            match written {
                Ok(()) => fetched.push(name.to_owned()),
                Err(reason) => missing.push(format!("{name}: {reason}")),
            }
        }
        (fetched, missing)
    }

    /// Tries to cancel a run; whether the service took it. Then the state file goes, unless the
    /// run had succeeded before.
    async fn cancel(&self, clock: &Clock, run_id: &str) -> bool {
        let until = clock.now().saturating_add(nanos(self.timing.cancel));
        loop {
            match self.service.cancel(run_id).await {
                Ok(status) => {
                    if status.status != RunState::Succeeded {
                        // A file that stays is found to belong to a cancelled run next time.
                        let _ = JobState::remove(self.state_file);
                    }
                    return true;
                }
                Err(error) if !error.is_transient() || clock.now() >= until => return false,
                Err(_) => {
                    let pause = self.timing.poll.min(Duration::from_secs(1));
                    clock.sleep_until(clock.now().saturating_add(nanos(pause))).await;
                }
            }
        }
    }

    /// The service's words without secrets.
    fn shown(&self, text: &str) -> String {
        let mut text = self.service.redact(crate::wire::excerpt(text.as_bytes()));
        if let Some(key) = self.request.endpoint_api_key.as_deref().filter(|key| !key.is_empty()) {
            text = text.replace(key, Secret::MASK);
        }
        text
    }
}

/// What is asked before a run is followed.
#[derive(Clone, Copy)]
enum Ask<'a> {
    Status(&'a str),
    Submit,
}

/// The answer to it.
enum Answer {
    Status(Box<RunStatus>),
    Unknown,
}

impl Ask<'_> {
    /// A submission is repeated only where it was surely not accepted: the connection failed, or
    /// the service said so itself.
    fn may_repeat_after(self, error: &ServiceError) -> bool {
        match (self, error) {
            (Self::Submit, ServiceError::Transport { unsent, .. }) => *unsent,
            (Self::Submit, ServiceError::Protocol { .. }) => false,
            _ => error.is_transient(),
        }
    }
}

/// How long the service says that a run took.
fn duration(status: &RunStatus) -> Option<Nanos> {
    let seconds = status.finished_at? - status.created_at?;
    Duration::try_from_secs_f64(seconds).ok().map(nanos)
}

/// Waits until `stop` turns true; for ever when nobody can turn it any more.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
