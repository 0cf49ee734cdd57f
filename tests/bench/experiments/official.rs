//! A whole pass over the official shape at 512 slots: start, memory, results, log.

use serde_json::json;

use super::note;
use crate::Options;
use crate::data::{self, Job};
use crate::ours::{self, Measured};
use crate::server::Server;
use crate::table::{Table, median, number};

pub(super) fn run(options: &Options) {
    let header = ["turns", "failed", "turns/s", "start ms", "peak MB", "results ms", "log MB"];
    let table = Table::new("official shape, one pass at 512 slots, instant server", &header);
    let data = data::official_shape("1");
    let job = Job { data, slots: 512, trajectories: None, delays: false, busy_poll: false };
    let runs: Vec<Measured> = (0..options.repeat)
        .map(|_| {
            let server = Server::start("0s", "0s", 24, None);
            let measured = ours::measure(&job, &server.url).0;
            note("official", "ours", job.slots, &measured, &json!({}));
            measured
        })
        .collect();
    let of = |of: fn(&Measured) -> f64| number(median(runs.iter().map(of)));
    table.row(&[
        runs[0].turns.to_string(),
        runs[0].failed.to_string(),
        of(Measured::rate),
        of(|run| run.start_ns as f64 / 1e6),
        of(|run| run.peak_bytes as f64 / 1e6),
        of(|run| run.results_ns as f64 / 1e6),
        of(|run| run.log_bytes as f64 / 1e6),
    ]);
}
