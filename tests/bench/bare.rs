//! The floor: clients that send the same bytes and do as little as can be done with the reply.
//!
//! `client bare|bare-awake|raw SCENARIO OUT` runs in a process of its own and prints its figures as one JSON
//! line; OUT gets a line for each exchange with its times.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, SizeHint};
use hyper_util::rt::TokioIo;
use scenario::clock::{nanos, stay_awake};
use scenario::host;
use scenario::plan::{Assignment, Plan};
use scenario::prompt::{self, Library};
use scenario::scenario::model::ToolDelays;
use scenario::scenario::{Depth, LoadRequest, load};
use serde_json::{Value, json};

use crate::data::{Job, Stamps};
use crate::ours::Measured;
use crate::{directory, raw};

/// What a floor client works on.
pub(crate) struct Work {
    pub(crate) library: Arc<Library>,
    pub(crate) sequence: Arc<[Assignment]>,
    pub(crate) next: AtomicUsize,
    pub(crate) slots: u32,
    /// Whether recorded delays are waited out, to the millisecond.
    pub(crate) delays: bool,
    /// `host:port`.
    pub(crate) authority: String,
}

/// What one slot did.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) turns: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Session, and the times of its exchanges in order.
    pub(crate) sessions: Vec<(Arc<str>, Vec<Stamps>)>,
}

impl Work {
    fn load(scenario: &Path) -> Self {
        let request = LoadRequest { path: scenario, env: &|_| None, set: &[], depth: Depth::File };
        let scenario = load(&request).scenario.expect("a valid scenario");
        let library = prompt::load(&scenario).library.expect("a sound data set");
        let plan = Plan::new(&scenario, &library.conversations_per_dataset(1), None);
        let url = scenario.endpoint.urls.first().expect("a URL");
        Self {
            sequence: Arc::clone(&plan.sequence),
            library,
            next: AtomicUsize::new(0),
            slots: plan.points[0].concurrency,
            delays: scenario.load.tool_delays == ToolDelays::Recorded,
            authority: url.trim_start_matches("http://").to_owned(),
        }
    }

    /// The next trajectory.
    pub(crate) fn take(&self) -> Option<prompt::Session> {
        let next = self.sequence.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        Some(self.library.session(next.conversation, next.pass))
    }
}

/// Runs a floor client of `kind` on a job and returns its figures.
pub(crate) fn measure(kind: &str, job: &Job, url: &str) -> (Measured, Vec<(String, Vec<Stamps>)>) {
    let out = directory().join("floor.txt");
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["client", kind]).arg(job.scenario(url)).arg(&out);
    let output = command.output().expect("the client runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let figures: Value = serde_json::from_slice(&output.stdout).expect("figures");
    let number = |key: &str| figures[key].as_u64().unwrap_or(0);
    let measured = Measured {
        turns: number("turns"),
        sent_bytes: number("sent_bytes"),
        wall_ns: number("wall_ns"),
        cpu_ns: number("cpu_ns"),
        peak_bytes: number("peak_bytes"),
        ..Measured::default()
    };
    let text = std::fs::read_to_string(out).expect("the client's stamps");
    let sessions = text.lines().map(|line| {
        let (session, stamps) = line.split_once('\t').expect("a session");
        let pair = |pair: &str| {
            let (first, end) = pair.split_once(',')?;
            Some(Stamps { first: first.parse().ok()?, end: end.parse().ok()? })
        };
        (session.to_owned(), stamps.split(' ').filter_map(pair).collect())
    });
    (measured, sessions.collect())
}

/// The client's process.
pub(crate) fn main(arguments: &[String]) {
    let [kind, scenario, out] = arguments else {
        panic!("expected: bare|bare-awake|raw SCENARIO OUT")
    };
    host::raise_open_files();
    let work = Arc::new(Work::load(Path::new(scenario)));
    let (cpu, start) = (host::process_cpu(), Instant::now());
    let done = match kind.as_str() {
        "raw" => raw::run(&work),
        kind => run(&work, kind == "bare-awake"),
    };
    let (cpu, wall) = (host::process_cpu().saturating_sub(cpu), start.elapsed());
    let total = |of: fn(&Done) -> u64| done.iter().map(of).sum::<u64>();
    println!(
        "{}",
        json!({
            "turns": total(|done| done.turns),
            "sent_bytes": total(|done| done.sent),
            "received_bytes": total(|done| done.received),
            "wall_ns": nanos(wall),
            "cpu_ns": nanos(cpu),
            "peak_bytes": host::peak_resident_bytes(),
        })
    );
    let mut text = String::new();
    for (session, stamps) in done.iter().flat_map(|done| &done.sessions) {
        let _ = write!(text, "{session}\t");
        for stamp in stamps {
            let _ = write!(text, "{},{} ", stamp.first, stamp.end);
        }
        text.push('\n');
    }
    std::fs::write(out, text).expect("the stamps are written");
}

/// The bare hyper client: one connection and one task a slot, on one thread; `awake` if it never
/// sleeps.
fn run(work: &Arc<Work>, awake: bool) -> Vec<Done> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        if awake {
            tokio::spawn(stay_awake());
        }
        let slots: Vec<_> = (0..work.slots).map(|_| tokio::spawn(slot(Arc::clone(work)))).collect();
        let mut done = Vec::new();
        for slot in slots {
            done.push(slot.await.expect("a slot without panic"));
        }
        done
    })
}

async fn slot(work: Arc<Work>) -> Done {
    let mut done = Done::default();
    let stream = tokio::net::TcpStream::connect(&work.authority).await.expect("a connection");
    stream.set_nodelay(true).expect("an option");
    let io = TokioIo::new(stream);
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(io).await.expect("no handshake");
    tokio::spawn(connection);
    while let Some(session) = work.take() {
        let mut times = Vec::with_capacity(session.turns().len());
        for index in 0..session.turns().len() {
            if work.delays {
                tokio::time::sleep(Duration::from_nanos(session.turns()[index].delay)).await;
            }
            let body = Slices::of(&session.body(index));
            done.sent += body.left;
            let start = Instant::now();
            let request = hyper::Request::post("/v1/chat/completions")
                .header("host", &work.authority)
                .header("content-type", "application/json")
                .header("x-session-id", &**session.id())
                .body(body)
                .expect("a request");
            let mut reply = sender.send_request(request).await.expect("a reply").into_body();
            let mut first = None;
            while let Some(frame) = reply.frame().await {
                first.get_or_insert_with(|| start.elapsed());
                done.received += frame.expect("a frame").data_ref().map_or(0, Bytes::len) as u64;
            }
            let stamps = [first.unwrap_or_default(), start.elapsed()].map(nanos);
            times.push(Stamps { first: stamps[0], end: stamps[1] });
            done.turns += 1;
        }
        done.sessions.push((Arc::clone(session.id()), times));
    }
    done
}

/// A body of borrowed slices.
struct Slices {
    slices: std::vec::IntoIter<Bytes>,
    left: u64,
}

impl Slices {
    fn of(body: &prompt::Body) -> Self {
        let rope = body.rope();
        Self { left: rope.len(), slices: rope.into_slices().into_iter() }
    }
}

impl Body for Slices {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let slice = self.slices.next();
        self.left -= slice.as_ref().map_or(0, Bytes::len) as u64;
        Poll::Ready(slice.map(|slice| Ok(Frame::data(slice))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
