//! The recorded runs of the reference client score exactly as it scored them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenario::accuracy::{
    AccuracyResults, GroundTruth, InlineFacts, InlineScorer, InlineScores, TruthSource,
};
use scenario::events::{Event, Reader};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn events(run: &str) -> Vec<Event> {
    let file = File::open(fixture(run).join("events.jsonl")).unwrap();
    Reader::new(BufReader::new(file)).collect::<Result<_, _>>().unwrap()
}

fn truth() -> GroundTruth {
    let path = fixture("reference-replay/dataset.jsonl");
    let read = GroundTruth::read(&[TruthSource { path, take: None, name: None }]).unwrap();
    assert_eq!(read.diagnostics, []);
    read.truth
}

fn score(events: &[Event]) -> (InlineFacts, InlineScores) {
    let mut scorer = InlineScorer::new(Arc::new(truth()));
    for event in events {
        scorer.push(event);
    }
    (scorer.facts(), scorer.finish())
}

fn assert_reproduced(run: &str) {
    let events = events(run);
    let (facts, scores) = score(&events);
    let recorded = std::fs::read_to_string(fixture(run).join("scores.json")).unwrap();
    assert_eq!(String::from_utf8(scores.to_json()).unwrap(), recorded);

    let mut results = AccuracyResults::default();
    results.set_inline(&scores, facts);
    let recorded = std::fs::read_to_string(fixture(run).join("accuracy_results.json")).unwrap();
    assert_eq!(String::from_utf8(results.to_json()).unwrap(), recorded);
    assert_eq!(AccuracyResults::parse(recorded.as_bytes()).unwrap(), results);
}

#[test]
fn two_passes_score_as_recorded() {
    assert_reproduced("reference-replay");
}

#[test]
fn a_failed_conversation_scores_as_recorded() {
    assert_reproduced("reference-errors");
}

#[test]
fn the_order_of_events_does_not_matter() {
    let mut events = events("reference-replay");
    let in_order = score(&events);
    events.reverse();
    assert_eq!(score(&events), in_order);
    assert_eq!(in_order.1.passes, 2);
}

/// A log that ends early is no complete run, and the turns that it still tells are scored.
#[test]
fn a_cut_log_is_incomplete() {
    let events = events("reference-replay");
    let (facts, whole) = score(&events[..events.len() - 1]);
    assert!(!facts.complete && facts.total_samples == 30);
    assert_eq!(whole, score(&events).1);
    let (facts, part) = score(&events[..40]);
    assert!(!facts.complete && part.turns.expected < whole.turns.expected);
}
