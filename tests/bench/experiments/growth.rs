//! (e): whether a turn's cost grows with the length of its history, or with the data set.

use serde_json::json;

use super::note;
use crate::data::{self, Job, Set};
use crate::ours::{self, Measured};
use crate::server::Server;
use crate::table::{Table, median, number};
use crate::{Options, bare};

const HISTORIES: [usize; 5] = [1_000, 10_000, 50_000, 150_000, 300_000];
const SCALES: [&str; 3] = ["0.25", "0.5", "1"];

pub(super) fn run(options: &Options) {
    let header = ["history", "turns", "ours µs", "bare µs", "ratio", "difference"];
    let table = Table::new("(e) CPU a turn against history length, 8 slots", &header);
    for history in HISTORIES {
        // About as many bytes for each length, within reason.
        let conversations = u32::try_from(60_000_000 / history).unwrap_or(u32::MAX).clamp(40, 400);
        let set = Set { conversations, turns: 12, history, ..Set::PLAIN };
        let job =
            Job { data: set.file(), slots: 8, trajectories: None, delays: false, busy_poll: false };
        let pairs: Vec<_> = (0..options.repeat).map(|_| pair("history", &job)).collect();
        let of = |of: fn(&(Measured, Measured)) -> f64| median(pairs.iter().map(of));
        let cells = [
            of(|(ours, _)| ours.cpu_us()),
            of(|(_, bare)| bare.cpu_us()),
            of(|(ours, bare)| ours.cpu_us() / bare.cpu_us()),
            of(|(ours, bare)| ours.cpu_us() - bare.cpu_us()),
        ];
        let mut row = vec![history.to_string(), pairs[0].0.turns.to_string()];
        row.extend(cells.map(number));
        table.row(&row);
    }
    let header = ["scale", "turns", "ours µs", "bare µs", "ratio", "start ms", "peak MB"];
    let table =
        Table::new("(e) CPU a turn against data set size, official shape, 64 slots", &header);
    for scale in SCALES {
        let data = data::official_shape(scale);
        let job = Job { data, slots: 64, trajectories: None, delays: false, busy_poll: false };
        let pairs: Vec<_> = (0..options.repeat).map(|_| pair("set", &job)).collect();
        let of = |of: fn(&(Measured, Measured)) -> f64| median(pairs.iter().map(of));
        let cells = [
            of(|(ours, _)| ours.cpu_us()),
            of(|(_, bare)| bare.cpu_us()),
            of(|(ours, bare)| ours.cpu_us() / bare.cpu_us()),
            of(|(ours, _)| ours.start_ns as f64 / 1e6),
            of(|(ours, _)| ours.peak_bytes as f64 / 1e6),
        ];
        let mut row = vec![scale.to_owned(), pairs[0].0.turns.to_string()];
        row.extend(cells.map(number));
        table.row(&row);
    }
}

fn pair(axis: &str, job: &Job) -> (Measured, Measured) {
    let server = Server::start("0s", "0s", 4, None);
    let (bare, _) = bare::measure("bare", job, &server.url);
    let (ours, _) = ours::measure(job, &server.url);
    let more = json!({ "axis": axis, "data": job.data.display().to_string() });
    note("growth", "ours", job.slots, &ours, &more);
    note("growth", "bare", job.slots, &bare, &more);
    (ours, bare)
}
