//! (a), (b): what a turn costs against a server that answers at once.

use std::path::PathBuf;

use serde_json::json;

use super::note;
use crate::data::{self, Job, SHORT};
use crate::ours::{self, Measured};
use crate::server::Server;
use crate::table::{Table, median, number, quantile};
use crate::{Options, bare};

const SLOTS: [u32; 6] = [1, 8, 64, 256, 1024, 4096];
/// One thread a slot is no sensible client beyond this.
const RAW_SLOTS: u32 = 64;
/// Fragments of a reply.
const CHUNKS: u32 = 4;

pub(super) fn run(options: &Options) {
    let short = SHORT.file();
    table(options, "short", "(a) short prompts (1 KB), instant server", |slots| {
        let trajectories = if slots == 1 { 1500 } else { slots.max(4096) };
        (short.clone(), Some(trajectories))
    });
    let official = data::official_shape("1");
    table(options, "official-shape", "(a) official shape (80 KB), instant server", |slots| {
        // A pass has 613 trajectories; more slots than that need more of them.
        let trajectories = if slots == 1 { Some(120) } else { (slots > 512).then_some(slots) };
        (official.clone(), trajectories)
    });
}

fn table(options: &Options, name: &str, title: &str, data: impl Fn(u32) -> (PathBuf, Option<u32>)) {
    let header = [
        "slots",
        "turns",
        "turns/s",
        "MB/s",
        "ours µs",
        "bare µs",
        "raw µs",
        "ratio",
        "recorder",
        "server µs",
        "peak MB",
        "failed",
        "E2E p50 ms",
        "max ms",
    ];
    let table = Table::new(title, &header);
    for slots in options.slots_of(&SLOTS) {
        let (data, trajectories) = data(slots);
        let job = Job { data, slots, trajectories, delays: false, busy_poll: false };
        let mut rows = Vec::new();
        for _ in 0..options.repeat {
            rows.push(once(name, &job));
        }
        let of = |cell: fn(&Row) -> f64| median(rows.iter().map(cell));
        let (ours, row) = (of(|row| row.ours.cpu_us()), &rows[0]);
        table.row(&[
            slots.to_string(),
            row.ours.turns.to_string(),
            number(of(|row| row.ours.rate())),
            number(of(|row| row.ours.sent_bytes as f64 * 1e3 / row.ours.wall_ns as f64)),
            number(ours),
            number(of(|row| row.bare.cpu_us())),
            row.raw.as_ref().map_or("-".to_owned(), |_| {
                number(of(|row| row.raw.as_ref().map_or(0.0, Measured::cpu_us)))
            }),
            number(of(|row| row.ours.cpu_us() / row.bare.cpu_us())),
            format!(
                "{:.0} %",
                100.0 * of(|row| row.ours.recorder_ns as f64 / row.ours.cpu_ns as f64)
            ),
            number(of(|row| row.server_us)),
            number(of(|row| row.ours.peak_bytes as f64 / 1e6)),
            rows.iter().map(|row| row.ours.failed).sum::<u64>().to_string(),
            number(of(|row| row.latency_ms[0])),
            number(of(|row| row.latency_ms[1])),
        ]);
    }
}

struct Row {
    ours: Measured,
    bare: Measured,
    raw: Option<Measured>,
    server_us: f64,
    /// End-to-end times of our turns: the median and the longest. Where slots starved, the longest
    /// would be many medians.
    latency_ms: [f64; 2],
}

/// All clients, one after the other, so that their ratio is of one moment.
fn once(name: &str, job: &Job) -> Row {
    let server = Server::start("0s", "0s", CHUNKS, None);
    let (bare, _) = bare::measure("bare", job, &server.url);
    let before = server.cpu();
    let (ours, log) = ours::measure(job, &server.url);
    let ends = log.values().flatten().filter_map(|turn| Some(turn.stamps?.end as f64 / 1e6));
    let mut ends: Vec<f64> = ends.collect();
    let latency_ms = [0.5, 1.0].map(|q| quantile(&mut ends, q));
    let server_us =
        server.cpu().saturating_sub(before).as_secs_f64() * 1e6 / ours.turns.max(1) as f64;
    assert_eq!((ours.turns, ours.sent_bytes), (bare.turns, bare.sent_bytes), "the same work");
    let raw = (job.slots <= RAW_SLOTS).then(|| bare::measure("raw", job, &server.url).0);
    let more = json!({ "data": name, "server_us": server_us, "latency_ms": latency_ms });
    note("throughput", "ours", job.slots, &ours, &more);
    note("throughput", "bare", job.slots, &bare, &more);
    if let Some(raw) = &raw {
        note("throughput", "raw", job.slots, raw, &more);
    }
    Row { ours, bare, raw, server_us, latency_ms }
}
