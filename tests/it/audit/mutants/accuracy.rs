//! The accuracy of an agentic curve.

use serde_json::json;

use super::super::tree::{POINTS, Tree};
use super::{Mutant, m};

const FILE: &str = "@r48/accuracy_results.json";
const SWE: &str = "/accuracy_scores/1/score";

fn scores(t: &Tree, score: f64) {
    for n in [8, 12, 48, 256] {
        t.set(&format!("@r{n}/accuracy_results.json"), SWE, json!(score));
    }
}

fn mutate(t: &Tree, value: &serde_json::Value) {
    t.write(FILE, &value.to_string());
}

pub(super) const MUTANTS: &[Mutant] = &[
    m(
        "accuracy-no-json",
        &[
            "E accuracy-valid parse-error @r48/accuracy_results.json",
            "E accuracy-coverage missing-bands @",
        ],
        |t| t.write(FILE, "{"),
    ),
    m("accuracy-empty", &["E accuracy-valid fail -"], |t| {
        mutate(t, &json!({"accuracy_scores": []}));
    }),
    m(
        "accuracy-number",
        &["E accuracy-valid scores-not-collection @r48/accuracy_results.json"],
        |t| {
            mutate(t, &json!({"accuracy_scores": 1}));
        },
    ),
    m("accuracy-root-number", &["E accuracy-valid dict_type @r48/accuracy_results.json"], |t| {
        t.write(FILE, "1");
    }),
    m(
        "accuracy-entry-number",
        &["E accuracy-valid entry-not-mapping @r48/accuracy_results.json"],
        |t| mutate(t, &json!([1])),
    ),
    m("accuracy-extra-top-key", &["E accuracy-valid dict_type @r48/accuracy_results.json"], |t| {
        mutate(t, &json!({"osl_tokenization_s": 0.0, "swe_bench": {"score": 0.7}}));
    }),
    m("accuracy-unnamed", &["E accuracy-valid entry-unnamed @r48/accuracy_results.json"], |t| {
        t.set(FILE, "/accuracy_scores/1/dataset_name", json!(" "));
    }),
    m("accuracy-twice", &["E accuracy-valid dataset-duplicate @r48/accuracy_results.json"], |t| {
        t.set(FILE, "/accuracy_scores/1/dataset_name", json!("performance"));
    }),
    m("accuracy-no-score", &["E accuracy-valid score-missing @r48/accuracy_results.json"], |t| {
        t.unset(FILE, SWE);
    }),
    m("accuracy-alias", &["E accuracy-valid alias-conflict @r48/accuracy_results.json"], |t| {
        t.set(FILE, "/accuracy_scores/1/num_samples", json!(199));
    }),
    m(
        "accuracy-two-inline",
        &["E accuracy-valid performance-duplicate @r48/accuracy_results.json"],
        |t| {
            t.set(FILE, "/accuracy_scores/1/dataset_type", json!("performance"));
        },
    ),
    m(
        "accuracy-missing-in-a-region",
        &["E accuracy-coverage missing-bands @", "W agentic-accuracy-swebench warn-3 @"],
        |t| {
            t.unset("@r256/accuracy_results.json", "/accuracy_scores/1");
        },
    ),
    m(
        "accuracy-too-many",
        &["E accuracy-coverage extra-results @", "W agentic-accuracy-swebench warn-2 @"],
        |t| {
            let from = t.path("@r256/accuracy_results.json");
            std::fs::copy(from, t.path("@r512/accuracy_results.json")).unwrap();
        },
    ),
    m("accuracy-low-point-moves", &[], |t| {
        // 8 and 12 swap with 32: 12 stands for low, 32 for ultra-low.
        let from = t.path("@r8/accuracy_results.json");
        std::fs::copy(from, t.path("@r32/accuracy_results.json")).unwrap();
        t.unset("@r8/accuracy_results.json", "/accuracy_scores/1");
    }),
    m("accuracy-in-the-margin", &["E accuracy-coverage extra-results @"], |t| {
        t.copy("@r256", "@r550");
        t.replace("@r550/point.yaml", "concurrency: 256\n", "concurrency: 550\n");
    }),
    m("inline-absent", &["E agentic-accuracy-inline missing @"], |t| {
        t.unset(FILE, "/accuracy_scores/0");
    }),
    m("inline-null", &["E agentic-accuracy-inline missing @"], |t| {
        t.set(FILE, "/accuracy_scores/0/score", json!(null));
    }),
    m("inline-file-absent", &["E agentic-accuracy-inline missing @"], |t| {
        t.remove("@r512/accuracy_results.json");
    }),
    m("inline-percent", &["E agentic-accuracy-inline score-not-fraction @"], |t| {
        t.set(FILE, "/accuracy_scores/0/score", json!(56.43));
    }),
    m("inline-low", &["E agentic-accuracy-inline fail @"], |t| {
        t.set(FILE, "/accuracy_scores/0/score", json!(0.55));
    }),
    m("inline-as-text", &[], |t| t.set(FILE, "/accuracy_scores/0/score", json!("0.5643"))),
    m("inline-as-metric", &[], |t| t.set(FILE, "/accuracy_scores/0/score", json!({"m": 0.5643}))),
    m("inline-untyped", &[], |t| t.unset(FILE, "/accuracy_scores/0/dataset_type")),
    m("swe-bench-low", &["E agentic-accuracy-swebench fail @"], |t| scores(t, 0.68)),
    m("swe-bench-mean-decides", &[], |t| {
        scores(t, 0.72);
        t.set(FILE, SWE, json!(0.62));
    }),
    m("swe-bench-percent", &["E agentic-accuracy-swebench score-not-fraction @"], |t| {
        t.set(FILE, SWE, json!(70));
    }),
    m(
        "swe-bench-other-name",
        &[
            "W agentic-accuracy-swebench warn @",
            "E x-swe-bench-name fail @r8/accuracy_results.json",
        ],
        |t| {
            for n in [8, 12, 48, 256] {
                let file = format!("@r{n}/accuracy_results.json");
                t.set(&file, "/accuracy_scores/1/dataset_name", json!("swe-bench"));
            }
        },
    ),
    m("output-length-long", &["E agentic-osl-range fail @"], |t| {
        let field = "/output_sequence_lengths_full_run/output_sequence_lengths/avg";
        t.set("@r48/result_summary.json", field, json!(422.01));
    }),
    m("output-length-bound", &[], |t| {
        let field = "/output_sequence_lengths_full_run/output_sequence_lengths/avg";
        t.set("@r48/result_summary.json", field, json!(422));
    }),
    m("output-length-absent", &["W agentic-osl-range warn @"], |t| {
        t.unset("@r48/result_summary.json", "/output_sequence_lengths_full_run");
    }),
    m("output-length-text", &["W agentic-osl-range warn @"], |t| {
        let field = "/output_sequence_lengths_full_run/output_sequence_lengths/avg";
        t.set("@r48/result_summary.json", field, json!("383"));
    }),
    m("results-json-instead", &[], |t| {
        for n in POINTS {
            t.rename(&format!("@r{n}/accuracy_results.json"), &format!("@r{n}/results.json"));
        }
    }),
    m("results-json-faulty", &["E accuracy-valid entry-not-mapping @r48/results.json"], |t| {
        t.remove(FILE);
        t.write("@r48/results.json", r#"{"accuracy_scores": [3]}"#);
    }),
    m(
        "thresholds-unknown",
        &["W agentic-accuracy warn $unknown", "W accuracy-gate no-thresholds $unknown"],
        |t| {
            t.rename("@", "$unknown");
        },
    ),
];
