//! A whole replay in one thread on virtual time: engine, HTTP client, pipe, simulated endpoint.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use scenario::client::{Config, Connect, Endpoint};
use scenario::clock::Clock;
use scenario::dataset::{Limits, Reader};
use scenario::events::{Event, EventKind, Observer, Writer};
use scenario::metrics::{Collector, Expected, Metrics, SelfCheck, SelfCheckReport};
use scenario::plan::{Assignment, sequence};
use scenario::prompt::{Library, LibraryBuilder, PromptOptions, RecordedTable, RequestTemplate};
use scenario::replay::{
    Live, Notes, PointReplay, Recorded, Recorder, RecorderHandle, RecorderSetup, ReplayError,
    Settings, StopHandle, StopSignal, Threads, replay, replay_on, stop_channel,
};
use scenario::scenario::model::{Tail, ToolDelays};
use scenario::simulator::{Config as SimulatorConfig, RecordedReplies, Simulator};
use scenario::wire::{Failure, FailureKind};
use tokio::io::DuplexStream;
use tokio::sync::watch;

pub(crate) const MS: u64 = 1_000_000;

/// Opens a pipe to the simulated endpoint for each connection.
pub(crate) struct Pipes(pub(crate) Arc<Simulator>);

impl Connect for Pipes {
    type Io = DuplexStream;

    async fn connect(&self, _url: usize) -> Result<DuplexStream, Failure> {
        if self.0.is_gone() {
            return Err(Failure::new(FailureKind::Connect, "connection refused"));
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(Arc::clone(&self.0).serve_connection(theirs));
        Ok(ours)
    }
}

/// Everything that a replay can be asked, with the defaults of most tests.
pub(crate) struct Replay {
    pub(crate) library: Arc<Library>,
    pub(crate) sequence: Vec<Assignment>,
    pub(crate) concurrency: u32,
    pub(crate) settings: Settings,
    pub(crate) simulator: SimulatorConfig,
    /// Whether the event loop is probed, every 4 ms of virtual time.
    pub(crate) probe: bool,
}

impl Replay {
    pub(crate) fn new(library: Arc<Library>, passes: u32, concurrency: u32) -> Self {
        let conversations = u32::try_from(library.conversations().len()).unwrap();
        let passes = (0..passes).map(|_| (0..conversations).collect());
        Self {
            sequence: sequence(passes, usize::MAX),
            library,
            concurrency,
            settings: Settings {
                turn_timeout: Duration::from_hours(4),
                tool_delays: ToolDelays::Recorded,
                tail: Tail::Drain,
            },
            simulator: SimulatorConfig {
                ttft: Duration::from_millis(8),
                inter_token: Duration::from_millis(1),
                ..SimulatorConfig::default()
            },
            probe: false,
        }
    }

    /// Runs on the simulated endpoint.
    pub(crate) async fn run(self) -> Outcome {
        self.run_while(|_, _| async {}).await
    }

    /// Runs on the simulated endpoint with `meanwhile` beside it.
    pub(crate) async fn run_while<F: Future<Output = ()> + Send + 'static>(
        self,
        meanwhile: impl FnOnce(StopHandle, Clock) -> F,
    ) -> Outcome {
        let clock = Clock::start_at(SystemTime::UNIX_EPOCH);
        let table: Arc<dyn RecordedReplies> = Arc::new(RecordedTable::new(self.library.clone()));
        let simulator = Simulator::new(self.simulator.clone(), Some(table), clock).unwrap();
        self.run_on(clock, Arc::new(Pipes(simulator)), meanwhile).await
    }

