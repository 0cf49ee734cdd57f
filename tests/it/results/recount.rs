//! The reference client's recorded replay, counted once more with its tokenizer, gives the summary
//! that it recorded.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use scenario::metrics::TokenSource;
use scenario::recount::{CountRequest, Counted, LogIndex, Prompts, RecountError, count, recompute};
use scenario::results::{ResultSummary, StoredPoint};
use scenario::tokens::Reference;
use scenario::tokens::template::TemplateOptions;
use serde_json::Value;

use super::golden::{assert_alike, fixture, json};

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

/// One token for each character, and a small chat template.
fn reference() -> Reference {
    let directory = fixture("character-tokenizer");
    Reference::load(&directory, TemplateOptions::at(UNIX_EPOCH)).unwrap()
}

fn counted(
    log: &Path,
    reference: &Reference,
    cancel: &AtomicBool,
) -> Result<Counted, RecountError> {
    let index = LogIndex::read(log, &never())?;
    assert!(Prompts::are_logged(&index)?);
    let prompts = Prompts::logged();
    count(&CountRequest {
        index: &index,
        prompts: &prompts,
        reference,
        threads: 2,
        cancel,
        progress: &|_| (),
    })
}

/// The summary of a report directory of the reference client, recomputed.
fn summary(folder: &Path, reference: &Reference) -> Value {
    let log = folder.join("events.jsonl");
    let counted = counted(&log, reference, &never()).unwrap();
    assert_eq!((counted.refused_prompts, counted.plain_replies), (0, 0));
    let stored = StoredPoint::read(folder).unwrap();
    let read = recompute(&log, &counted.source(), &never()).unwrap();
    assert!(read.ended());
    let steady = read.detector.finish(read.turns_per_pass());
    let summary = ResultSummary::new(&read.metrics, &stored.facts, Some(&steady));
    serde_json::to_value(summary).unwrap()
}

fn assert_reproduced(ours: &Value, theirs: &Value) {
    for (key, value) in theirs.as_object().unwrap() {
        assert_alike(&ours[key], value, key);
    }
}

#[test]
fn the_recorded_summary_is_reproduced() {
    let ours = summary(&fixture("reference-replay"), &reference());
    assert_reproduced(&ours, &json("reference-replay/result_summary.json"));
    assert_eq!(ours["token_counts"], "official");
    assert_eq!(ours["output_tokens_per_turn_total"], 4014);
    // 15 turns a pass, of which the second one was cut off by the end of the window.
    assert_eq!(ours["steady_state"]["superpass_size"], 15);
    assert_eq!(ours["steady_state"]["status"], "insufficient_passes");
}

/// The same with the very tokenizer of the recording, where it lies beside this project.
#[test]
fn the_recorded_tokenizer_gives_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden/reference-replay");
    if !folder.is_dir() {
        return;
    }
    let options = TemplateOptions::at(UNIX_EPOCH);
    let reference = Reference::load(&folder.join("tokenizer"), options).unwrap();
    assert_reproduced(&summary(&folder, &reference), &json("reference-replay/result_summary.json"));
}

#[test]
fn failed_turns_are_not_counted() {
    let ours = summary(&fixture("reference-errors"), &reference());
    assert_eq!(ours["token_counts"], "official");
    assert_eq!(ours["n_samples_failed"], 4);
    let full_run = &ours["output_sequence_lengths_full_run"]["output_sequence_lengths"];
    assert!(full_run["total"].as_u64() > ours["output_sequence_lengths"]["total"].as_u64());
    assert!(ours.get("e2e_avg_interactivity").is_none(), "not with failed turns");
}

#[test]
fn counting_stops_when_told_to() {
    let reference = reference();
    let log = fixture("reference-replay/events.jsonl");
    let told = AtomicBool::new(true);
    let stopped = |result| matches!(result, Err(RecountError::Cancelled));
    assert!(stopped(counted(&log, &reference, &told).map(drop)));
    assert!(stopped(LogIndex::read(&log, &told).map(drop)));
    assert!(stopped(recompute(&log, &TokenSource::default(), &told).map(drop)));

    let (told, steps) = (never(), AtomicUsize::new(0));
    let index = LogIndex::read(&log, &told).unwrap();
    let request = CountRequest {
        index: &index,
        prompts: &Prompts::logged(),
        reference: &reference,
        threads: 1,
        cancel: &told,
        progress: &|done| {
            steps.store(done, Ordering::Relaxed);
            told.store(done >= 7, Ordering::Relaxed);
        },
    };
    assert_eq!(request.steps(), 60);
    assert!(stopped(count(&request).map(drop)));
    assert_eq!(steps.load(Ordering::Relaxed), 7);
}

/// What a killed run leaves: a last line that was cut off.
#[test]
fn a_log_that_was_cut_off_is_read_up_to_there() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("events.jsonl");
    let whole = std::fs::read(fixture("reference-replay/events.jsonl")).unwrap();
    std::fs::write(&log, &whole[..40_000]).unwrap();
    let counted = counted(&log, &reference(), &never()).unwrap();
    let read = recompute(&log, &counted.source(), &never()).unwrap();
    assert!(!read.ended() && read.metrics.total.completed > 10);
    assert_eq!(read.metrics.total.completed, counted.tokens.len() as u64);
    let violations = read.self_check(2).violations;
    let checks: Vec<&str> = violations.iter().map(|found| found.check.as_str()).collect();
    assert_eq!(checks, ["turns-ended"], "two turns were in flight");

    // Lines that are no events are another matter.
    std::fs::write(&log, "{}\n").unwrap();
    let error = LogIndex::read(&log, &never()).unwrap_err().to_string();
    assert!(error.contains("events.jsonl`: line 1 of the event log"), "{error}");
}
