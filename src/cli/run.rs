//! `scenario run`: the main job.
//!
//! Loads and plans, starts the endpoint where it is the simulated one, replays one point after the
//! other into a result directory, and prints the curve.

mod accuracy;
mod adopted;
mod checks;
mod client;
mod facts;
mod observer;
mod official;
mod output_caching;
mod point;
mod relay;
mod resume;
mod signals;
mod submit;
mod swe_bench;
mod target;
mod usage;
mod warmup;

use std::path::PathBuf;
use std::time::SystemTime;

use clap::ValueEnum;
use tokio::sync::watch;

use self::accuracy::{AccuracyRun, PointScore};
use self::client::ClientRun;
use self::point::{PointResult, Session, disk};
use self::signals::CurrentStage;
use self::target::Target;
use super::calibration;
use super::context::{Context, MakeRuntime};
use super::counting::load_reference;
use super::export::Client;
use super::failure::{ExitStatus, Failure};
use super::package;
use super::prepare::{Prepared, ScenarioArgs, prepare};
use super::progress::Progress;
use crate::accuracy::AccuracyVerdict;
use crate::clock::wall_now;
use crate::host::{self, Host};
use crate::replay::{Live, StopLevel, Threads, stop_channel};
use crate::report::Curve;
use crate::results::{Calibration, NewRun, PointState, RunDir};
use crate::submission::Statement;
use crate::tokens::Reference;

const EXAMPLES: &str = "\
Examples:
  scenario run scenarios/quickstart.yaml
  scenario run my-bench.yaml --points 8,64 --set load.turn_timeout=30s
  scenario run my-bench.yaml --set 'endpoint.urls=[http://localhost:8000]' --out /data/results
  scenario run my-bench.yaml --resume results/my-bench/20261130T030221Z
  scenario run my-bench.yaml --client mlperf-endpoints --client-command 'uv run inference-endpoint'

The last line on stdout is the result directory. Interrupt once (Ctrl-C) to wait for the turns in
flight and keep what was measured, twice to give them up; a SWE-bench job under way is cancelled.
--resume replays the points that are not complete and makes up for accuracy that is missing; it
goes on with a SWE-bench job whose client was killed or lost the service.
--busy-poll takes a whole processor for each measuring thread (a quarter of the processors, 8 at
most). It is worth it where tenths of a millisecond count and processors are to spare; a small
machine that also runs the server gets slower by it.
With --client the points are measured by the reference client: each is one start of it, its report
directory becomes the run folder, and signals are passed on to it.

Exit codes:
  0 every turn of every point completed, and every accuracy gate passed
  1 turns failed or were skipped, a self-check or an accuracy gate failed, or accuracy is missing
  2 wrong usage or invalid scenario
  3 the endpoint, the SWE-bench service or the result directory cannot be used
  130 interrupted; the results say so";

/// Run a scenario: one replay per concurrency, one result directory
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Where result directories go: DIR/<scenario>/<run-id>
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// The run's name in DIR/<scenario>/; the time of its start unless given
    #[arg(long, value_name = "NAME", value_parser = run_id)]
    run_id: Option<String>,
    /// Replace a result directory of that name
    #[arg(long)]
    force: bool,
    /// Go on with the run of a result directory: the same scenario and data sets
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "run_id", "force"])]
    resume: Option<PathBuf>,
    /// Have this client measure the points, in place of this program
    #[arg(long, value_enum)]
    client: Option<Client>,
    /// How to start that client
    #[arg(long, value_name = "COMMAND", default_value = "inference-endpoint")]
    client_command: String,
    /// Never let the measuring threads sleep: stamps without the time that waking up takes
    #[arg(long, conflicts_with = "client")]
    busy_poll: bool,
    /// What to print at the end
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// What `scenario calibrate --out FILE` found; the one in the cache directory unless given
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

/// What is printed at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The table of the curve, then the result directory
    #[default]
    Text,
    /// The curve as JSON on one line, then the result directory
    Json,
}

fn run_id(text: &str) -> Result<String, String> {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && text.len() <= 100 && text.chars().all(valid) {
        Ok(text.to_owned())
    } else {
        Err("a letter or digit, then letters, digits, `.`, `_` and `-`; 100 at most".to_owned())
    }
}

