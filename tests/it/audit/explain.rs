//! The rules themselves: each once, each explained.

use std::collections::BTreeSet;

use scenario::compliance::{Rule, Scope};

/// The official checker's ids, version 1.5.3.0.
const OFFICIAL: &str = "\
path-exists required-dir src-dir src-readme system-results-dir accuracy-present seed-set-registry
drafter-list-registry benchmark-model-dir power-descriptor power-estimated point-dirs
system-description-present system-description-valid system-description-consistency c-min-override
max-concurrency-declared region-basis region-computation model-name-valid model-name-consistency
config-consistency-model config-consistency-dataset benchmark-type-consistency point-count point-cap
offline-point-present offline-ordering ultra-low-concurrency-coverage low-concurrency-coverage
med-concurrency-coverage high-concurrency-coverage accuracy-coverage accuracy-gate
accuracy-sample-count agentic-accuracy agentic-accuracy-inline agentic-accuracy-swebench
agentic-osl-range tps-utilization shared-path-resolution seed-set-consistency config-file-present
measurement-points-present point-config-valid point-rules-skipped point-dirname-concurrency
point-disclosure-complete region-declared region-placement concurrency-in-range load-pattern
streaming-config point-duration steady-state-valid steady-state-consistency steady-state-basis
warmup-present warmup-logs-retained warmup-salt offline-declared seed-set-membership
seed-runtime-match seed-set-adoption seed-config-legacy target-cohort approved-drafter
drafter-approval-lead-time result-summary-present result-file-valid min-query-count
metric-consistency-duration metric-consistency-accounting metric-consistency-output-tokens
metric-consistency-system-tps metric-consistency-tpot-p90 metric-consistency-tps-per-user
metric-consistency-tps-per-kw agentic-metric-consistency nodes-used maximal-engagement
accuracy-valid";

#[test]
fn every_official_rule_exists_exactly_once() {
    let official: BTreeSet<&str> = OFFICIAL.split_whitespace().collect();
    assert_eq!(official.len(), 82);
    let ours: Vec<&str> =
        Rule::all().filter(|rule| rule.is_official()).map(|rule| rule.id).collect();
    assert_eq!(ours.len(), official.len());
    assert_eq!(ours.into_iter().collect::<BTreeSet<_>>(), official);
    let ids: BTreeSet<&str> = Rule::all().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), Rule::all().count());
    for rule in Rule::all() {
        assert_eq!(rule.id.starts_with("x-"), rule.scope == Scope::Own, "{}", rule.id);
    }
}

#[test]
fn every_rule_is_explained() {
    for rule in Rule::all() {
        assert!(rule.explain.len() > 20 && rule.explain.ends_with('.'), "{}", rule.id);
        assert!(!rule.fix.is_empty() && !rule.section.is_empty(), "{}", rule.id);
        let keys: BTreeSet<&str> = rule.messages.iter().map(|message| message.key).collect();
        assert_eq!(keys.len(), rule.messages.len(), "{}", rule.id);
        assert!(rule.explanation().contains(rule.title));
    }
    insta::assert_snapshot!(Rule::named("point-duration").unwrap().explanation());
}
