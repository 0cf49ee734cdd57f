//! The disclosure of one point, as far as it needs nothing else.

use std::path::Path;

use super::super::context::Kind;
use super::super::finding::Sink;
use super::super::model::{AGENTIC, CONCURRENCY, DEDICATED, ELECTED, Point};
use super::super::tables;

/// Every rule of point.yaml by itself.
pub(in super::super) fn check(point: &Point, path: &Path, kind: Kind, sink: &mut Sink) {
    complete(point, path, kind, sink);
    cohort(point, path, sink);
    legacy_seeds(point, path, sink);
    warmup(point, path, sink);
    load_pattern(point, path, sink);
    sink.add("streaming-config", "pass", path).with("found", point.stream_all_chunks);
    let Some(region) = &point.region else { return };
    if tables::REGIONS.contains(&region.as_str()) {
        sink.pass("region-declared", path);
    } else {
        sink.add("region-declared", "fail", path)
            .with("found", format!("{region:?}"))
            .with("allowed", tables::REGIONS.join(", "))
            .field("region");
    }
}

fn complete(point: &Point, path: &Path, kind: Kind, sink: &mut Sink) {
    const RULE: &str = "point-disclosure-complete";
    // The official builder fills these two when it assembles a submission.
    let optional = |field: &&&str| kind != Kind::Submission && field.starts_with("shared_");
    let fields = point.undisclosed.iter().filter(|field| !optional(field));
    let fields: Vec<&str> = fields.copied().collect();
    match fields.first() {
        None => sink.pass(RULE, path),
        Some(first) => {
            sink.add(RULE, "fail", path).with("fields", fields.join(", ")).field(*first);
        }
    }
}

fn cohort(point: &Point, path: &Path, sink: &mut Sink) {
    let Some(cohort) = &point.target_cohort else { return };
    let digits = |range: std::ops::Range<usize>| {
        cohort.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let fits = digits(0..4)
        && digits(5..7)
        && cohort.get(4..5) == Some("-")
        && matches!(cohort.get(7..), Some("-C0" | "-C1"));
    if fits {
        sink.pass("target-cohort", path);
    } else {
        sink.add("target-cohort", "fail", path)
            .with("found", format!("{cohort:?}"))
            .field("target_cohort");
    }
}

fn legacy_seeds(point: &Point, path: &Path, sink: &mut Sink) {
    if point.seed_set.is_some() {
        return;
    }
    let fields = ["scheduler_rng_seed", "sample_index_rng_seed"];
    for (field, seed) in fields.into_iter().zip(point.seeds) {
        let key = if seed == Some(42) { "warn" } else { "fail" };
        let found = seed.map_or_else(|| "absent".to_owned(), |seed| seed.to_string());
        sink.add("seed-config-legacy", key, path)
            .with("field", field)
            .with("found", found)
            .field(format!("runtime_settings.runtime.{field}"));
    }
}

fn warmup(point: &Point, path: &Path, sink: &mut Sink) {
    match point.warmup {
        None => {
            sink.add("warmup-present", "fail", path).field("warmup");
        }
        Some(warmup) => {
            sink.pass("warmup-present", path);
            let key = match warmup.logs_retained {
                _ if warmup.is_disabled => "pass",
                Some(true) => "pass",
                Some(false) => "warn",
                None => "warn-2",
            };
            sink.add("warmup-logs-retained", key, path).field("warmup.logs_retained");
        }
    }
    if point.warmup_salt == Some(true) {
        sink.add("warmup-salt", "warn", path).field("runtime_settings.warmup.salt");
    }
}

fn load_pattern(point: &Point, path: &Path, sink: &mut Sink) {
    const RULE: &str = "load-pattern";
    if point.is_dedicated() {
        sink.pass(RULE, path);
    } else if ![CONCURRENCY, AGENTIC].contains(&point.load_pattern.as_str()) {
        sink.add(RULE, "fail", path)
            .with("found", format!("{:?}", point.load_pattern))
            .field("runtime_settings.load_pattern");
    } else if point.concurrency <= 0 {
        sink.add(RULE, "fail-2", path).with("found", point.concurrency).field("concurrency");
    } else {
        sink.pass(RULE, path);
    }
}

/// The word of the Offline declaration.
pub(in super::super) fn offline(point: &Point, path: &Path, sink: &mut Sink) {
    let Some(offline) = &point.offline else { return };
    if [DEDICATED, ELECTED, "none"].contains(&offline.as_str()) {
        sink.pass("offline-declared", path);
    } else {
        sink.add("offline-declared", "fail", path)
            .with("found", format!("{offline:?}"))
            .field("offline");
    }
}
