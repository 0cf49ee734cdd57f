//! SWE-bench at a point: one job at the service, followed with progress.
//!
//! The job is written down in the run folder as soon as it is submitted, and forgotten when its
//! result is safe; a run that was killed or lost the service in between finds it again.

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;

use super::point::Session;
use super::signals::Stage;
use crate::accuracy::AccuracyResults;
use crate::accuracy::swe_bench::{
    Finished, Job, JobEvent, JobPlan, RunRequest, RunStatus, SweBenchError,
};
use crate::cli::console::{Bar, Console, LiveView};
use crate::cli::scoring::{self, accuracy_file};
use crate::clock::{Clock, Nanos, nanos};
use crate::replay::StopLevel;

/// Where the job and its files are, in the run folder.
const FOLDER: &str = "accuracy/swe_bench";
/// A plain line about progress, or about a silent service, is printed so often at most.
const PLAIN: Duration = Duration::from_secs(30);

/// Runs the job of a point, goes on with it, or finds that it was done; the score as a fraction.
///
/// # Errors
/// Why there is no score, as a text.
pub(super) fn run(
    session: &Session<'_>,
    plan: &JobPlan,
    folder: &Path,
    concurrency: u32,
) -> Result<f64, String> {
    let (path, mut results) = accuracy_file(folder).map_err(|failure| failure.summary())?;
    if results.swe_bench_entry().is_none() {
        if session.stop.level() > StopLevel::Run {
            return Err("interrupted; nothing was submitted".to_owned());
        }
        let request = plan.request(concurrency);
        let place = folder.join(FOLDER);
        let job = Job {
            service: &plan.service,
            request: &request,
            state_file: &place.join("job.json"),
            artifacts: &place,
            timing: plan.timing,
        };
        session.stage.enter(Stage::SweBench);
        let finished = follow(session, &job, &request, concurrency);
        session.stage.enter(Stage::AfterReplay);
        let finished = finished?;
        finished.record(&request, &mut results);
        let file = [(path, results.to_json())];
        scoring::write(&file).map_err(|failure| failure.summary())?;
        // A file that stays costs no more than another question about the finished job.
        let _ = job.forget();
        tell_finished(session.console, &finished, concurrency);
    }
    score(&results)
}

fn score(results: &AccuracyResults) -> Result<f64, String> {
    results.swe_bench_score().ok_or_else(|| "no instance was submitted for evaluation".to_owned())
}

/// Follows a job to its result. The first signal cancels it, the second one lets it go.
fn follow(
    session: &Session<'_>,
    job: &Job<'_>,
    request: &RunRequest,
    concurrency: u32,
) -> Result<Finished, String> {
    let mut teller = Teller::new(session.console, request, concurrency);
    let ended = session.outside.block_on(async {
        let (stopping, stop) = watch::channel(false);
        let (mut first, mut second) = (session.stop.signal(), session.stop.signal());
        let passed_on = tokio::spawn(async move {
            first.reached(StopLevel::Drain).await;
            let _ = stopping.send(true);
        });
        let mut tell = |event: JobEvent<'_>| teller.tell(&event);
        let ended = tokio::select! {
            biased;
            () = second.reached(StopLevel::Abort) => None,
            ended = job.run(stop, &mut tell) => Some(ended),
        };
        passed_on.abort();
        ended
    });
    session.console.clear_bar();
    match ended {
        Some(Ok(finished)) => Ok(finished),
        Some(Err(error)) => Err(explained(&error)),
        None => Err("interrupted twice; the job may go on at the service".to_owned()),
    }
}

/// An error with how to go on.
fn explained(error: &SweBenchError) -> String {
    let help = match error {
        SweBenchError::Lost { .. }
        | SweBenchError::TooLong { cancelled: false, .. }
        | SweBenchError::Interrupted { run_id: Some(_), cancelled: false } => {
            Some("`--resume` goes on with the job")
        }
        other => other.help(),
    };
    help.map_or_else(|| error.to_string(), |help| format!("{error} ({help})"))
}

fn tell_finished(console: &Console, finished: &Finished, concurrency: u32) {
    let result = finished.result;
    let score =
        result.score().map_or_else(|| "no score".to_owned(), |s| format!("{:.2} %", s * 100.0));
    console.message(&format!(
        "point r{concurrency}: SWE-bench {score}, {} of {} instances resolved, {} submitted",
        result.resolved, result.evaluated, result.submitted
    ));
    for missing in &finished.missing {
        console.warning(&format!("point r{concurrency}: SWE-bench: a file is missing: {missing}"));
    }
}

/// Tells how a job goes.
struct Teller<'a> {
    console: &'a Console,
    headline: String,
    request: &'a RunRequest,
    clock: Clock,
    /// When the last plain line about progress, and about silence, was printed.
    progress: Option<Nanos>,
    silence: Option<Nanos>,
    phase: Option<String>,
}

impl<'a> Teller<'a> {
    fn new(console: &'a Console, request: &'a RunRequest, concurrency: u32) -> Self {
        Self {
            console,
            headline: format!("point r{concurrency}: SWE-bench"),
            request,
            clock: Clock::start(),
            progress: None,
            silence: None,
            phase: None,
        }
    }

    fn tell(&mut self, event: &JobEvent<'_>) {
        let headline = &self.headline;
        match event {
            JobEvent::Submitted(run) => self.console.message(&format!(
                "{headline}: run `{run}` with {} instances and {} workers",
                self.request.num_instances, self.request.workers
            )),
            JobEvent::Reattached(run) => {
                self.console.message(&format!("{headline}: goes on with run `{run}`"));
            }
            JobEvent::Forgotten(run) => self.console.message(&format!(
                "{headline}: run `{run}` is gone or failed; it is submitted anew"
            )),
            JobEvent::Waiting(error) => {
                if due(&mut self.silence, self.clock.now()) {
                    self.console.warning(&format!("{headline}: {error}; asking again"));
                }
            }
            JobEvent::Progress(status) => self.progress(status),
        }
    }

    fn progress(&mut self, status: &RunStatus) {
        if status.status.is_over() {
            return;
        }
        let evaluates = status
            .eval_completed
            .zip(status.eval_total)
            .filter(|_| status.phase.as_deref() == Some("eval"));
        let counts = evaluates.or(status.agent_completed.zip(status.agent_total));
        if let (LiveView::Bar, Some((done, total))) = (self.console.live_view(), counts) {
            let (headline, below) = (self.headline.as_str(), &*status.progress());
            self.console.draw(&Bar { headline, done, total, unit: "instances", below });
            return;
        }
        let is_new = self.phase != status.phase;
        if due(&mut self.progress, self.clock.now()) || is_new {
            self.console.message(&format!("{}: {}", self.headline, status.progress()));
        }
        self.phase.clone_from(&status.phase);
    }
}

/// Whether a line is due, and then notes that it is printed.
fn due(last: &mut Option<Nanos>, now: Nanos) -> bool {
    let due = last.is_none_or(|last| now.saturating_sub(last) >= nanos(PLAIN));
    if due {
        *last = Some(now);
    }
    due
}
