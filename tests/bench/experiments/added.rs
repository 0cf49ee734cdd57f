//! (c): the error that the client adds: its times minus those that the server stamped.

use serde_json::json;

use super::note;
use crate::data::{self, Job, SHORT, Set, Stamps};
use crate::ours;
use crate::server::Server;
use crate::table::{Table, number, quantile};
use crate::{Options, bare, directory};

const SLOTS: [u32; 4] = [8, 64, 512, 2048];
/// Fragments of a reply: 20 ms, then 5 ms each.
const CHUNKS: u32 = 17;
/// Delays up to 40 ms: slots that march in step would wait for each other, here and at the server.
const SET: Set = Set { delay_ms: 0.1, spread_ms: 40.0, ..SHORT };

pub(super) fn run(options: &Options) {
    let header = [
        "slots", "client", "turns", "TTFT p50", "p99", "p99.9", "E2E p50", "p99", "p99.9",
        "CPU use",
    ];
    let title = "(c) added time in ms, without first turns; server: TTFT 20 ms, 16 × 5 ms";
    let table = Table::new(title, &header);
    let clients = ["ours", "bare", "ours, awake", "bare, awake"];
    for slots in options.slots_of(&SLOTS) {
        for client in clients.repeat(options.repeat) {
            let trajectories = Some((slots * 8).clamp(100, 4096));
            let busy_poll = client.ends_with("awake");
            let job = Job { data: SET.file(), slots, trajectories, delays: true, busy_poll };
            let record = directory().join("record.jsonl");
            // Where the client never sleeps neither does the server, whose own waking up would count.
            let more: &[&str] = if busy_poll { &["--busy-poll"] } else { &[] };
            let server = Server::with(more, "20ms", "5ms", CHUNKS, Some(&record));
            let (measured, sessions) = match client {
                "ours" | "ours, awake" => {
                    let (measured, log) = ours::measure(&job, &server.url);
                    let stamps = |turns: Vec<ours::Turn>| {
                        turns.iter().filter_map(|turn| turn.stamps).collect()
                    };
                    (
                        measured,
                        log.into_iter()
                            .map(|(id, turns)| (id.to_string(), stamps(turns)))
                            .collect(),
                    )
                }
                _ if busy_poll => bare::measure("bare-awake", &job, &server.url),
                _ => bare::measure("bare", &job, &server.url),
            };
            let wall = measured.wall_ns.max(1) as f64;
            let busy = (measured.cpu_ns as f64 + server.cpu().as_nanos() as f64) / wall;
            server.stop();
            let (mut first, mut end) = differences(&sessions, &data::record(&record));
            let tails = |values: &mut [f64]| [0.5, 0.99, 0.999].map(|q| quantile(values, q));
            let (ttft, e2e) = (tails(&mut first), tails(&mut end));
            note(
                "added",
                client,
                slots,
                &measured,
                &json!({ "ttft_ms": ttft, "e2e_ms": e2e, "cores": busy }),
            );
            let mut row = vec![slots.to_string(), client.to_owned(), first.len().to_string()];
            row.extend(ttft.iter().chain(&e2e).map(|value| number(*value)));
            row.push(format!("{busy:.2}"));
            table.row(&row);
        }
    }
}

/// Client minus server in milliseconds: first fragment, last byte.
fn differences(
    clients: &[(String, Vec<Stamps>)],
    server: &std::collections::BTreeMap<String, Vec<Stamps>>,
) -> (Vec<f64>, Vec<f64>) {
    let (mut first, mut end) = (Vec::new(), Vec::new());
    for (session, turns) in clients {
        let Some(answered) = server.get(session) else { continue };
        assert_eq!(turns.len(), answered.len(), "{session}: every turn has its record");
        // Some of the first turns open the connection, which is a part of their time.
        for (client, server) in turns.iter().zip(answered).skip(1) {
            let ms = |client: u64, server: u64| (client as f64 - server as f64) / 1e6;
            first.push(ms(client.first, server.first));
            end.push(ms(client.end, server.end));
        }
    }
    (first, end)
}
