//! Many slots over real sockets: no failure, no idle slot, flat memory.

use std::fmt::Write as _;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use scenario::events::{EventKind, Reader};

const SLOTS: u32 = 512;

#[test]
fn five_hundred_slots_replay_ten_thousand_turns_without_a_failure_in_flat_memory() {
    let folder = tempfile::tempdir().unwrap();
    write_dataset(&folder.path().join("made.jsonl"), 625, 4);
    let (short, _) = run(folder.path(), 1);
    let (long, points) = run(folder.path(), 4);

    let check = fs::read_to_string(points.join("self_check.json")).unwrap();
    let check: serde_json::Value = serde_json::from_str(&check).unwrap();
    assert_eq!(check["planned"], 10_000);
    assert_eq!((&check["completed"], &check["failed"]), (&10_000.into(), &0.into()));
    assert_eq!(check["max_in_flight"], SLOTS);
    assert_eq!(fewest_active_slots(&points.join("events.jsonl")), SLOTS - 1);

    // Four times the turns may keep a few numbers per turn, not the turns.
    let growth = long.saturating_sub(short);
    assert!(growth < 16 << 20, "peak memory grew from {short} to {long} bytes");
}

/// Runs the made data set; gives the peak memory and the run folder.
fn run(folder: &Path, passes: u32) -> (u64, PathBuf) {
    let scenario = format!(
        "schema: scenario/v1\nname: slots\nmodel: {{ name: m }}\n\
         endpoint: {{ simulated: {{ ttft: 0s, inter_token: 0s }} }}\n\
         datasets: [{{ name: made, path: made.jsonl }}]\n\
         mix: {{ passes: {passes} }}\nload: {{ concurrency: [{SLOTS}] }}\n"
    );
    let file = folder.join(format!("slots-{passes}.yaml"));
    fs::write(&file, scenario).unwrap();
    let out = folder.join(format!("results-{passes}"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_scenario"))
        .args(["run", "--quiet", "--run-id", "run", "--out"])
        .args([&out, &file])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_memory(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    (peak, out.join("slots/run/points").join(format!("r{SLOTS}")))
}

/// The process's peak resident memory in bytes; 0 when it is gone.
fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")).map(|text| text.trim().parse());
    kib.and_then(Result::ok).map_or(0, |kib: u64| kib << 10)
}

/// The fewest conversations under way between the moment when every slot had its first one and
/// the moment when no trajectory was left. A slot that passes from one to the next has none.
fn fewest_active_slots(log: &Path) -> u32 {
    let (mut active, mut fewest, mut full) = (0_u32, u32::MAX, false);
    let log = BufReader::new(fs::File::open(log).unwrap());
    for event in Reader::new(log) {
        match event.unwrap().kind {
            EventKind::Issued(key, _) if key.turn == 1 => active += 1,
            EventKind::Complete(key, _) if key.turn == 7 => active -= 1,
            EventKind::StopTracking => break,
            _ => {}
        }
        full |= active == SLOTS;
        if full {
            fewest = fewest.min(active);
        }
    }
    fewest
}

fn write_dataset(path: &Path, conversations: usize, turns: u32) {
    let mut text = String::new();
    for conversation in 0..conversations {
        for turn in 0..turns {
            let system = if turn == 0 { ",\"system\":\"Answer.\"" } else { "" };
            let (user, assistant) = (turn * 2 + 1, turn * 2 + 2);
            writeln!(
                text,
                "{{\"conversation_id\":\"sim_{conversation}\",\"turn\":{user},\"role\":\"user\",\
                 \"content\":\"question {turn}\"{system}}}\n\
                 {{\"conversation_id\":\"sim_{conversation}\",\"turn\":{assistant},\
                 \"role\":\"assistant\",\"content\":\"an answer of some words\"}}"
            )
            .unwrap();
        }
    }
    fs::write(path, text).unwrap();
}
