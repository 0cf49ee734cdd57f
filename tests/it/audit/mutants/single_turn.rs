//! Single-turn curves, made from the agentic one.

use serde_json::json;

use super::super::tree::{POINTS, Tree};
use super::{Mutant, m};

/// Turns the curve into one of a single-turn model whose point at `C_max` is the Offline result.
fn single_turn(t: &Tree, model: &str, score: &serde_json::Value, samples: u32) {
    t.replace_all("model_name: \"qwen3_6-35b-a3b\"", &format!("model_name: \"{model}\""));
    t.replace_all("load_pattern: \"agentic_inference\"", "load_pattern: concurrency");
    t.replace("@r512/point.yaml", "dataset: ", "offline: elected\ndataset: ");
    for n in POINTS {
        t.cut(&format!("@r{n}/point.yaml"), "speculative_decoding");
        let file = format!("@r{n}/accuracy_results.json");
        t.remove(&file);
        if [8, 12, 48, 256, 512].contains(&n) {
            let entry = json!({"dataset_name": "d", "score": score, "unit_samples": samples});
            t.write(&file, &json!([entry]).to_string());
        }
    }
    t.rename("@", &format!("${model}"));
}

fn deepseek(t: &Tree, score: f64, samples: u32) {
    single_turn(t, "deepseek-r1", &json!(score), samples);
}

/// Adds a dedicated Offline run beside the curve.
fn offline(t: &Tree, concurrency: u32) {
    let (from, to) = ("$deepseek-r1/r512", format!("$deepseek-r1/r{concurrency}"));
    t.copy(from, &to);
    t.replace("$deepseek-r1/r512/point.yaml", "offline: elected\n", "");
    let point = format!("{to}/point.yaml");
    t.replace(&point, "offline: elected", "offline: dedicated");
    t.replace(&point, "concurrency: 512\n", &format!("concurrency: {concurrency}\n"));
    t.replace(&point, "load_pattern: concurrency", "load_pattern: max_throughput");
    t.remove("$deepseek-r1/r512/accuracy_results.json");
}

pub(super) const MUTANTS: &[Mutant] = &[
    m("single-turn", &["W accuracy-gate warn-2 $deepseek-r1/r8/results.json"], |t| {
        deepseek(t, 0.81, 4388);
    }),
    m("single-turn-low", &["E accuracy-gate fail $deepseek-r1/r8/results.json"], |t| {
        deepseek(t, 80.0, 4388);
    }),
    m(
        "single-turn-few-samples",
        &["E accuracy-sample-count fail $deepseek-r1/r8/results.json"],
        |t| {
            deepseek(t, 81.0, 4387);
        },
    ),
    m("single-turn-metrics", &[], |t| {
        let scores = json!({"rouge1": "38.7", "rouge2": 16, "rougeL": 25, "rougeLsum": 36, "gen_len": 8_167_644});
        single_turn(t, "llama3_1-8b", &scores, 13_368);
    }),
    m("single-turn-metric-low", &["E accuracy-gate fail $llama3_1-8b/r8/results.json"], |t| {
        single_turn(t, "llama3_1-8b", &json!({"rouge1": 38.3}), 13_368);
    }),
    m("single-turn-metric-high", &["E accuracy-gate fail-2 $llama3_1-8b/r8/results.json"], |t| {
        single_turn(t, "llama3_1-8b", &json!({"gen_len": 9_000_000}), 13_368);
    }),
    m("single-turn-weighted", &["E accuracy-gate fail $gpt-oss-120b/r8/results.json"], |t| {
        single_turn(t, "gpt-oss-120b", &json!({"exact_match": 83.0}), 4395);
        let entries = json!({
            "aime": {"exact_match": 90, "num_samples": 30, "n_repeats": 8},
            "gpqa": {"exact_match": 70, "num_samples": 198, "n_repeats": 5},
        });
        t.write("$gpt-oss-120b/r8/accuracy_results.json", &entries.to_string());
    }),
    m("single-turn-without-offline", &["E offline-point-present fail-2 $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        t.replace("$deepseek-r1/r512/point.yaml", "offline: elected", "offline: none");
    }),
    m("single-turn-two-offline", &["E offline-point-present fail $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        t.replace("$deepseek-r1/r256/point.yaml", "dataset: ", "offline: elected\ndataset: ");
    }),
    m("single-turn-elected-elsewhere", &["E offline-point-present fail-4 $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        t.replace("$deepseek-r1/r512/point.yaml", "offline: elected", "offline: none");
        t.replace("$deepseek-r1/r256/point.yaml", "dataset: ", "offline: elected\ndataset: ");
    }),
    m("single-turn-dedicated", &[], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 24576);
    }),
    m("single-turn-dedicated-is-the-eighth", &["E point-count fail $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 24576);
        t.remove("$deepseek-r1/r32");
    }),
    m("single-turn-dedicated-low", &["W offline-ordering warn $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 500);
    }),
    m("single-turn-dedicated-slow", &["W offline-ordering warn-2 $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 24576);
        t.edit("$deepseek-r1/r24576/result_summary.json", |v| {
            v["duration_ns"] = json!(v["duration_ns"].as_f64().unwrap() * 1.1);
        });
    }),
    m("single-turn-dedicated-without-accuracy", &["E accuracy-coverage fail $deepseek-r1"], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 24576);
        t.remove("$deepseek-r1/r24576/accuracy_results.json");
    }),
    m("single-turn-dedicated-without-tpot", &[], |t| {
        deepseek(t, 0.81, 4388);
        offline(t, 24576);
        t.unset("$deepseek-r1/r24576/result_summary.json", "/tpot");
    }),
    m("single-turn-short", &["W point-duration warn $deepseek-r1/r48/result_summary.json"], |t| {
        deepseek(t, 0.81, 4388);
        t.replace("$deepseek-r1/r48/point.yaml", "duration_s: 5378.088", "duration_s: 1199");
    }),
];
