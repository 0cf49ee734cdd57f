//! Faults that only our own rules see.

use serde_json::json;

use super::super::tree::POINTS;
use super::{Mutant, m};

const CONFIG: &str = "@r48/config.yaml";
const MISMATCH: &str = "E x-config-mismatch fail @r48/config.yaml";

pub(super) const MUTANTS: &[Mutant] = &[
    m("own-division", &["E x-division-mismatch fail @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "Standardized", "RDI");
    }),
    m("own-c-max", &["E x-max-concurrency-mismatch fail @r48/point.yaml"], |t| {
        t.replace(
            "@r48/point.yaml",
            "max_supported_concurrency: 512",
            "max_supported_concurrency: 511",
        );
    }),
    m("own-incomplete", &["E x-run-incomplete fail @r48/result_summary.json"], |t| {
        t.set("@r48/result_summary.json", "/complete", json!(false));
    }),
    m("own-interrupted", &["E x-run-incomplete fail @r48/result_summary.json"], |t| {
        t.set("@r48/result_summary.json", "/state", json!("interrupted"));
    }),
    m("own-two-drafters", &["E x-drafter-differs fail @r48/point.yaml"], |t| {
        t.replace(
            "@r48/point.yaml",
            "git-sha1:95a723d08a9490559dae23d0cff1d9466213d989",
            "git-sha1:995ad96eacd98c81ed38be0c5b274b04031597b0",
        );
    }),
    m("own-swe-bench-name", &["E x-swe-bench-name fail @r48/accuracy_results.json"], |t| {
        t.set("@r48/accuracy_results.json", "/accuracy_scores/1/dataset_name", json!("swebench"));
    }),
    m("own-duplicate-json-key", &["E x-duplicate-key fail @r48/result_summary.json"], |t| {
        t.replace("@r48/result_summary.json", "\"state\"", "\"complete\": true, \"state\"");
    }),
    m("own-duplicate-yaml-key", &["E x-duplicate-key fail @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "concurrency: 48\n", "concurrency: 48\nconcurrency: 48\n");
    }),
    m("own-no-salt", &[MISMATCH], |t| t.replace(CONFIG, "enable_salt: true", "enable_salt: false")),
    m("own-no-delay", &[MISMATCH], |t| {
        t.replace(CONFIG, "inject_tool_delay: true", "inject_tool_delay: false");
    }),
    m("own-stops-early", &[MISMATCH], |t| {
        t.replace(CONFIG, "user_complete: false", "user_complete: true");
    }),
    m("own-no-whole-passes", &[MISMATCH], |t| {
        t.replace(CONFIG, "num_trajectories_to_issue: 4291", "num_trajectories_to_issue: 4290");
    }),
    m("own-temperature", &[MISMATCH], |t| {
        t.replace(CONFIG, "temperature: 1.0", "temperature: 0.0");
    }),
    m("own-extra-sampling", &[MISMATCH], |t| {
        t.replace(CONFIG, "  top_k: 20\n", "  top_k: 20\n  frequency_penalty: 0.5\n");
    }),
    m("own-other-concurrency", &[MISMATCH], |t| {
        t.replace(CONFIG, "target_concurrency: 48", "target_concurrency: 47");
    }),
    m("own-nothing", &[], |t| {
        for n in POINTS {
            t.replace(&format!("@r{n}/config.yaml"), "top_k: 20", "top_k: 20.0");
        }
    }),
];