    /// Runs on any endpoint.
    pub(crate) async fn run_on<C: Connect, F: Future<Output = ()> + Send + 'static>(
        self,
        clock: Clock,
        connector: Arc<C>,
        meanwhile: impl FnOnce(StopHandle, Clock) -> F,
    ) -> Outcome {
        let (point, notes, ready) = self.ready(clock, connector);
        let beside = tokio::spawn(meanwhile(ready.stop.clone(), clock));
        let result = replay(point, notes, ready.signal.clone()).await;
        beside.abort();
        ready.outcome(result)
    }

    /// Runs on several threads, in real time.
    pub(crate) fn run_on_threads<C: Connect>(
        self,
        threads: &Threads,
        clock: Clock,
        connector: Arc<C>,
        meanwhile: impl FnOnce(StopHandle) + Send,
    ) -> Outcome {
        let (point, notes, ready) = self.ready(clock, connector);
        let stop = ready.stop.clone();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| meanwhile(stop));
            replay_on(threads, &point, notes, &ready.signal)
        });
        ready.outcome(result)
    }

    fn ready<C: Connect>(self, clock: Clock, connector: Arc<C>) -> (PointReplay<C>, Notes, Ready) {
        let sequence: Arc<[Assignment]> = self.sequence.into();
        let (stop, signal) = stop_channel();
        let setup = RecorderSetup {
            library: Arc::clone(&self.library),
            sequence: Arc::clone(&sequence),
            observer: Observed::default(),
            seed: b"test".to_vec(),
            prompts: false,
            live: watch::channel(Live::default()).0,
            stop: stop.clone(),
        };
        let (notes, recorder) = Recorder::start(setup).unwrap();
        let endpoint = Endpoint::new(&Config::new(vec!["http://simulated".to_owned()])).unwrap();
        let salt_markers = if self.library.options().salt { 2 } else { 0 };
        let point = PointReplay {
            library: self.library,
            sequence,
            concurrency: self.concurrency,
            endpoint: Arc::new(endpoint),
            connector,
            settings: self.settings,
            clock,
            exact_delays: false,
            busy_poll: false,
            probe: self.probe,
        };
        let concurrency = self.concurrency;
        (point, notes, Ready { recorder, stop, signal, concurrency, salt_markers })
    }
}

/// What goes on beside a replay.
struct Ready {
    recorder: RecorderHandle<Observed>,
    stop: StopHandle,
    signal: StopSignal,
    concurrency: u32,
    salt_markers: u8,
}

impl Ready {
    fn outcome(self, result: Result<(), ReplayError>) -> Outcome {
        let (recorded, observed) = self.recorder.finish().unwrap();
        let expected = Expected {
            planned: recorded.planned,
            skipped: recorded.skipped.tail,
            interrupted: recorded.skipped.interrupted > 0,
            concurrency: self.concurrency,
            salt_markers: self.salt_markers,
        };
        Outcome {
            result,
            events: observed.events,
            log: observed.log.finish().unwrap(),
            metrics: observed.metrics.finish(),
            check: observed.check.finish(expected, recorded.digest.clone()),
            recorded,
        }
    }
}

/// What a replay gave.
pub(crate) struct Outcome {
    pub(crate) result: Result<(), ReplayError>,
    pub(crate) recorded: Recorded,
    pub(crate) events: Vec<Event>,
    pub(crate) log: Vec<u8>,
    pub(crate) metrics: Metrics,
    pub(crate) check: SelfCheckReport,
}

impl Outcome {
    /// Asserts what holds for every replay that was not interrupted and had no failure.
    pub(crate) fn assert_clean(&self) {
        assert!(self.result.is_ok());
        assert_eq!(self.check.violations, []);
        assert_eq!(self.recorded.failures.values().sum::<u64>(), 0, "{:?}", self.recorded.failures);
        assert_eq!(self.recorded.completed, self.recorded.planned);
        assert_eq!(self.recorded.sent, self.recorded.planned);
    }

