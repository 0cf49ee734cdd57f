//! One rung: a replay at one number of slots.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::watch;

use super::observer::{FirstTokens, percentile};
use super::server::{Latency, Server};
use crate::cli::failure::Failure;
use crate::cli::run::measuring_threads;
use crate::client::{Config, Endpoint, TcpConnector};
use crate::clock::{Clock, nanos};
use crate::dataset::{Message, Row, Trajectory};
use crate::host;
use crate::plan::Assignment;
use crate::prompt::{Library, LibraryBuilder, PromptOptions, RequestTemplate};
use crate::replay::{
    Live, PointReplay, Recorder, RecorderSetup, Settings, StopLevel, Threads, replay_on,
    stop_channel,
};
use crate::results::Step;
use crate::scenario::model::{Tail, ToolDelays};

/// Client turns of a made-up conversation.
const TURNS: u32 = 5;
/// Made-up conversations; more are further passes over them.
const CONVERSATIONS: u32 = 1024;
/// Delays before turns are spread up to this. Without them slots would march in step, and wait for
/// each other at the client and at the endpoint.
const MAX_DELAY_MICROS: u64 = 40_000;
/// No turn against the endpoint on this machine takes longer.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);

/// What every rung needs.
pub(super) struct Bench {
    program: PathBuf,
    threads: Threads,
    library: Arc<Library>,
    directory: TempDir,
}

/// One rung to climb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rung {
    pub(super) slots: u32,
    pub(super) latency: Latency,
    /// How long turns are issued.
    pub(super) time: Duration,
    /// The most turns a second that a slot can have; bounds how many are prepared.
    pub(super) turns_per_slot: f64,
    /// Whether times are taken on top of what the endpoint recorded.
    pub(super) on_top: bool,
}

impl Bench {
    /// Makes the conversations.
    pub(super) fn new(program: PathBuf) -> Result<Self, Failure> {
        let failed = |error: &dyn std::error::Error| {
            Failure::could_not("the calibration cannot be prepared").because(error)
        };
        let template = RequestTemplate::new("calibration", Vec::new(), true);
        let mut builder = LibraryBuilder::new(template, PromptOptions::default(), 0);
        for conversation in 0..CONVERSATIONS {
            builder.add(0, &trajectory(conversation)).map_err(|error| failed(&error))?;
        }
        let directory = TempDir::with_prefix("scenario-calibrate-").map_err(|e| failed(&e))?;
        let library = Arc::new(builder.finish());
        Ok(Self { program, threads: measuring_threads(None)?, library, directory })
    }

    /// Climbs a rung.
    pub(super) fn step(&self, rung: Rung) -> Result<Step, Failure> {
        let record = self.directory.path().join("record.jsonl");
        let server = Server::start(&self.program, rung.latency, rung.on_top.then_some(&*record))?;
        let cpu = host::process_cpu();
        let (recorded, seen) = self.replay(rung, &server.url)?;
        let cpu = host::process_cpu().saturating_sub(cpu);
        server.stop()?;
        let times = if rung.on_top {
            seen.added(&record).map_err(|error| {
                Failure::could_not("the endpoint's record cannot be read").because(&error)
            })?
        } else {
            seen.plain()
        };
        let turns = recorded.completed;
        let lag = recorded.client.loop_lag.unwrap_or_default();
        Ok(Step {
            slots: rung.slots,
            turns,
            failed: recorded.failures.values().sum(),
            turns_per_s: per_second(turns, recorded.ended_at),
            cpu_ns_per_turn: nanos(cpu) / turns.max(1),
            ttft_p50_ns: percentile(&times, 50),
            ttft_p99_ns: percentile(&times, 99),
            loop_lag_p99_ns: lag.p99_ns,
        })
    }

