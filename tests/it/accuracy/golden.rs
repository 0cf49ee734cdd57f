//! The recorded runs of the reference client score exactly as it scored them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scenario::accuracy::{
    AccuracyResults, GroundTruth, InlineFacts, InlineScorer, InlineScores, TruthSource,
};
use scenario::events::{Event, EventKind, Reader};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn events(run: &str) -> Vec<Event> {
    let file = File::open(fixture(run).join("events.jsonl")).unwrap();
    Reader::new(BufReader::new(file)).collect::<Result<_, _>>().unwrap()
}

fn truth() -> GroundTruth {
    let path = fixture("reference-replay/dataset.jsonl");
    let (truth, findings) = GroundTruth::read(&[TruthSource { path, take: None }]).unwrap();
    assert_eq!(findings, []);
    truth
}

fn score<'a>(events: impl IntoIterator<Item = &'a Event>) -> InlineScores {
    let mut scorer = InlineScorer::new(Arc::new(truth()));
    events.into_iter().for_each(|event| scorer.push(event));
    scorer.finish()
}

fn assert_reproduced(run: &str) {
    let events = events(run);
    let scores = score(&events);
    let recorded = std::fs::read_to_string(fixture(run).join("scores.json")).unwrap();
    assert_eq!(String::from_utf8(scores.to_json()).unwrap(), recorded);

    let issued = events.iter().filter(|event| matches!(event.kind, EventKind::Issued(..))).count();
    let facts = InlineFacts {
        unit_samples: truth().client_turns(),
        total_samples: issued as u64,
        duration_ns: events.last().unwrap().at - events[0].at,
        complete: true,
    };
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
    assert_eq!(in_order.passes, 2);
}
