//! Speculative decoding: approved drafters only, and early enough.

use crate::ruleset::Cohort;

use super::super::document::Map;
use super::super::finding::Sink;
use super::super::registry::Drafter;
use super::super::view::View;

/// Approval and lead time at every point that uses a drafter.
pub(in super::super) fn check(view: &View<'_>, drafters: &[Drafter], sink: &mut Sink) {
    let named = view
        .loaded
        .iter()
        .find_map(|(_, point)| point.model_name.as_deref().filter(|name| !name.is_empty()));
    let benchmark = named.unwrap_or(&view.curve.name);
    let approved: Vec<&Drafter> =
        drafters.iter().filter(|drafter| drafter.benchmark == benchmark).collect();
    let used = |map: &&Map| !map.is_empty();
    let speculative = view.loaded.iter().filter_map(|(files, point)| {
        let declared = point.speculative_decoding.as_ref().filter(used)?;
        Some((files.point.path.as_path(), point, declared))
    });
    for (path, point, declared) in speculative {
        const FIELD: &str = "speculative_decoding";
        const LEAD_TIME: &str = "drafter-approval-lead-time";
        let Some(drafter) = approved.iter().find(|drafter| drafter.matches(declared)) else {
            let key = if approved.is_empty() { "fail" } else { "fail-2" };
            sink.add("approved-drafter", key, path).with("benchmark", benchmark).field(FIELD);
            continue;
        };
        sink.pass("approved-drafter", path);
        let target = point.target_cohort.as_deref().unwrap_or_default();
        match (target.trim().parse::<Cohort>(), drafter.earliest(view.ruleset.drafter_lead_cohorts))
        {
            (Ok(cohort), Some(earliest)) if cohort >= earliest => sink.pass(LEAD_TIME, path),
            (Ok(_), Some(earliest)) => {
                sink.add(LEAD_TIME, "fail", path)
                    .with("found", target)
                    .with("earliest", earliest)
                    .field("target_cohort");
            }
            _ => {
                let approved = drafter.approved_cohort.as_deref().unwrap_or("unknown");
                sink.add(LEAD_TIME, "warn", path)
                    .with("found", format!("{target:?}"))
                    .with("approved", approved)
                    .field("target_cohort");
            }
        }
    }
}