    fn replay(
        &self,
        rung: Rung,
        url: &str,
    ) -> Result<(crate::replay::Recorded, FirstTokens), Failure> {
        let broke = |error: &dyn std::error::Error| {
            Failure::could_not(format!("{} slots: the replay broke down", rung.slots))
                .because(error)
        };
        let endpoint = Endpoint::new(&Config::new(vec![url.to_owned()])).map_err(|e| broke(&e))?;
        let connector = Arc::new(TcpConnector::new(&endpoint).map_err(|e| broke(&e))?);
        let (stop, signal) = stop_channel();
        let sequence = sequence(rung);
        let (notes, recorder) = Recorder::start(RecorderSetup {
            library: Arc::clone(&self.library),
            sequence: Arc::clone(&sequence),
            observer: FirstTokens::default(),
            seed: Vec::new(),
            prompts: false,
            live: watch::channel(Live::default()).0,
            stop: stop.clone(),
        })
        .map_err(|error| broke(&error))?;
        let point = PointReplay {
            library: Arc::clone(&self.library),
            sequence,
            concurrency: rung.slots,
            endpoint: Arc::new(endpoint),
            connector,
            settings: Settings {
                turn_timeout: TURN_TIMEOUT,
                // What an endpoint at full speed is asked shall not wait for anything.
                tool_delays: if rung.on_top { ToolDelays::Recorded } else { ToolDelays::None },
                tail: Tail::Drain,
            },
            clock: Clock::start(),
            exact_delays: true,
            probe: true,
            busy_poll: false,
        };
        let over = self.threads.first().spawn(async move {
            tokio::time::sleep(rung.time).await;
            stop.raise(StopLevel::Drain);
        });
        let ended = replay_on(&self.threads, &point, notes, &signal);
        over.abort();
        let recorded = recorder.finish();
        ended.map_err(|error| broke(&error))?;
        recorded.map_err(|error| broke(&error))
    }
}

/// Enough conversations to keep the slots busy for the whole time.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a bounded count")]
fn sequence(rung: Rung) -> Arc<[Assignment]> {
    let turns = rung.time.as_secs_f64() * rung.turns_per_slot * f64::from(rung.slots);
    let needed = (turns / f64::from(TURNS)).clamp(1.0, 200_000.0) as u32 + rung.slots;
    let assignment =
        |n| Assignment { conversation: n % CONVERSATIONS, pass: 1 + n / CONVERSATIONS };
    (0..needed).map(assignment).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts and times far below 2^53")]
fn per_second(turns: u64, nanos: u64) -> f64 {
    if nanos == 0 { 0.0 } else { turns as f64 * 1e9 / nanos as f64 }
}

/// A conversation of about a kilobyte.
fn trajectory(number: u32) -> Trajectory {
    let question = "The build fails in the linker step with a missing symbol. ".repeat(2);
    let row = |turn, message| {
        let micros = u64::from(number * 7919 + turn * 3571) % MAX_DELAY_MICROS;
        Row { line: 0, turn, message, delay: Some(Duration::from_micros(micros)), tools: None }
    };
    let rows = (0..TURNS).flat_map(|turn| {
        let answer = "Look at the order of the libraries on the command line.".to_owned();
        let answer = Message::Assistant {
            content: Some(answer),
            reasoning: None,
            tool_calls: None,
            intent_codes: Vec::new(),
        };
        let question = Message::User { content: question.clone() };
        [row(2 * turn + 1, question), row(2 * turn + 2, answer)]
    });
    Trajectory {
        id: format!("calibration-{number}"),
        system: Some("You answer questions about build logs.".to_owned()),
        tools: None,
        max_tokens: None,
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_enough_turns_and_no_session_twice() {
        let latency = Latency { ttft: Duration::ZERO, inter_token: Duration::ZERO, chunks: 1 };
        let time = Duration::from_secs(2);
        let rung = Rung { slots: 300, latency, time, turns_per_slot: 10.0, on_top: true };
        let sequence = sequence(rung);
        assert!(sequence.len() * TURNS as usize >= 300 * 20);
        let sessions: std::collections::BTreeSet<_> =
            sequence.iter().map(|next| (next.conversation, next.pass)).collect();
        assert_eq!(sessions.len(), sequence.len());
        let endless = Rung { slots: 4096, turns_per_slot: 1e9, ..rung };
        assert!(super::sequence(endless).len() < 210_000);
    }
}
