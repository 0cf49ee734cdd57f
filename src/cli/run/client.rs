//! `--client`: points measured by the reference client, driven by us.
//!
//! Each point is one start of the program with a configuration of its own; the report directory
//! that it leaves becomes the point's run folder, as it is.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use super::Args;
use super::adopted;
use super::facts;
use super::point::{PointResult, Session, disk};
use super::relay::{Ended, Relay};
use super::signals::Stage;
use crate::cli::context::Context;
use crate::cli::export;
use crate::cli::failure::Failure;
use crate::cli::prepare::Prepared;
use crate::clock::wall_now;
use crate::plan::PointPlan;
use crate::recount::recompute;
use crate::reference::{ClientPoint, ENDPOINT_KEY, Expected, Report, SWE_BENCH_TOKEN};
use crate::replay::{Live, StopLevel};
use crate::report::CurvePoint;
use crate::results::{Adopted, PointState, RunDir, RunFolder};
use crate::units::Secret;

/// The configuration that the client was started with, in the run folder.
const CONFIG: &str = "client_config.yaml";
/// What it printed.
const LOG: &str = "client.log";

/// An installed reference client.
pub(super) struct ClientRun {
    program: PathBuf,
    arguments: Vec<String>,
    secrets: Vec<(&'static str, Secret)>,
}

impl ClientRun {
    /// Finds the client that the arguments name; none when they name none.
    pub(super) fn find(
        args: &Args,
        prepared: &Prepared,
        context: &Context,
    ) -> Result<Option<Self>, Failure> {
        if args.client.is_none() {
            return Ok(None);
        }
        export::check(prepared, context)?;
        let mut words = args.client_command.split_whitespace();
        let missing = |name: &str| {
            Failure::usage(format!("`{name}` is not installed: found no such program"))
                .help("install the reference client, or name it with --client-command")
        };
        let name = words.next().ok_or_else(|| missing(""))?;
        let program = program(name, context).ok_or_else(|| missing(name))?;
        let scenario = &prepared.scenario;
        let swe_bench = scenario.accuracy.swe_bench.as_ref();
        let secrets = [
            (ENDPOINT_KEY, scenario.endpoint.api_key.clone()),
            (SWE_BENCH_TOKEN, swe_bench.and_then(|section| section.token.clone())),
        ];
        let given = |(name, secret): (&'static str, Option<Secret>)| {
            secret.filter(|secret| !secret.is_empty()).map(|secret| (name, secret))
        };
        let arguments = words.map(str::to_owned).collect();
        let secrets = secrets.into_iter().filter_map(given).collect();
        Ok(Some(Self { program, arguments, secrets }))
    }

