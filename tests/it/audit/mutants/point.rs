//! The disclosure of one point.

use super::super::tree::{POINTS, Tree};
use super::{Mutant, m};

const POINT: &str = "@r48/point.yaml";

fn steady(t: &Tree, from: &str, to: &str) {
    t.replace(POINT, from, to);
}

pub(super) const MUTANTS: &[Mutant] = &[
    m("config-absent", &["E config-file-present fail @r48/config.yaml"], |t| {
        t.remove("@r48/config.yaml");
    }),
    m("config-directory", &["E config-file-present fail @r48/config.yaml"], |t| {
        t.remove("@r48/config.yaml");
        t.write("@r48/config.yaml/x", "");
    }),
    m("config-empty", &["E config-file-present invalid @r48/config.yaml"], |t| {
        t.write("@r48/config.yaml", "");
    }),
    m("config-no-yaml", &["E config-file-present invalid @r48/config.yaml"], |t| {
        t.write("@r48/config.yaml", "a: [1\nb: }");
    }),
    m("config-list", &["E config-file-present invalid @r48/config.yaml"], |t| {
        t.write("@r48/config.yaml", "- a\n");
    }),
    m(
        "point-absent",
        &[
            "E measurement-points-present fail-2 @r48/point.yaml",
            "W point-rules-skipped warn @r48/point.yaml",
        ],
        |t| {
            t.remove(POINT);
        },
    ),
    m("point-absent-everywhere", &["E measurement-points-present fail @"], |t| {
        for n in POINTS {
            t.remove(&format!("@r{n}/point.yaml"));
        }
    }),
    m(
        "point-and-summary-absent",
        &["E result-summary-present fail-2 @r48/result_summary.json"],
        |t| {
            t.remove(POINT);
            t.remove("@r48/result_summary.json");
        },
    ),
    m("point-no-yaml", &["E point-config-valid parse-error @r48/point.yaml"], |t| {
        t.write(POINT, "concurrency: [1\nb: }");
    }),
    m("point-list", &["E point-config-valid not-a-mapping @r48/point.yaml"], |t| {
        t.write(POINT, "- 48\n");
    }),
    m("point-empty", &["E point-config-valid not-a-mapping @r48/point.yaml"], |t| {
        t.write(POINT, "");
    }),
    m("point-no-concurrency", &["E point-config-valid missing @r48/point.yaml"], |t| {
        t.replace(POINT, "concurrency: 48\n", "");
    }),
    m("point-concurrency-text", &["E point-config-valid int_parsing @r48/point.yaml"], |t| {
        t.replace(POINT, "concurrency: 48\n", "concurrency: many\n");
    }),
    m("point-lax-numbers", &[], |t| t.replace(POINT, "concurrency: 48\n", "concurrency: \"48\"\n")),
    m("point-float-number", &[], |t| t.replace(POINT, "concurrency: 48\n", "concurrency: 48.0\n")),
    m("point-octal-number", &["W point-dirname-concurrency warn @r48/point.yaml"], |t| {
        t.replace(POINT, "concurrency: 48\n", "concurrency: 060\n");
        t.replace(POINT, "concurrency: 060\n", "concurrency: 061\n");
    }),
    m("point-fraction", &["E point-config-valid int_from_float @r48/point.yaml"], |t| {
        t.replace(POINT, "concurrency: 48\n", "concurrency: 48.5\n");
    }),
    m("point-no-runtime", &["E point-config-valid missing @r48/point.yaml"], |t| {
        t.cut(POINT, "runtime_settings");
    }),
    m("point-number-for-text", &["E point-config-valid string_type @r48/point.yaml"], |t| {
        t.replace(POINT, "seed_set: \"A\"", "seed_set: 1");
    }),
    m("point-date-for-text", &["E point-config-valid string_type @r48/point.yaml"], |t| {
        t.replace(POINT, "model_notes: \"synthetic example\"", "model_notes: 2026-10-01");
    }),
    m("point-bool-for-text", &["E point-config-valid string_type @r48/point.yaml"], |t| {
        t.replace(POINT, "dataset: \"agentic", "offline: no\ndataset: \"agentic");
    }),
    m("point-states-list", &["E point-config-valid dict_type @r48/point.yaml"], |t| {
        steady(
            t,
            "  state:\n    tpot_p50: \"Plateau\"\n    tpot_p90: \"Plateau\"\n",
            "  state: []\n",
        );
    }),
    m("point-steps-numbers", &["E point-config-valid string_type @r48/point.yaml"], |t| {
        t.replace(POINT, "\"engine load\"", "7");
    }),
    m(
        "point-warmup-more-than-issued",
        &["E point-config-valid warmup-completed-exceeds-issued @r48/point.yaml"],
        |t| {
            t.replace(POINT, "requests_completed: 64", "requests_completed: 65");
        },
    ),
    m(
        "point-warmup-without-concurrency",
        &["E point-config-valid warmup-concurrency-zero @r48/point.yaml"],
        |t| {
            t.replace(POINT, "concurrency: 16", "concurrency: 0");
        },
    ),
    m("point-warmup-too-long", &["E point-config-valid less_than_equal @r48/point.yaml"], |t| {
        t.replace(POINT, "duration_s: 120.0", "duration_s: 86401");
    }),
    m("point-warmup-negative", &["E point-config-valid greater_than_equal @r48/point.yaml"], |t| {
        t.replace(POINT, "requests_issued: 64", "requests_issued: -1");
    }),
    m("point-warmup-no-source", &["E point-config-valid string_too_short @r48/point.yaml"], |t| {
        t.replace(
            POINT,
            "data_source: \"fixed prompt text unrelated to the performance dataset\"",
            "data_source: \"\"",
        );
    }),
    m("point-unknown-keys", &[], |t| {
        t.replace(POINT, "dataset: \"agentic", "conccurency: 7\ndataset: \"agentic");
    }),
    m("point-directory-name", &["W point-dirname-concurrency warn @r47/point.yaml"], |t| {
        t.rename("@r48", "@r47");
    }),
    m("disclosure-absent", &["E point-disclosure-complete fail @r48/point.yaml"], |t| {
        t.replace(POINT, "model_precision: \"FP8\"\n", "");
    }),
    m("disclosure-empty", &["E point-disclosure-complete fail @r48/point.yaml"], |t| {
        t.replace(POINT, "\"FP8\"", "\"\"");
    }),
    m("disclosure-null", &["E point-disclosure-complete fail @r48/point.yaml"], |t| {
        t.replace(POINT, "max_supported_concurrency: 512", "max_supported_concurrency: ~");
    }),
    m("disclosure-blank", &[], |t| t.replace(POINT, "\"FP8\"", "\" \"")),
    m("load-pattern-poisson", &["E load-pattern fail @r48/point.yaml"], |t| {
        t.replace(POINT, "load_pattern: \"agentic_inference\"", "load_pattern: poisson");
    }),
    m("load-pattern-negative", &["E load-pattern fail-2 @r48/point.yaml"], |t| {
        t.replace(POINT, "concurrency: 48\n", "concurrency: -48\n");
    }),
    m("offline-word", &["E offline-declared fail @r48/point.yaml"], |t| {
        t.replace(POINT, "dataset: \"agentic", "offline: \"yes\"\ndataset: \"agentic");
    }),
    m("offline-none", &[], |t| {
        t.replace(POINT, "dataset: \"agentic", "offline: none\ndataset: \"agentic");
    }),
    m("warmup-absent", &["E warmup-present fail @r48/point.yaml"], |t| t.cut(POINT, "warmup")),
    m("warmup-logs-lost", &["W warmup-logs-retained warn @r48/point.yaml"], |t| {
        t.replace(POINT, "logs_retained: true", "logs_retained: false");
    }),
    m("warmup-logs-unsaid", &["W warmup-logs-retained warn-2 @r48/point.yaml"], |t| {
        t.replace(POINT, "  logs_retained: true\n", "");
    }),
    m("warmup-not-performed", &[], |t| {
        t.replace(POINT, "duration_s: 120.0", "duration_s: 0");
        t.replace(POINT, "requests_issued: 64", "requests_issued: 0");
        t.replace(POINT, "requests_completed: 64", "requests_completed: 0");
        t.replace(POINT, "concurrency: 16", "concurrency: 0");
        t.replace(POINT, "logs_retained: true", "logs_retained: false");
    }),
    m("warmup-salted", &["W warmup-salt warn @r48/point.yaml"], |t| {
        t.replace(POINT, "  runtime:\n", "  warmup:\n    salt: true\n  runtime:\n");
    }),
    m("steady-absent", &["W steady-state-basis warn @r48/result_summary.json"], |t| {
        t.cut(POINT, "steady_state");
    }),
    m("steady-words", &["E steady-state-valid fail @r48/point.yaml"], |t| {
        steady(t, "STEADY STATE", "steady");
        steady(t, "tpot_p50: \"Plateau\"", "tpot_p50: \"Flat\"");
    }),
    m("steady-status-word", &["E steady-state-valid fail @r48/point.yaml"], |t| {
        steady(t, "windowable", "fine");
    }),
    m("steady-short", &["E steady-state-consistency fail @r48/point.yaml"], |t| {
        steady(t, "super_pass_end: 5", "super_pass_end: 3");
    }),
    m("steady-drifts", &["E steady-state-consistency fail @r48/point.yaml"], |t| {
        steady(t, "tpot_p50: \"Plateau\"", "tpot_p50: \"Drifting Up\"");
    }),
    m("steady-enough-passes", &["E steady-state-consistency fail @r48/point.yaml"], |t| {
        steady(t, "windowable", "insufficient_passes");
    }),
    m("steady-insufficient", &["W steady-state-basis warn-2 @r48/result_summary.json"], |t| {
        steady(t, "windowable", "insufficient_duration");
    }),
    m("steady-verdict-drifts", &["W steady-state-basis drifting @r48/result_summary.json"], |t| {
        steady(t, "STEADY STATE", "drifting_up");
    }),
    m(
        "steady-metrics-drift",
        &["W steady-state-basis drifting-metrics @r48/result_summary.json"],
        |t| {
            steady(t, "STEADY STATE", "drifting_down");
            steady(t, "tpot_p50: \"Plateau\"", "tpot_p50: \"Drifting Down\"");
        },
    ),
    m("duration-window", &["W point-duration warn @r48/result_summary.json"], |t| {
        steady(t, "duration_s: 5378.088", "duration_s: 2399.9");
    }),
    m("duration-window-enough", &[], |t| steady(t, "duration_s: 5378.088", "duration_s: 2400")),
    m("duration-low-point", &["W point-duration warn @r12/result_summary.json"], |t| {
        t.cut("@r12/point.yaml", "steady_state");
        t.set("@r12/result_summary.json", "/duration_ns", serde_json::json!(599e9));
    }),
];
