//! (d): how exactly recorded delays are kept.

use serde_json::json;

use super::note;
use crate::Options;
use crate::data::{Job, Set};
use crate::ours;
use crate::server::Server;
use crate::table::{Table, number, quantile};

const SLOTS: [u32; 3] = [8, 64, 512];
/// Delays that differ: slots in step would all be due at once, and wait for each other.
const SET: Set =
    Set { conversations: 512, turns: 12, history: 500, delay_ms: 40.0, spread_ms: 40.0 };

pub(super) fn run(options: &Options) {
    let title =
        "(d) issue minus (reply + recorded delay of 40 to 85 ms), in ms; server: 20 ms + 3 × 5 ms";
    let table = Table::new(title, &["slots", "turns", "p50", "p99", "p99.9", "max", "early"]);
    for slots in options.slots_of(&SLOTS) {
        let trajectories = Some((slots * 4).min(512));
        let job = Job { data: SET.file(), slots, trajectories, delays: true, busy_poll: false };
        let server = Server::start("20ms", "5ms", 4, None);
        let (measured, log) = ours::measure(&job, &server.url);
        let mut late = Vec::new();
        for (session, turns) in &log {
            let conversation = number_of(session);
            for (turn, pair) in (1..).zip(turns.windows(2)) {
                let Some(stamps) = pair[0].stamps else { continue };
                let delay = SET.delay(conversation, turn) * 1e6;
                let ready = (pair[0].issued + stamps.end) as f64 + delay;
                late.push((pair[1].issued as f64 - ready) / 1e6);
            }
        }
        // The data set holds hundredths of milliseconds.
        let early = late.iter().filter(|late| **late < -0.011).count();
        let tails = [0.5, 0.99, 0.999, 1.0].map(|q| quantile(&mut late, q));
        note("delays", "ours", slots, &measured, &json!({ "late_ms": tails, "early": early }));
        let mut row = vec![slots.to_string(), late.len().to_string()];
        row.extend(tails.map(number));
        row.push(early.to_string());
        table.row(&row);
    }
}

/// The number in a session's id, which is that of its conversation.
fn number_of(session: &str) -> u32 {
    let digits = session.trim_start_matches('c').split('_').next();
    digits.and_then(|digits| digits.parse().ok()).expect("the id of a made conversation")
}
