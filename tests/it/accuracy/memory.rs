//! What scoring a long log takes: a few hundred bytes a turn, whatever the replies hold.

use std::fmt::Write as _;
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use scenario::accuracy::{GroundTruth, InlineScorer, TruthSource};
use scenario::events::Reader;
use scenario::host::resident_bytes;

/// Names the data set for the child process.
const FILE: &str = "SCENARIO_TEST_SCORING";
const CONVERSATIONS: usize = 3_000;
const TURNS: usize = 10;
/// Characters of a reply.
const REPLY: usize = 1_000;
/// Bytes that a turn may take, its ground truth not counted.
const PER_TURN: usize = 500;

/// Runs [`measure`] alone in a process, so that no other test's memory is counted.
#[test]
fn a_log_of_thirty_thousand_turns_is_not_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.jsonl");
    let mut text = String::new();
    for conversation in 0..CONVERSATIONS {
        let head = format!("{{\"conversation_id\":\"sim_{conversation}\"");
        for turn in 0..TURNS {
            let (user, answer) = (2 * turn + 1, 2 * turn + 2);
            let _ = writeln!(text, "{head},\"turn\":{user},\"role\":\"user\",\"content\":\"?\"}}");
            let codes = "\"content\":\"!\",\"intent_codes\":[\"I001\"]";
            let _ = writeln!(text, "{head},\"turn\":{answer},\"role\":\"assistant\",{codes}}}");
        }
    }
    std::fs::write(&path, text).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["accuracy::memory::measure", "--exact", "--ignored", "--nocapture"])
        .env(FILE, &path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let taken = text.lines().find_map(|line| line.split_once("taken ")).unwrap().1;
    let taken: usize = taken.trim().parse().unwrap();
    let turns = CONVERSATIONS * TURNS;
    assert!(taken < turns * PER_TURN, "{taken} bytes for {turns} turns");
}

/// A log of every turn, made while it is read.
struct Log {
    next: usize,
    line: Vec<u8>,
    read: usize,
}

impl Read for Log {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read == self.line.len() && self.next < CONVERSATIONS * TURNS {
            let (conversation, turn) = (self.next / TURNS, 2 * (self.next % TURNS) + 1);
            let head = |kind: &str| {
                format!(
                    "{{\"event_type\":\"sample.{kind}\",\"timestamp_ns\":{},\"sample_uuid\":\"{:032x}\",\
                     \"conversation_id\":\"sim_{conversation}\",\"turn\":{turn},\"data\":",
                    self.next + 1,
                    self.next + 1
                )
            };
            let reply = format!("intent: I001 {}", "x".repeat(REPLY));
            let (issued, complete) = (head("issued"), head("complete"));
            let text = format!(
                "{issued}null}}\n{complete}[\"TextModelOutput\",\"{reply}\",null,null]}}\n"
            );
            (self.line, self.read, self.next) = (text.into_bytes(), 0, self.next + 1);
        }
        let length = buffer.len().min(self.line.len() - self.read);
        buffer[..length].copy_from_slice(&self.line[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}

#[test]
#[ignore = "the other test of this module runs it in a process of its own"]
fn measure() {
    let Ok(file) = std::env::var(FILE) else { return };
    let source = TruthSource { path: PathBuf::from(file), take: None, name: None };
    let truth = Arc::new(GroundTruth::read(&[source]).unwrap().truth);
    let before = resident_bytes().unwrap();
    let mut scorer = InlineScorer::new(truth);
    for event in Reader::new(BufReader::new(Log { next: 0, line: Vec::new(), read: 0 })) {
        scorer.push(&event.unwrap());
    }
    let scores = scorer.finish();
    println!("\ntaken {}", resident_bytes().unwrap().saturating_sub(before));
    assert_eq!((scores.turns.scored, scores.score), (CONVERSATIONS * TURNS, Some(1.0)));
}
