//! One point: warm up, replay, and leave a run folder.

use std::error::Error;
use std::io;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::facts;
use super::observer::{PointObserver, Watchers};
use super::signals::{CurrentStage, Stage};
use super::target::Target;
use super::usage::{Usage, client_load};
use super::warmup::WarmedUp;
use crate::cli::console::Console;
use crate::cli::failure::Failure;
use crate::cli::prepare::Prepared;
use crate::clock::{Clock, wall_now};
use crate::events::Writer;
use crate::metrics::Expected;
use crate::plan::{Assignment, PointPlan};
use crate::prompt::Library;
use crate::replay::{
    Live, PointReplay, Recorded, Recorder, RecorderSetup, Settings, StopHandle, StopLevel, Threads,
    replay_on, warm_up,
};
use crate::report::{CurvePoint, point_report};
use crate::results::{Calibration, EventLog, Outcome, PointState, ResultsError, RunDir};
use crate::submission::Statement;
use crate::tokens::Reference;

/// What every point of a run shares.
pub(super) struct Session<'a> {
    /// The scenario, its prompts and its plan.
    pub(super) prepared: &'a Prepared,
    /// Where turns are sent.
    pub(super) target: &'a Target,
    /// Whether that is a simulated endpoint.
    pub(super) simulated: bool,
    /// Where slots run.
    pub(super) threads: &'a Threads,
    /// Whether their clock is the real one.
    pub(super) real_time: bool,
    /// Whether measuring threads never sleep.
    pub(super) busy_poll: bool,
    /// Where services are asked, in real time.
    pub(super) outside: &'a Runtime,
    /// Raised by signals.
    pub(super) stop: &'a StopHandle,
    /// Told what the run does, for whoever interrupts it.
    pub(super) stage: &'a CurrentStage,
    /// Where snapshots for the live view go.
    pub(super) live: &'a watch::Sender<Live>,
    /// What official token counts are made with, where a tokenizer is set.
    pub(super) reference: Option<&'a Reference>,
    /// What the scenario states for a submission, where one is planned.
    pub(super) statement: Option<&'a Statement<'a>>,
    /// What the machine can carry, where that was found out.
    pub(super) calibration: Option<&'a Calibration>,
    /// Where messages go.
    pub(super) console: &'a Console,
}

/// How a point ended.
pub(super) struct PointResult {
    /// Its row in the table.
    pub(super) row: CurvePoint,
    /// What its self-check found.
    pub(super) violations: Vec<String>,
    /// Why the client, not the endpoint, may have set its numbers.
    pub(super) limits: Vec<String>,
}

