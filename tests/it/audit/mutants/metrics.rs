//! `result_summary.json`.

use serde_json::json;

use super::{Mutant, m};

const FILE: &str = "@r48/result_summary.json";

pub(super) const MUTANTS: &[Mutant] = &[
    m("summary-absent", &["E result-summary-present fail @r48/result_summary.json"], |t| {
        t.remove(FILE);
    }),
    m("summary-no-json", &["E result-file-valid parse-error @r48/result_summary.json"], |t| {
        t.write(FILE, "{\"a\": ");
    }),
    m("summary-list", &["E result-file-valid model_type @r48/result_summary.json"], |t| {
        t.write(FILE, "[]");
    }),
    m("summary-no-completed", &["E result-file-valid missing @r48/result_summary.json"], |t| {
        t.unset(FILE, "/n_samples_completed");
    }),
    m("summary-null-duration", &["E result-file-valid float_type @r48/result_summary.json"], |t| {
        t.set(FILE, "/duration_ns", json!(null));
    }),
    m("summary-null-issued", &["E result-file-valid int_type @r48/result_summary.json"], |t| {
        t.set(FILE, "/n_samples_issued", json!(null));
    }),
    m("summary-text-total", &["E result-file-valid float_parsing @r48/result_summary.json"], |t| {
        t.set(FILE, "/latency/total", json!("long"));
    }),
    m(
        "summary-percentile-key",
        &["E result-file-valid percentile-key @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/tpot/percentiles/p90", json!(1));
        },
    ),
    m(
        "summary-percentile-101",
        &["E result-file-valid percentile-key @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/ttft/percentiles/101", json!(1));
        },
    ),
    m(
        "summary-percentile-conflict",
        &["E result-file-valid percentile-conflict @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/tpot/percentiles/90", json!(1));
        },
    ),
    m("summary-percentile-twice", &[], |t| {
        t.edit(FILE, |v| v["tpot"]["percentiles"]["90"] = v["tpot"]["percentiles"]["90.0"].clone());
    }),
    m(
        "summary-percentile-null",
        &["E result-file-valid float_type @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/tpot/percentiles/90.0", json!(null));
        },
    ),
    m("queries-few", &["E min-query-count fail @r8/result_summary.json"], |t| {
        t.replace_all("dataset: \"agentic_inference_conversations\"", "dataset: \"gpqa\"");
        t.set("@r8/result_summary.json", "/n_samples_completed", json!(197));
    }),
    m("queries-enough", &[], |t| {
        t.replace_all("dataset: \"agentic_inference_conversations\"", "dataset: \"gpqa\"");
    }),
    m("duration-zero", &["E metric-consistency-duration fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/duration_ns", json!(0));
    }),
    m("duration-negative", &["E metric-consistency-duration fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/duration_ns", json!(-1));
    }),
    m("duration-text", &[], |t| t.set(FILE, "/duration_ns", json!("7529322675540"))),
    m("accounting", &["E metric-consistency-accounting fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/n_samples_completed", json!(85819));
    }),
    m("accounting-not-tracked", &[], |t| t.set(FILE, "/n_samples_issued", json!(0))),
    m(
        "accounting-with-failures",
        &["E agentic-metric-consistency fail @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/n_samples_completed", json!(85818));
            t.set(FILE, "/n_samples_failed", json!(2));
        },
    ),
    m(
        "tokens-negative",
        &["E metric-consistency-output-tokens fail @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/output_sequence_lengths/total", json!(-1));
        },
    ),
    m(
        "tokens-barely-negative",
        &["E metric-consistency-system-tps fail @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/output_sequence_lengths/total", json!(-0.9));
        },
    ),
    m("tps-off", &["E metric-consistency-system-tps fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/system_tps", json!(4410));
    }),
    m("tps-within", &[], |t| t.set(FILE, "/system_tps", json!(4408))),
    m("tps-absent", &[], |t| t.unset(FILE, "/system_tps")),
    m("tps-text", &[], |t| t.set(FILE, "/system_tps", json!("4365.47"))),
    m("tpot-absent", &["E metric-consistency-tpot-p90 fail @r48/result_summary.json"], |t| {
        t.unset(FILE, "/tpot/percentiles/90.0");
    }),
    m("tpot-zero", &["E metric-consistency-tpot-p90 fail-2 @r48/result_summary.json"], |t| {
        t.set(FILE, "/tpot/percentiles/90.0", json!(0));
    }),
    m("tpot-block-absent", &["E metric-consistency-tpot-p90 fail @r48/result_summary.json"], |t| {
        t.unset(FILE, "/tpot");
    }),
    m(
        "tpot-nan",
        &[
            "E metric-consistency-tpot-p90 fail-2 @r48/result_summary.json",
            "E x-not-finite fail @r48/result_summary.json",
        ],
        |t| {
            t.replace(FILE, "7916666.666666666", "NaN");
        },
    ),
    m("user-rate-off", &["E metric-consistency-tps-per-user fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/tps_per_user", json!(128));
    }),
    m(
        "interactivity-off",
        &["E agentic-metric-consistency fail-2 @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/e2e_avg_interactivity", json!(115));
        },
    ),
    m(
        "interactivity-one-sum",
        &["E agentic-metric-consistency fail @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/output_tokens_per_turn_total", json!(1));
        },
    ),
    m("interactivity-named-sums", &[], |t| {
        t.set(FILE, "/output_tokens_per_turn_total", json!(32_869_060));
        t.set(FILE, "/e2e_turn_time_seconds_total", json!(289_125.99));
    }),
    m(
        "interactivity-zero-seconds",
        &["E agentic-metric-consistency fail @r48/result_summary.json"],
        |t| {
            t.set(FILE, "/latency/total", json!(0));
        },
    ),
    m("per-kw-off", &["E metric-consistency-tps-per-kw fail @r48/result_summary.json"], |t| {
        t.set(FILE, "/system_tps_per_kw", json!(150));
    }),
    m("per-kw-absent", &[], |t| t.unset(FILE, "/system_tps_per_kw")),
    m("per-kw-boolean", &[], |t| t.set(FILE, "/system_tps_per_kw", json!(true))),
];