    /// Has the client measure the point at `index` of the plan; none when it was interrupted.
    ///
    /// # Errors
    /// It cannot be started, fails, or leaves nothing that can be taken for the point.
    pub(super) fn run_point(
        &self,
        session: &Session<'_>,
        index: usize,
        run_dir: &mut RunDir,
    ) -> Result<Option<PointResult>, Failure> {
        let point = &session.prepared.plan.points[index];
        let concurrency = point.concurrency;
        let started_at = wall_now();
        let data = data(session, run_dir)?;
        let folder = run_dir.start_point(concurrency, started_at).map_err(|error| disk(&error))?;
        session.stage.enter(Stage::Client);
        session.live.send_replace(Live::default());
        let place = std::path::absolute(folder.partial_path());
        let place = place.unwrap_or_else(|_| folder.partial_path().to_owned());
        let report = place.join("report");
        configure(session, point, &data, &place, &report)?;
        let headline = format!("r{concurrency}");
        let relay = Relay {
            console: session.console,
            headline: &headline,
            stop: session.stop,
            log: &place.join(LOG),
        };
        let ended = relay.run(&mut self.command(&place.join(CONFIG))).map_err(|error| {
            Failure::could_not(format!("{}: cannot be run", self.program.display())).because(&error)
        })?;
        let taken = self.take(session, point, &folder, &report, &ended);
        session.stage.enter(Stage::AfterReplay);
        match taken {
            Ok(report) => {
                self.adopt(session, point, run_dir, folder, &report, started_at).map(Some)
            }
            Err(_) if session.stop.level() > StopLevel::Run => {
                let message = if ended.was_killed { "did not end and was killed" } else { "ended" };
                session.console.message(&format!("point r{concurrency}: the client {message}"));
                run_dir.interrupt_point(concurrency, wall_now()).map_err(|error| disk(&error))?;
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    fn command(&self, config: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(["benchmark", "from-config", "-c"]).arg(config);
        command.args(["--mode", "both"]);
        for (name, secret) in &self.secrets {
            command.env(name, secret.expose());
        }
        command
    }

    /// The report that the client left, if it ended well.
    fn take(
        &self,
        session: &Session<'_>,
        point: &PointPlan,
        folder: &RunFolder,
        report: &Path,
        ended: &Ended,
    ) -> Result<Report, Failure> {
        let concurrency = point.concurrency;
        let program = self.program.display();
        let log = folder.partial_path().join(LOG);
        let help = format!("all that it printed is in {}", log.display());
        if !ended.status.success() {
            let place = format!("point r{concurrency}: {program} failed: {}", ended.status);
            let failure = Failure::could_not(place).help(help);
            let lines = ended.tail.iter().map(|line| format!("it said: {line}"));
            return Err(lines.fold(failure, Failure::because_text));
        }
        let model = &session.prepared.scenario.model.name;
        Report::read(report, Expected { model, concurrency }).map_err(|error| {
            let place = format!("point r{concurrency}: {program} left no usable report");
            Failure::could_not(place).because(&error).help(help)
        })
    }

    /// Makes the report directory the run folder of the point.
    fn adopt(
        &self,
        session: &Session<'_>,
        point: &PointPlan,
        run_dir: &mut RunDir,
        folder: RunFolder,
        report: &Report,
        started_at: SystemTime,
    ) -> Result<PointResult, Failure> {
        self.hide_secrets(&report.folder)?;
        let tokens = adopted::tokens(session, &report.log, point.concurrency);
        let read = recompute(&report.log, &tokens, &AtomicBool::new(false))?;
        if !read.ended() {
            let place = format!("{}: does not tell the end of the session", report.log.display());
            return Err(
                Failure::could_not(place).help("the client was stopped early; run it again")
            );
        }
        let self_check = read.self_check(point.concurrency);
        let state = PointState::Complete;
        let facts = facts::run_facts(session.prepared, session.simulated, point, started_at, state);
        let row = CurvePoint::new(&facts, &read.metrics, 0).with_summary(&report.summary);
        let turns = read.metrics.total;
        adopted::complete(session, point, report, &facts, &read)?;
        let adopted = Adopted {
            report: &report.folder,
            files: &[CONFIG, LOG],
            turns,
            violations: self_check.violations.len() as u64,
        };
        run_dir.adopt_point(folder, adopted, wall_now()).map_err(|error| disk(&error))?;
        let violation = |v: &crate::metrics::Violation| format!("{}: {}", v.check, v.message);
        let violations = self_check.violations.iter().map(violation).collect();
        Ok(PointResult { row, violations, limits: Vec::new() })
    }

    /// Takes the secrets out of the configuration that the client wrote.
    fn hide_secrets(&self, folder: &Path) -> Result<(), Failure> {
        for name in ["config.yaml"] {
            let path = folder.join(name);
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let hidden = self.secrets.iter().fold(text.clone(), |text, (_, secret)| {
                text.replace(secret.expose(), Secret::MASK)
            });
            if hidden != text {
                let written = crate::results::write_file(&path, hidden.as_bytes());
                written.map_err(|error| disk(&error))?;
            }
        }
        Ok(())
    }
}

/// The data set file for the client, made once in a run.
fn data(session: &Session<'_>, run_dir: &RunDir) -> Result<PathBuf, Failure> {
    let path = run_dir.path().join("client_dataset.jsonl");
    if path.is_file() {
        return Ok(std::path::absolute(&path).unwrap_or(path));
    }
    let file = export::data_file(session.prepared, &path, false)?;
    Ok(std::path::absolute(&file).unwrap_or(file))
}

fn configure(
    session: &Session<'_>,
    point: &PointPlan,
    data: &Path,
    place: &Path,
    report: &Path,
) -> Result<(), Failure> {
    let config = ClientPoint {
        scenario: &session.prepared.scenario,
        concurrency: point.concurrency,
        trajectories: session.prepared.plan.sequence.len(),
        data,
        endpoints: session.target.urls(),
        report,
    };
    let written = crate::results::write_file(&place.join(CONFIG), config.to_yaml().as_bytes());
    written.map_err(|error| disk(&error))
}

/// A program by its path, or as the environment's PATH has it.
fn program(name: &str, context: &Context) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;

    let runs = |path: &PathBuf| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return std::path::absolute(name).ok().filter(runs);
    }
    let path = context.env("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(runs)
}