/// Runs every point and says how it went.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let mut prepared = prepare(&args.scenario, context)?;
    if let Some(directory) = &args.resume {
        resume::check(directory, &mut prepared, &context.console)?;
    }
    enough_files(&prepared)?;
    let client = ClientRun::find(args, &prepared, context)?;
    // Whatever is outside lives in real time.
    let outside = outside_runtime()?;
    let threads = measuring_threads(context.virtual_time())?;
    let real_time = context.virtual_time().is_none();
    // Clocks that are started here are those of the threads that measure.
    let _entered = threads.first().enter();
    let calibration = calibration::find(args.calibration.as_deref(), context)?;
    warn_of_slots(&prepared, calibration.as_ref(), context);
    if client.is_none() {
        prepared.library.prepare_digests(first_pass(&prepared));
    }
    let reference = reference(&prepared)?;
    let statement =
        Statement::read(&prepared.scenario).map_err(|error| package::failure(&error))?;
    warn_of_system(statement.as_ref(), context);
    let target = Target::start(&prepared.scenario, &prepared.library, !real_time)?;
    let connect_timeout = prepared.scenario.endpoint.connect_timeout.get();
    threads.first().block_on(target.check(connect_timeout))?;
    let simulated = threads.first().block_on(target.is_simulated());
    let accuracy = AccuracyRun::prepare(&prepared, client.is_some(), &outside, &context.console)?;

    let mut run_dir = match &args.resume {
        Some(directory) => resume::open(directory, simulated)?,
        None => create(args, &prepared, simulated, wall_now())?,
    };
    let (stop, _signal) = stop_channel();
    let stage = CurrentStage::default();
    let (live, snapshots) = watch::channel(Live::default());
    outside
        .block_on(async { signals::watch(&context.console, stop.clone(), stage.clone()) })
        .map_err(|error| Failure::could_not("signals cannot be handled").because(&error))?;
    let progress = Progress::start(&context.console, snapshots);
    let session = Session {
        prepared: &prepared,
        target: &target,
        simulated,
        threads: &threads,
        real_time,
        busy_poll: args.busy_poll && real_time,
        outside: &outside,
        stop: &stop,
        stage: &stage,
        live: &live,
        reference: reference.as_ref(),
        statement: statement.as_ref(),
        calibration: calibration.as_ref(),
        console: &context.console,
    };
    let mut done = Done::default();
    let measure = Measure { client: client.as_ref(), accuracy: accuracy.as_ref() };
    let ran = run_points(&session, &measure, &mut run_dir, &mut done);
    let cached = match &ran {
        Ok(()) if client.is_none() => session.output_caching(&run_dir),
        _ => Ok(false),
    };
    progress.finish();
    let closed = run_dir.finish(wall_now());
    if let Some(accuracy) = &accuracy {
        done.verdict = accuracy.verdict(&done.scores, stop.level() > StopLevel::Run);
    }
    let checks = &prepared.scenario.compliance.checks;
    let broken = checks::are_broken(checks, run_dir.path(), &context.console);
    let submitted = match (&ran, &closed) {
        (Ok(()), Ok(PointState::Complete)) => submit::assemble(&session, run_dir.path(), context),
        _ => Ok(None),
    };
    let shown = show(args, &session, accuracy.as_ref(), &run_dir, &done);
    target.stop();
    ran?;
    closed.map_err(|error| disk(&error))?;
    shown?;
    let refused = submitted?.is_some_and(|report| !report.passes(false));
    let broken = cached? || broken;
    match status(&done, stop.level()) {
        ExitStatus::Success if broken || refused => Ok(ExitStatus::Findings),
        other => Ok(other),
    }
}

/// Who measures, and what is taken of a measured point.
struct Measure<'a> {
    /// Another client, in place of this program.
    client: Option<&'a ClientRun>,
    accuracy: Option<&'a AccuracyRun<'a>>,
}

/// What was measured, as far as it went.
#[derive(Default)]
struct Done {
    results: Vec<PointResult>,
    scores: Vec<PointScore>,
    verdict: Option<AccuracyVerdict>,
}

/// Tells beforehand which points are more than the machine can carry.
fn warn_of_slots(prepared: &Prepared, calibration: Option<&Calibration>, context: &Context) {
    let Some(calibration) = calibration else { return };
    for point in &prepared.plan.points {
        if let Some(why) = calibration.too_many_slots(point.concurrency) {
            context.console.warning(&format!("point r{}: {why}", point.concurrency));
        }
    }
}