    /// `(what, session, turn, milliseconds)` of every event, in log order. Times must be whole
    /// milliseconds.
    pub(crate) fn timeline(&self) -> Vec<(&'static str, String, u32, u64)> {
        let line = |event: &Event| {
            assert_eq!(event.at % MS, 0, "{event:?}");
            let (what, key) = match &event.kind {
                EventKind::SessionStarted => ("started", None),
                EventKind::StartTracking => ("window opens", None),
                EventKind::StopTracking => ("window closes", None),
                EventKind::SessionEnded => ("ended", None),
                EventKind::Issued(key, Some(_)) => ("issued", Some(key)),
                EventKind::Issued(key, None) => ("given up", Some(key)),
                EventKind::FirstToken(key) => ("first token", Some(key)),
                EventKind::Failed(key, failure) => (failure.kind.name(), Some(key)),
                EventKind::Complete(key, Some(_)) => ("complete", Some(key)),
                EventKind::Complete(key, None) => ("over", Some(key)),
            };
            let (session, turn) =
                key.map_or((String::new(), 0), |k| (k.session.to_string(), k.turn));
            (what, session, turn, event.at / MS)
        };
        self.events.iter().map(line).collect()
    }

    /// The timeline as text, one event a line.
    pub(crate) fn timeline_text(&self) -> String {
        let line = |(what, session, turn, at): (&str, String, u32, u64)| match turn {
            0 => format!("{at:>6} ms  {what}\n"),
            _ => format!("{at:>6} ms  {what:<12} {session} {turn}\n"),
        };
        self.timeline().into_iter().map(line).collect()
    }
}

struct Observed {
    events: Vec<Event>,
    log: Writer<Vec<u8>>,
    metrics: Collector,
    check: SelfCheck,
}

impl Default for Observed {
    fn default() -> Self {
        let log = Writer::new(Vec::new());
        Self { events: Vec::new(), log, metrics: Collector::new(), check: SelfCheck::new() }
    }
}

impl Observer for Observed {
    fn observe(&mut self, event: &Event) -> io::Result<()> {
        self.log.write(event)?;
        self.metrics.push(event);
        self.check.push(event);
        self.events.push(event.clone());
        Ok(())
    }
}

/// The path of a fixture.
pub(crate) fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// The library of one data set file.
pub(crate) fn library(
    path: &Path,
    template: RequestTemplate,
    options: PromptOptions,
) -> Arc<Library> {
    let mut builder = LibraryBuilder::new(template, options, 0);
    let mut reader = Reader::open(path, Limits::default()).unwrap();
    while let Some(trajectory) = reader.next_trajectory() {
        builder.add(0, &trajectory).unwrap();
    }
    assert_eq!(reader.errors(), 0, "{:?}", reader.diagnostics());
    Arc::new(builder.finish())
}

/// The library of the reference replay's data set, with default options.
pub(crate) fn reference_library() -> Arc<Library> {
    let template = RequestTemplate::new("mock-model", Vec::new(), true);
    let path = fixture("reference-replay/dataset.jsonl");
    library(&path, template, PromptOptions::default())
}

/// A data set of `conversations` conversations with `turns` client turns each and `delay_seconds`
/// before each turn but the first.
pub(crate) fn made_library(conversations: usize, turns: u32, delay_seconds: f64) -> Arc<Library> {
    let mut text = String::new();
    for conversation in 0..conversations {
        for turn in 0..turns {
            let row = serde_json::json!({
                "conversation_id": format!("sim_{conversation}"),
                "turn": turn * 2 + 1,
                "role": "user",
                "content": format!("question {turn}"),
                "system": "Answer.",
                "delay_seconds": if turn == 0 { 0.0 } else { delay_seconds },
            });
            let reply = serde_json::json!({
                "conversation_id": format!("sim_{conversation}"),
                "turn": turn * 2 + 2,
                "role": "assistant",
                "content": "ok",
            });
            writeln!(text, "{row}\n{reply}").unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.jsonl");
    std::fs::write(&path, text).unwrap();
    library(&path, RequestTemplate::new("m", Vec::new(), true), PromptOptions::default())
}
