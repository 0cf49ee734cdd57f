//! (f): what a fragment costs that arrives alone.

use serde_json::json;

use super::note;
use crate::data::{Job, Set};
use crate::ours::{self, Measured};
use crate::server::Server;
use crate::table::{Table, number};
use crate::{Options, bare};

const SLOTS: [u32; 3] = [32, 256, 1024];
const CHUNKS: u32 = 400;
const SET: Set = Set { conversations: 1024, turns: 3, history: 500, ..Set::PLAIN };

pub(super) fn run(options: &Options) {
    let header = ["slots", "client", "turns", "chunks/s", "client µs", "server µs", "CPU use"];
    let table = Table::new("(f) CPU a fragment; 400 fragments a reply, 5 ms apart", &header);
    for slots in options.slots_of(&SLOTS) {
        let job = Job {
            data: SET.file(),
            slots,
            trajectories: Some(slots),
            delays: false,
            busy_poll: false,
        };
        for client in ["ours", "bare"].repeat(options.repeat) {
            let server = Server::start("5ms", "5ms", CHUNKS, None);
            let measured = match client {
                "ours" => ours::measure(&job, &server.url).0,
                _ => bare::measure("bare", &job, &server.url).0,
            };
            let chunks = (measured.turns * u64::from(CHUNKS)) as f64;
            let each = |cpu_ns: f64| cpu_ns / 1e3 / chunks;
            let server_ns = server.cpu().as_nanos() as f64;
            let wall = measured.wall_ns.max(1) as f64;
            let Measured { turns, cpu_ns, .. } = measured;
            let busy = (cpu_ns as f64 + server_ns) / wall;
            note(
                "streaming",
                client,
                slots,
                &measured,
                &json!({ "server_us": each(server_ns), "cores": busy }),
            );
            table.row(&[
                slots.to_string(),
                client.to_owned(),
                turns.to_string(),
                number(chunks * 1e9 / wall),
                number(each(cpu_ns as f64)),
                number(each(server_ns)),
                format!("{busy:.2}"),
            ]);
        }
    }
}