/// Tells before anything is measured what will keep the submission from being accepted.
fn warn_of_system(statement: Option<&Statement<'_>>, context: &Context) {
    for fault in statement.map(Statement::system_faults).unwrap_or_default() {
        context.console.warning(&format!("submission.system: {}", fault.message));
    }
}

/// The reference tokenizer, where one is set: loaded first, so that what is wrong with it is told
/// before anything was measured.
fn reference(prepared: &Prepared) -> Result<Option<Reference>, Failure> {
    let directory = prepared.scenario.model.tokenizer.as_deref();
    directory.map(|directory| load_reference(directory, wall_now())).transpose()
}

/// The sessions of the first pass, which every point replays. Later passes are as long again each;
/// the recorder hashes them when they begin.
fn first_pass(prepared: &Prepared) -> impl Iterator<Item = (u32, u32)> {
    let sessions = prepared.plan.sequence.iter().map(|next| (next.conversation, next.pass));
    sessions.take_while(|(_, pass)| *pass == 1)
}

/// Makes sure that every slot can have its connection.
fn enough_files(prepared: &Prepared) -> Result<(), Failure> {
    let most = prepared.plan.points.iter().map(|point| u64::from(point.concurrency)).max();
    // Both ends of a connection to the embedded endpoint are in this process.
    let ends = if prepared.scenario.endpoint.simulated.is_some() { 2 } else { 1 };
    let (slots, limit) = (most.unwrap_or(0), host::raise_open_files());
    if limit.suffice_for(slots.saturating_mul(ends)) {
        return Ok(());
    }
    let now = limit.now.unwrap_or_default();
    Err(Failure::could_not(format!(
        "load.concurrency {slots}: needs a connection for each slot, but this process may have \
         only {now} files open"
    ))
    .help(
        "raise the hard limit (`ulimit -Hn`, or LimitNOFILE= of the service), or run fewer slots",
    ))
}

/// Where slots run. One thread carries a few hundred slots; a machine with many cores gives a
/// quarter of them, so that the clock is read soon after the socket even at thousands. In virtual
/// time it is one.
pub(super) fn measuring_threads(virtual_time: Option<MakeRuntime>) -> Result<Threads, Failure> {
    let quarter = (host::parallelism().get() / 4).clamp(1, 8);
    let real = || Threads::new(u16::try_from(quarter).unwrap_or(1));
    let threads = virtual_time.map_or_else(real, |make| make().map(Threads::of));
    threads.map_err(|error| Failure::could_not("no event loop can be started").because(&error))
}

/// Where signals are awaited and services asked, beside what is measured.
fn outside_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("outside")
        .enable_all()
        .build()
        .map_err(|error| Failure::could_not("no threads can be started").because(&error))
}

fn create(
    args: &Args,
    prepared: &Prepared,
    simulated: bool,
    started_at: SystemTime,
) -> Result<RunDir, Failure> {
    let scenario = &prepared.scenario;
    let parent = args.out.join(&scenario.name);
    let resolved = scenario.resolved_yaml();
    let measured_by = args.client.map(Client::name);
    let host = serde_json::to_value(Host::probe()).unwrap_or_default();
    let manifest = facts::manifest(prepared, simulated, measured_by, host, started_at);
    let create = |id: &str, force: bool| {
        RunDir::create(NewRun {
            path: &parent.join(id),
            force,
            manifest: manifest.clone(),
            source: &scenario.source_text,
            resolved: &resolved,
        })
    };
    if let Some(id) = &args.run_id {
        return create(id, args.force).map_err(|error| disk(&error));
    }
    // Two runs may start in the same second.
    let stamp = facts::stamp(started_at);
    for attempt in 1..100 {
        let id = if attempt == 1 { stamp.clone() } else { format!("{stamp}-{attempt}") };
        match create(&id, false) {
            Err(crate::results::ResultsError::Exists { .. }) => {}
            other => return other.map_err(|error| disk(&error)),
        }
    }
    create(&stamp, false).map_err(|error| disk(&error))
}

