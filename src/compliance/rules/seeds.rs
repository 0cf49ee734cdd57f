//! The seeds of a curve.

use super::super::finding::Sink;
use super::super::registry::{SEED_FIELDS, SeedSet};
use super::super::view::View;

/// Consistency, membership, match and adoption.
pub(in super::super) fn check(view: &View<'_>, sets: &[SeedSet], sink: &mut Sink) {
    consistency(view, sink);
    let ids: Vec<&str> = sets.iter().map(|set| set.id.as_str()).collect();
    for (files, point) in &view.loaded {
        const RULE: &str = "seed-set-membership";
        let Some(id) = &point.seed_set else { continue };
        if ids.contains(&id.as_str()) {
            sink.pass(RULE, &files.point.path);
        } else {
            sink.add(RULE, "fail", &files.point.path)
                .with("found", format!("{id:?}"))
                .with("allowed", ids.join(", "))
                .field("seed_set");
        }
    }
    let published = |id: &Option<String>| sets.iter().find(|set| Some(&set.id) == id.as_ref());
    for (files, point) in &view.loaded {
        if let Some(set) = published(&point.seed_set) {
            runtime(&files.point.path, point, set, sink);
        }
    }
    adoption(view, sets, sink);
}

fn consistency(view: &View<'_>, sink: &mut Sink) {
    const RULE: &str = "seed-set-consistency";
    let mut names: Vec<&str> =
        view.loaded.iter().filter_map(|(_, point)| point.seed_set.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    match names.len() {
        0 => {}
        1 => sink.pass(RULE, &view.curve.path),
        _ => {
            sink.add(RULE, "fail", &view.curve.path).with("names", names.join(", "));
        }
    }
}

/// Whether the run used the seeds of its set.
fn runtime(
    path: &std::path::Path,
    point: &super::super::model::Point,
    set: &SeedSet,
    sink: &mut Sink,
) {
    const RULE: &str = "seed-runtime-match";
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    for ((field, stated), published) in SEED_FIELDS.into_iter().zip(point.seeds).zip(set.seeds) {
        if stated != Some(published) {
            let stated = stated.map_or_else(|| "absent".to_owned(), |seed| seed.to_string());
            found.push(format!("{field} is {stated}"));
            expected.push(format!("{field} {published}"));
        }
    }
    if found.is_empty() {
        sink.pass(RULE, path);
    } else {
        sink.add(RULE, "fail", path)
            .with("found", found.join(", "))
            .with("set", &set.id)
            .with("expected", expected.join(", "))
            .field("runtime_settings.runtime");
    }
    if point.legacy_seed_names {
        sink.add(RULE, "warn", path).field("runtime_settings.runtime");
    }
}

/// Whether each point's set may be adopted for its cohort.
fn adoption(view: &View<'_>, sets: &[SeedSet], sink: &mut Sink) {
    const RULE: &str = "seed-set-adoption";
    if view.loaded.is_empty() {
        return;
    }
    if sets.iter().all(|set| set.cohorts.is_empty()) {
        sink.pass(RULE, &view.curve.path);
        return;
    }
    for (files, point) in &view.loaded {
        let set = sets.iter().find(|set| Some(&set.id) == point.seed_set.as_ref());
        let (Some(set), Some(target)) = (set, &point.target_cohort) else { continue };
        if set.cohorts.contains(target) {
            sink.pass(RULE, &files.point.path);
        } else {
            sink.add(RULE, "fail", &files.point.path)
                .with("set", &set.id)
                .with("found", target)
                .with("allowed", set.cohorts.join(", "))
                .field("target_cohort");
        }
    }
}