impl Session<'_> {
    /// Replays the point at `index` of the plan.
    ///
    /// # Errors
    /// When the result directory cannot be written, or the replay itself broke down.
    pub(super) fn run_point(
        &self,
        index: usize,
        run_dir: &mut RunDir,
    ) -> Result<PointResult, Failure> {
        let point = &self.prepared.plan.points[index];
        self.stage.enter(Stage::Replaying);
        let folder =
            run_dir.start_point(point.concurrency, wall_now()).map_err(|error| disk(&error))?;
        let log = folder.event_log().map_err(|error| disk(&error))?;
        self.live.send_replace(Live {
            point: index + 1,
            points: self.prepared.plan.points.len(),
            concurrency: point.concurrency,
            ..Live::default()
        });
        self.target.begin_point();
        let sequence = Arc::clone(&self.prepared.plan.sequence);
        let mut replayed = self.replay_of(sequence, point.concurrency);
        let warmup = self.warm_up(&replayed)?;
        replayed.clock = Clock::start();
        let started_at = replayed.clock.wall_start();

        let before = Usage::now(self.threads);
        let (recorded, observer) = self.record(&replayed, log).map_err(|error| {
            let place = format!("point r{}: the replay broke down", point.concurrency);
            let failure = Failure::could_not(place).because(error.as_ref());
            match disk_help(error.as_ref()) {
                Some(help) => failure.help(help),
                None => failure,
            }
        })?;
        let used = Usage::now(self.threads).since(&before);
        let state = if self.stop.level() == StopLevel::Run {
            PointState::Complete
        } else {
            PointState::Interrupted
        };
        self.stage.enter(Stage::AfterReplay);
        let expected = self.expected(point, &recorded, state);
        let mut self_check = observer.self_check.finish(expected, recorded.digest);
        self_check.resent = recorded.resent;
        let metrics = observer.collector.finish();
        let client = client_load(
            recorded.client,
            &used,
            &metrics,
            point.concurrency,
            self.busy_poll,
            self.calibration,
        );
        let limits = client.limits.clone();
        self_check.client = Some(client);
        let steady = observer.detector.finish(self.prepared.turns_per_pass());
        let mut facts = facts::run_facts(self.prepared, self.simulated, point, started_at, state);
        facts.client_limited = !limits.is_empty();
        let stated = self.statement.map(|statement| statement.point(point.concurrency));
        let mut files = stated.as_ref().map(|stated| stated.files.clone()).unwrap_or_default();
        files.extend(warmup.log);
        let samples: Vec<_> =
            recorded.samples.iter().map(|(id, index)| (*id, u64::from(*index))).collect();
        let outcome = Outcome {
            facts: &facts,
            metrics: &metrics,
            steady: Some(&steady),
            self_check: &self_check,
            config: &facts::run_config(
                self.prepared,
                self.simulated,
                point,
                stated.as_ref().map(|stated| &stated.disclosure),
            ),
            warmup: &warmup.declaration,
            planned_turns: expected_turns(&self.prepared.library, &self.prepared.plan.sequence),
            disclosure: stated.as_ref().map(|stated| &stated.disclosure),
            files: &files,
            samples: &samples,
            report: &point_report(&facts, &metrics, &self_check, Some(&steady)),
        };
        let folder =
            run_dir.finish_point(folder, &outcome, wall_now()).map_err(|error| disk(&error))?;
        let violation = |v: &crate::metrics::Violation| format!("{}: {}", v.check, v.message);
        let mut violations: Vec<String> = self_check.violations.iter().map(violation).collect();
        let recorded = CurvePoint::new(&facts, &metrics, self_check.skipped);
        let row = match self.count_tokens(&folder, &facts, &self_check) {
            Ok(counted) => counted.unwrap_or(recorded),
            Err(reason) => {
                violations.push(format!("tokens-counted: {reason}"));
                recorded
            }
        };
        Ok(PointResult { row, violations, limits })
    }

    /// Replays and records; the event log is complete on disk afterwards.
    fn record(
        &self,
        replayed: &PointReplay<crate::client::TcpConnector>,
        log: Writer<EventLog>,
    ) -> Result<(Recorded, Watchers), Box<dyn Error>> {
        let sequence = Arc::clone(&replayed.sequence);
        let (notes, recorder) = Recorder::start(self.recorder(sequence, PointObserver::new(log)))?;
        let ended = replay_on(self.threads, replayed, notes, &self.stop.signal());
        let recorded = recorder.finish();
        ended?;
        let (recorded, observer) = recorded?;
        observer.log.finish()?;
        Ok((recorded, observer.watchers))
    }

    fn expected(&self, point: &PointPlan, recorded: &Recorded, state: PointState) -> Expected {
        Expected {
            planned: recorded.planned,
            skipped: recorded.skipped.tail,
            interrupted: state == PointState::Interrupted,
            concurrency: point.concurrency,
            salt_markers: if self.prepared.scenario.cache.salt { 2 } else { 0 },
        }
    }

    /// A replay of a sequence, ready to start.
    pub(super) fn replay_of(
        &self,
        sequence: Arc<[Assignment]>,
        concurrency: u32,
    ) -> PointReplay<crate::client::TcpConnector> {
        let load = &self.prepared.scenario.load;
        PointReplay {
            library: Arc::clone(&self.prepared.library),
            sequence,
            concurrency,
            endpoint: Arc::clone(&self.target.endpoint),
            connector: Arc::clone(&self.target.connector),
            settings: Settings {
                turn_timeout: load.turn_timeout.get(),
                tool_delays: load.tool_delays,
                tail: load.tail,
            },
            clock: Clock::start(),
            exact_delays: self.real_time,
            // Nothing is late in a time that waits for whoever is busy.
            probe: self.real_time,
            busy_poll: self.busy_poll,
        }
    }

    fn warm_up(
        &self,
        point: &PointReplay<crate::client::TcpConnector>,
    ) -> Result<WarmedUp, Failure> {
        let Some(warmup) = &self.prepared.scenario.load.warmup else {
            return Ok(WarmedUp::default());
        };
        let warm = warm_up(point, warmup.requests, &warmup.prompt, self.stop.signal());
        let report = self.threads.first().block_on(warm).map_err(|error| {
            Failure::could_not("load.warmup: the warm-up broke down").because(&error)
        })?;
        Ok(WarmedUp::new(&self.prepared.scenario, &report))
    }

    /// How a replay of a sequence is recorded.
    pub(super) fn recorder<O>(&self, sequence: Arc<[Assignment]>, observer: O) -> RecorderSetup<O> {
        RecorderSetup {
            library: Arc::clone(&self.prepared.library),
            sequence,
            observer,
            seed: self.prepared.scenario.digest.clone().into_bytes(),
            prompts: self.prepared.scenario.log.prompts,
            live: self.live.clone(),
            stop: self.stop.clone(),
        }
    }
}

/// Client turns that a replay of the sequence issues.
pub(super) fn expected_turns(library: &Library, sequence: &[Assignment]) -> u64 {
    let turns = |assignment: &Assignment| {
        let source = library.conversations().get(assignment.conversation as usize);
        source.map_or(0, |source| source.turns.len() as u64)
    };
    sequence.iter().map(turns).sum()
}

/// The remedy of the result directory's error that is behind `error`, if one is.
fn disk_help(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut causes = std::iter::successors(Some(error), |cause| (*cause).source());
    let behind = |cause: &(dyn Error + 'static)| {
        let of_log = cause.downcast_ref::<io::Error>()?.get_ref()?;
        of_log.downcast_ref::<ResultsError>()?.help()
    };
    causes.find_map(behind)
}

/// An error of the result directory, with its remedy.
pub(super) fn disk(error: &ResultsError) -> Failure {
    let failure = match error {
        ResultsError::Exists { .. } => Failure::usage(error.to_string()),
        _ => Failure::could_not(error.to_string()),
    };
    failure.help(error.help().unwrap_or("choose another place for result directories with --out"))
}