/// Runs point after point until one cannot be run, or the user interrupts. Points that are complete
/// already, in a resumed run, only get what is missing of their accuracy.
fn run_points(
    session: &Session<'_>,
    measure: &Measure<'_>,
    run_dir: &mut RunDir,
    done: &mut Done,
) -> Result<(), Failure> {
    for (index, point) in session.prepared.plan.points.iter().enumerate() {
        let concurrency = point.concurrency;
        let result = match resume::finished(run_dir, concurrency).cloned() {
            Some(entry) => Some(resume::result(session, run_dir.path(), &entry)?),
            None if session.stop.level() > StopLevel::Run => None,
            None => replay_point(session, measure.client, index, run_dir)?,
        };
        let Some(result) = result else { continue };
        for limit in &result.limits {
            session.console.warning(&format!("point r{concurrency}: client-limited: {limit}"));
        }
        for violation in &result.violations {
            let place = format!("point r{concurrency}: self-check");
            session.console.warning(&format!("{place}: {violation}"));
        }
        let row = result.row.clone();
        done.results.push(result);
        write_curve(session, run_dir, done)?;
        if let Some(accuracy) = measure.accuracy {
            let folder = run_dir.point_folder(concurrency);
            let score = accuracy.after_point(session, &folder, &row);
            for missing in &score.missing {
                session.console.warning(&format!("point r{concurrency}: {missing}"));
            }
            let missing = (!score.missing.is_empty()).then(|| score.missing.join("; "));
            run_dir.note_accuracy(concurrency, missing).map_err(|error| disk(&error))?;
            done.scores.push(score);
        }
    }
    Ok(())
}

/// Measures a point; none when the user interrupted it before there was anything to keep.
fn replay_point(
    session: &Session<'_>,
    client: Option<&ClientRun>,
    index: usize,
    run_dir: &mut RunDir,
) -> Result<Option<PointResult>, Failure> {
    let result = match client {
        Some(client) => client.run_point(session, index, run_dir),
        None => session.run_point(index, run_dir).map(Some),
    };
    match &result {
        Ok(Some(result)) => session.console.message(&facts::point_line(&result.row)),
        Ok(None) => {}
        Err(failure) => {
            let concurrency = session.prepared.plan.points[index].concurrency;
            // On a full disk the manifest cannot be written either; the first error tells why.
            let _ = run_dir.fail_point(concurrency, failure.summary(), wall_now());
        }
    }
    result
}

fn curve(session: &Session<'_>, done: &Done) -> Curve {
    Curve {
        scenario: session.prepared.scenario.name.clone(),
        simulated: session.simulated,
        points: done.results.iter().map(|result| result.row.clone()).collect(),
        accuracy: done.verdict.clone(),
    }
}

/// Writes the curve as far as it goes, so that a run that is killed later can be resumed with the
/// rows of its finished points.
fn write_curve(session: &Session<'_>, run_dir: &RunDir, done: &Done) -> Result<(), Failure> {
    let written = run_dir.write_file("curve.json", &curve(session, done).to_json());
    written.map(drop).map_err(|error| disk(&error))
}

/// Writes and prints the curve, and names the result directory.
fn show(
    args: &Args,
    session: &Session<'_>,
    accuracy: Option<&AccuracyRun<'_>>,
    run_dir: &RunDir,
    done: &Done,
) -> Result<(), Failure> {
    let written = write_curve(session, run_dir, done);
    let (console, curve) = (session.console, curve(session, done));
    match args.format {
        Format::Text if done.results.is_empty() => {}
        Format::Text => {
            console.out_line(&curve.table())?;
            if let Some(accuracy) = accuracy {
                let text = accuracy.text(&done.scores, done.verdict.as_ref());
                console.out_line(&format!("\n{text}\n"))?;
            }
        }
        Format::Json => console.out_line(&facts::json_line(&curve.to_json()))?,
    }
    console.out_line(&run_dir.path().display().to_string())?;
    written
}

fn status(done: &Done, stopped: StopLevel) -> ExitStatus {
    let failed = |result: &PointResult| {
        result.row.failed > 0 || result.row.skipped > 0 || !result.violations.is_empty()
    };
    let missing = |score: &PointScore| !score.missing.is_empty();
    if stopped > StopLevel::Run {
        ExitStatus::Interrupted
    } else if done.results.iter().any(failed)
        || done.scores.iter().any(missing)
        || done.verdict.as_ref().is_some_and(AccuracyVerdict::has_findings)
    {
        ExitStatus::Findings
    } else {
        ExitStatus::Success
    }
}
