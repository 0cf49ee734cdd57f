//! `audit.output_caching`: two replays behind the points that show whether the server keeps whole
//! replies.
//!
//! The reference phase plays different trajectories once; the second one plays a trajectory of
//! theirs as often as the first played any, each time under the salt of another pass. What is
//! compared is that one trajectory's output per second of turn time, so that both sides have the
//! same prompts, turn by turn, next to as many others.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::point::{Session, disk};
use super::signals::Stage;
use crate::cli::failure::Failure;
use crate::clock::Clock;
use crate::events::{Event, Observer, Writer};
use crate::metrics::{Pace, PaceReport};
use crate::plan::Assignment;
use crate::prompt::Library;
use crate::replay::{Live, Recorder, StopLevel, replay_on};
use crate::results::RunDir;
use crate::scenario::model::OutputCaching;

/// The result's file.
const FILE: &str = "output_caching.json";
/// Where the two event logs go.
const DIRECTORY: &str = "output_caching";

/// What `output_caching.json` holds.
#[derive(Debug, Serialize)]
struct Outcome {
    /// Whether the endpoint was the simulated one.
    simulated: bool,
    /// The trajectory that is compared.
    conversation: String,
    concurrency: u32,
    trajectories: u32,
    threshold_percent: f64,
    reference: PaceReport,
    repeated: PaceReport,
    /// By how many percent the repeated trajectory is faster; null where a turn failed.
    faster_percent: Option<f64>,
}

/// The log of a phase and the pace of the trajectory.
struct Phase {
    log: Writer<BufWriter<File>>,
    pace: Pace,
}

impl Observer for Phase {
    fn observe(&mut self, event: &Event) -> io::Result<()> {
        self.pace.push(event);
        self.log.write(event)
    }
}

impl Session<'_> {
    /// Measures, where the scenario asks for it and it was not done before; true when the server
    /// is too fast.
    pub(super) fn output_caching(&self, run_dir: &RunDir) -> Result<bool, Failure> {
        let Some(settings) = &self.prepared.scenario.audit.output_caching else { return Ok(false) };
        if self.stop.level() > StopLevel::Run || run_dir.path().join(FILE).exists() {
            return Ok(false);
        }
        let library = &self.prepared.library;
        let (reference, chosen) = reference(library, &self.prepared.plan.sequence, settings);
        let repeated: Vec<Assignment> = (2..=settings.trajectories.saturating_add(1))
            .map(|pass| Assignment { conversation: chosen, pass })
            .collect();
        let directory = run_dir.path().join(DIRECTORY);
        std::fs::create_dir_all(&directory).map_err(|error| {
            Failure::could_not(format!("{}: cannot be made", directory.display())).because(&error)
        })?;
        self.stage.enter(Stage::Replaying);
        self.target.begin_point();
        let id = &library.conversations()[chosen as usize].id;
        let mut paces = Vec::new();
        for (name, sequence) in [("reference", reference), ("repeated", repeated)] {
            let log = directory.join(format!("{name}.jsonl"));
            paces.push(self.phase(settings, sequence, &log, Pace::of(id))?);
        }
        // An interrupted measurement says nothing; a resumed run makes it again.
        if self.stop.level() > StopLevel::Run {
            return Ok(false);
        }
        let (Some(repeated), Some(reference)) = (paces.pop(), paces.pop()) else {
            return Ok(false);
        };
        let outcome = Outcome {
            simulated: self.simulated,
            conversation: id.to_string(),
            concurrency: settings.concurrency,
            trajectories: settings.trajectories,
            threshold_percent: settings.threshold_percent,
            faster_percent: repeated.faster_than(&reference),
            reference,
            repeated,
        };
        let mut text = serde_json::to_vec_pretty(&outcome)
            .expect("our own types have only text keys and no errors");
        text.push(b'\n');
        run_dir.write_file(FILE, &text).map_err(|error| disk(&error))?;
        Ok(self.told(&outcome))
    }

    /// Says what was found; true when the server is too fast.
    fn told(&self, outcome: &Outcome) -> bool {
        let threshold = outcome.threshold_percent;
        let Some(faster) = outcome.faster_percent else {
            self.console.warning("output caching: not judged, since turns failed");
            return false;
        };
        let text = format!(
            "output caching: a repeated trajectory is {faster:.1} % faster (at most {threshold} %)"
        );
        if faster > threshold {
            self.console.warning(&text);
        } else {
            self.console.message(&text);
        }
        faster > threshold
    }

    fn phase(
        &self,
        settings: &OutputCaching,
        sequence: Vec<Assignment>,
        log: &Path,
        pace: Pace,
    ) -> Result<PaceReport, Failure> {
        let broken = |error: &dyn std::error::Error| {
            Failure::could_not("audit.output_caching: the replay broke down").because(error)
        };
        let file = File::create(log).map_err(|error| broken(&error))?;
        let phase = Phase { log: Writer::new(BufWriter::new(file)), pace };
        self.live.send_replace(Live { concurrency: settings.concurrency, ..Live::default() });
        let sequence: Arc<[Assignment]> = sequence.into();
        let mut replayed = self.replay_of(Arc::clone(&sequence), settings.concurrency);
        replayed.clock = Clock::start();
        let (notes, recorder) =
            Recorder::start(self.recorder(sequence, phase)).map_err(|error| broken(&error))?;
        let ended = replay_on(self.threads, &replayed, notes, &self.stop.signal());
        let recorded = recorder.finish();
        ended.map_err(|error| broken(&error))?;
        let (_, phase) = recorded.map_err(|error| broken(&error))?;
        phase.log.finish().map_err(|error| broken(&error))?;
        Ok(phase.pace.finish())
    }
}

/// The trajectories of the reference phase, each once, and the one that is compared: of median
/// length, so that neither its start nor its end weighs most.
fn reference(
    library: &Arc<Library>,
    plan: &[Assignment],
    settings: &OutputCaching,
) -> (Vec<Assignment>, u32) {
    let first = plan.iter().filter(|assignment| assignment.pass == 1);
    let sequence: Vec<Assignment> = first.take(settings.trajectories as usize).copied().collect();
    let mut by_length = sequence.clone();
    let turns = |a: &Assignment| library.conversations()[a.conversation as usize].turns.len();
    by_length.sort_by_key(|assignment| (turns(assignment), assignment.conversation));
    let chosen = by_length.get(by_length.len() / 2).map_or(0, |assignment| assignment.conversation);
    (sequence, chosen)
}
