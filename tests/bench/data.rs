//! Data sets and scenario files of the experiments, made once.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::directory;
use crate::server::SCENARIO;

/// A synthetic set: equal conversations of equal turns.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    pub(crate) conversations: u32,
    pub(crate) turns: u32,
    /// Length of the first user message in bytes.
    pub(crate) history: usize,
    /// The delay before every turn but the first, in milliseconds; it grows by 0.37 ms from turn
    /// to turn, so that no rounding hides.
    pub(crate) delay_ms: f64,
    /// How much longer than that a delay can be, in milliseconds: by a share that differs from
    /// conversation to conversation and turn to turn, so that slots do not march in step.
    pub(crate) spread_ms: f64,
}

/// Short prompts: about a kilobyte.
pub(crate) const SHORT: Set = Set { conversations: 4096, turns: 5, history: 500, ..Set::PLAIN };

impl Set {
    /// One turn of one conversation, without delays.
    pub(crate) const PLAIN: Self =
        Self { conversations: 1, turns: 1, history: 0, delay_ms: 0.0, spread_ms: 0.0 };

    /// The delay before a turn but the first, in milliseconds.
    pub(crate) fn delay(self, conversation: u32, turn: u32) -> f64 {
        let share = (conversation * 7919 + turn * 3571) % 997;
        self.delay_ms + 0.37 * f64::from(turn) + self.spread_ms * f64::from(share) / 997.0
    }

    /// The file, written unless it is there.
    pub(crate) fn file(self) -> PathBuf {
        let Self { conversations, turns, history, delay_ms, spread_ms } = self;
        let path = directory()
            .join(format!("set-{conversations}-{turns}-{history}-{delay_ms}-{spread_ms}.jsonl"));
        if path.exists() {
            return path;
        }
        let mut text = String::new();
        let words = "the build fails with a missing symbol in the linker step \\u00e9 ";
        for conversation in 0..conversations {
            for turn in 0..turns {
                let (row, id) = (2 * turn + 1, format!("c{conversation}"));
                let length = if turn == 0 { history } else { 100 };
                let content: String = words.chars().cycle().take(length / 66 * 66).collect();
                let _ = write!(
                    text,
                    r#"{{"conversation_id":"{id}","turn":{row},"role":"user","content":"{content}""#
                );
                if turn == 0 {
                    text.push_str(r#","system":"You answer questions about build logs.""#);
                } else if delay_ms > 0.0 {
                    let seconds = self.delay(conversation, turn) / 1000.0;
                    let _ = write!(text, r#","delay_seconds":{seconds:.5}"#);
                }
                text.push_str("}\n");
                let answer = row + 1;
                let _ = writeln!(
                    text,
                    r#"{{"conversation_id":"{id}","turn":{answer},"role":"assistant","content":"Look at the order of the libraries on the command line."}}"#
                );
            }
        }
        std::fs::write(&path, text).expect("the data set is written");
        path
    }
}

/// A set with the counts and the size of the official one, or a share of it.
pub(crate) fn official_shape(scale: &str) -> PathBuf {
    let path = directory().join(format!("official-shape-{scale}.jsonl"));
    if !path.exists() {
        let generate = ["dataset", "generate", "official-shape", "--quiet", "--scale", scale];
        let made = Command::new(SCENARIO).args(generate).arg("--out").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "the data set is generated");
    }
    path
}

/// One replay.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) data: PathBuf,
    pub(crate) slots: u32,
    /// Trajectories in all; one pass unless given.
    pub(crate) trajectories: Option<u32>,
    /// Whether recorded delays are waited out.
    pub(crate) delays: bool,
    /// Whether the client never sleeps.
    pub(crate) busy_poll: bool,
}

impl Job {
    /// Its scenario file, for a server at `url`.
    pub(crate) fn scenario(&self, url: &str) -> PathBuf {
        let Self { data, slots, trajectories, delays, .. } = self;
        let (data, delays) = (data.display(), if *delays { "recorded" } else { "none" });
        let mix =
            trajectories.map_or_else(String::new, |n| format!("mix: {{ trajectories: {n} }}\n"));
        let text = format!(
            "schema: scenario/v1\nname: bench\nmodel: {{ name: m }}\n\
             endpoint: {{ urls: [\"{url}\"], max_idle: 60s }}\n\
             datasets: [{{ name: d, path: \"{data}\" }}]\n{mix}\
             load: {{ concurrency: [{slots}], tool_delays: {delays} }}\n"
        );
        let path = directory().join("bench.yaml");
        std::fs::write(&path, text).expect("the scenario is written");
        path
    }
}

/// The server's own stamps of every request, in nanoseconds: time to the first fragment and to the
/// last byte, by session in the order of arrival.
pub(crate) fn record(path: &Path) -> std::collections::BTreeMap<String, Vec<Stamps>> {
    let text = std::fs::read_to_string(path).expect("the server's record");
    let mut sessions = std::collections::BTreeMap::<String, Vec<(u64, Stamps)>>::new();
    for line in text.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        let stamp = |key: &str| record[key].as_u64();
        let (Some(arrival), Some(first), Some(end)) =
            (stamp("arrival_ns"), stamp("first_fragment_ns"), stamp("end_ns"))
        else {
            continue;
        };
        let session = record["session_id"].as_str().unwrap_or_default().to_owned();
        let stamps = Stamps { first: first - arrival, end: end - arrival };
        sessions.entry(session).or_default().push((arrival, stamps));
    }
    sessions
        .into_iter()
        .map(|(session, mut turns)| {
            turns.sort_unstable_by_key(|(arrival, _)| *arrival);
            (session, turns.into_iter().map(|(_, stamps)| stamps).collect())
        })
        .collect()
}

/// Durations of one exchange since its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamps {
    pub(crate) first: u64,
    pub(crate) end: u64,
}
