//! A curve's points together: descriptions, regions, names, coverage, Offline.

use serde_json::json;

use super::super::tree::{POINTS, Tree};
use super::{Mutant, m};

const DESC: &str = "@r8/system_desc.json";

/// Removes points from the curve.
fn without(t: &Tree, points: &[u32]) {
    for n in points {
        t.remove(&format!("@r{n}"));
    }
}

/// Adds a copy of a point at another concurrency.
fn add(t: &Tree, from: u32, to: u32) {
    t.copy(&format!("@r{from}"), &format!("@r{to}"));
    let file = format!("@r{to}/point.yaml");
    t.replace(&file, &format!("concurrency: {from}\n"), &format!("concurrency: {to}\n"));
}

fn dedicated(t: &Tree, n: u32) {
    t.replace(&format!("@r{n}/point.yaml"), "dataset: ", "offline: dedicated\ndataset: ");
}

pub(super) const MUTANTS: &[Mutant] = &[
    m(
        "desc-absent-at-a-point",
        &["E system-description-present fail-2 @r48/system_desc.json"],
        |t| {
            t.remove("@r48/system_desc.json");
        },
    ),
    m(
        "desc-absent-everywhere",
        &["E system-description-present fail @", "W region-basis warn @"],
        |t| {
            for n in POINTS {
                t.remove(&format!("@r{n}/system_desc.json"));
            }
        },
    ),
    m("desc-no-json", &["E system-description-valid fail @r48/system_desc.json"], |t| {
        t.write("@r48/system_desc.json", "[1]");
    }),
    m("desc-first-no-json", &["E system-description-valid fail @r8/system_desc.json"], |t| {
        t.write(DESC, "{");
    }),
    m("desc-no-name", &["E system-description-valid missing @r8/system_desc.json"], |t| {
        for n in POINTS {
            t.unset(&format!("@r{n}/system_desc.json"), "/system_name");
        }
    }),
    m(
        "desc-division",
        &["E system-description-valid division-unknown @r8/system_desc.json"],
        |t| {
            t.set_systems("/division", &json!("Open"));
        },
    ),
    m("desc-division-number", &["E system-description-valid enum @r8/system_desc.json"], |t| {
        t.set_systems("/division", &json!(1));
    }),
    m("desc-division-small-letters", &[], |t| t.set_systems("/division", &json!(" standardized "))),
    m(
        "desc-availability",
        &["E system-description-valid availability-unknown @r8/system_desc.json"],
        |t| {
            t.set_systems("/system_availability_status", &json!("Soon"));
        },
    ),
    m(
        "desc-conflict",
        &["E system-description-valid availability-conflict @r8/system_desc.json"],
        |t| {
            t.set_systems("/publication_status", &json!("Preview"));
        },
    ),
    m("desc-legacy-spelling", &[], |t| {
        for n in POINTS {
            let file = format!("@r{n}/system_desc.json");
            t.unset(&file, "/system_availability_status");
            t.set(&file, "/availability_status", json!("available"));
        }
    }),
    m(
        "desc-no-url",
        &["E system-description-valid availability-url-missing @r8/system_desc.json"],
        |t| {
            t.set_systems("/availability_url", &json!(" "));
        },
    ),
    m(
        "desc-no-date",
        &["E system-description-valid availability-date-missing @r8/system_desc.json"],
        |t| {
            t.set_systems("/system_availability_status", &json!("Preview"));
        },
    ),
    m(
        "desc-bad-date",
        &["E system-description-valid availability-date-invalid @r8/system_desc.json"],
        |t| {
            t.set_systems("/target_availability_date", &json!("2026-02-30"));
        },
    ),
    m(
        "desc-short-name-empty",
        &["E system-description-valid shortened-name-empty @r8/system_desc.json"],
        |t| {
            t.set_systems("/shortened_system_name", &json!("  "));
        },
    ),
    m(
        "desc-short-name-long",
        &["E system-description-valid shortened-name-too-long @r8/system_desc.json"],
        |t| {
            t.set_systems("/shortened_system_name", &json!("123456789012345678901"));
        },
    ),
    m(
        "desc-no-cores",
        &["E system-description-valid core-count-missing @r8/system_desc.json"],
        |t| {
            for n in POINTS {
                t.unset(
                    &format!("@r{n}/system_desc.json"),
                    "/node_types/0/host_processor_core_count",
                );
            }
        },
    ),
    m("desc-types", &["E system-description-valid int_parsing @r8/system_desc.json"], |t| {
        t.set_systems("/system_node_ensemble_count", &json!("one"));
        t.set_systems("/batch", &json!(1.5));
        t.set_systems("/disaggregated", &json!(2));
        t.set_systems("/node_types/0/driver", &json!(5));
        t.set_systems("/config_summary", &json!("TP2"));
        t.set_systems("/measured_accuracy_score", &json!([1]));
    }),
    m("desc-unions", &["E system-description-valid string_type @r8/system_desc.json"], |t| {
        t.set_systems("/config_summary", &json!({"batch": "x"}));
        t.set_systems("/measured_accuracy_score", &json!({"a": {"scores": {"x": "1"}}}));
    }),
    m("desc-flat-accelerators", &[], |t| {
        for n in POINTS {
            let file = format!("@r{n}/system_desc.json");
            t.unset(&file, "/node_types/0/accelerator_info");
            t.set(&file, "/node_types/0/accelerators_per_node", json!(8));
        }
    }),
    m("desc-differs", &["E system-description-consistency fail @r48/system_desc.json"], |t| {
        t.set("@r48/system_desc.json", "/node_config", json!("three nodes"));
        t.set("@r256/system_desc.json", "/system_size", json!("17"));
    }),
    m("desc-differs-where-it-may", &[], |t| {
        t.set("@r48/system_desc.json", "/batch", json!(13));
        t.set("@r48/system_desc.json", "/config_summary", json!("another text"));
    }),
    m("desc-equal-numbers", &[], |t| {
        t.set("@r48/system_desc.json", "/max_supported_concurrency", json!(512.0));
    }),
    m(
        "override-at-one-point",
        &["E c-min-override missing-declaration @r12/system_desc.json"],
        |t| {
            t.set(DESC, "/c_min_override", json!(8));
        },
    ),
    m(
        "override-boolean",
        &[
            "E c-min-override invalid @r8/system_desc.json",
            "E system-description-valid invalid @r8/system_desc.json",
        ],
        |t| {
            t.set_systems("/c_min_override", &json!(true));
        },
    ),
    m("override-float", &["E c-min-override invalid @r48/system_desc.json"], |t| {
        t.set_systems("/c_min_override", &json!(8));
        t.set("@r48/system_desc.json", "/c_min_override", json!(8.0));
    }),
    m("override-too-high", &["E c-min-override invalid @r8/system_desc.json"], |t| {
        t.set_systems("/c_min_override", &json!(33));
    }),
    m("override-differs", &["E c-min-override inconsistent @"], |t| {
        t.set_systems("/c_min_override", &json!(8));
        t.set("@r48/system_desc.json", "/c_min_override", json!(12));
    }),
    m("override-without-point", &["E c-min-override missing-point @"], |t| {
        t.set_systems("/c_min_override", &json!(10));
    }),
    m("override-fine", &[], |t| t.set_systems("/c_min_override", &json!(8))),
    m("override-moves-regions", &["W region-placement warn @r12/point.yaml"], |t| {
        t.set_systems("/c_min_override", &json!(32));
    }),
    m("c-max-unreadable", &["W region-basis warn @r8/system_desc.json"], |t| {
        t.set_systems("/max_supported_concurrency", &json!("many"));
    }),
    m("c-max-raw", &["E system-description-valid missing @r8/system_desc.json"], |t| {
        for n in POINTS {
            t.unset(&format!("@r{n}/system_desc.json"), "/system_size");
        }
    }),
    m("c-max-too-low", &["E region-computation c-max-too-low @r8/system_desc.json"], |t| {
        t.set_systems("/max_supported_concurrency", &json!(32));
    }),
    m("c-max-33", &["E concurrency-in-range fail @r48/point.yaml"], |t| {
        t.set_systems("/max_supported_concurrency", &json!(33));
    }),
    m("c-min-zero", &["E region-computation c-min-range @r8/system_desc.json"], |t| {
        t.replace("@r8/point.yaml", "concurrency: 8\n", "concurrency: 0\n");
    }),
    m("c-max-moves-regions", &["W region-placement warn @r256/point.yaml"], |t| {
        t.set_systems("/max_supported_concurrency", &json!(5000));
    }),
    m("region-wrong", &["W region-placement warn @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "med_concurrency", "high_concurrency");
    }),
    m("region-unknown", &["E region-declared fail @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "med_concurrency", "med_throughput");
    }),
    m("above-the-margin", &["E concurrency-in-range fail @r565/point.yaml"], |t| {
        add(t, 512, 565);
    }),
    m("margin", &[], |t| add(t, 128, 564)),
    m("few-points", &["E point-count fail @"], |t| without(t, &[32])),
    m("many-points", &["E point-cap fail @"], |t| {
        for n in 100..126 {
            add(t, 128, n);
        }
    }),
    m("no-ultra-low-point", &["E ultra-low-concurrency-coverage fail @"], |t| {
        without(t, &[8, 12, 32]);
        for n in 40..43 {
            add(t, 128, n);
        }
    }),
    m("no-low-point", &["E low-concurrency-coverage fail @"], |t| {
        without(t, &[12]);
        add(t, 32, 24);
    }),
    m("no-med-point", &["E med-concurrency-coverage fail @"], |t| {
        without(t, &[32, 48]);
        add(t, 128, 300);
        add(t, 128, 301);
    }),
    m("no-high-point", &["E high-concurrency-coverage fail @"], |t| {
        without(t, &[128, 256, 512]);
        for n in 60..63 {
            add(t, 32, n);
        }
    }),
    m("same-point-twice", &[], |t| {
        t.copy("@r48", "@r0048");
        t.remove("@r0048/accuracy_results.json");
    }),
    m(
        "name-unknown",
        &["E model-name-valid fail @r8/point.yaml", "E model-name-consistency fail @"],
        |t| {
            t.replace_all("qwen3_6-35b-a3b", "qwen3_6-27b");
        },
    ),
    m("name-not-canonical", &["E model-name-valid noncanonical @r8/point.yaml"], |t| {
        t.replace_all("\"qwen3_6-35b-a3b\"", "\"org/qwen3.6-35b-a3b\"");
    }),
    m("names-differ", &["E config-consistency-model fail @"], |t| {
        t.replace("@r48/point.yaml", "\"qwen3_6-35b-a3b\"", "\"kimi-k3\"");
    }),
    m("no-names", &["W model-name-consistency warn @"], |t| {
        t.replace_all("model_name: \"qwen3_6-35b-a3b\"\n", "");
    }),
    m("directory-named-otherwise", &["E model-name-consistency fail $qwen"], |t| {
        t.rename("@", "$qwen");
    }),
    m("datasets-differ", &["E config-consistency-dataset fail @"], |t| {
        t.replace("@r48/point.yaml", "dataset: \"agentic", "dataset: \"other_agentic");
    }),
    m("patterns-differ", &["E benchmark-type-consistency fail @"], |t| {
        t.replace("@r48/point.yaml", "agentic_inference\"\n  min", "concurrency\"\n  min");
    }),
    m("offline-on-an-agentic-curve", &["E offline-point-present fail-3 @"], |t| dedicated(t, 512)),
    m("offline-elected-on-an-agentic-curve", &["E offline-point-present fail-3 @"], |t| {
        t.replace("@r512/point.yaml", "dataset: ", "offline: elected\ndataset: ");
    }),
    m("utilization-off", &["E tps-utilization fail @r48/system_desc.json"], |t| {
        t.set("@r48/system_desc.json", "/tps_utilization", json!(0.39));
    }),
    m("utilization-within", &[], |t| {
        t.set("@r48/system_desc.json", "/tps_utilization", json!(0.38));
    }),
    m(
        "utilization-of-an-invalid-summary",
        &["E tps-utilization fail @r32/system_desc.json"],
        |t| {
            t.unset("@r512/result_summary.json", "/n_samples_completed");
            t.set("@r512/result_summary.json", "/duration_ns", json!(100_000_000_000_u64));
        },
    ),
    m("shared-src-absent", &["E shared-path-resolution fail @r8/point.yaml"], |t| {
        t.replace_all("src/vllm", "src/sglang");
    }),
    m("shared-src-absolute", &["E shared-path-resolution fail @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "src/vllm", "/tmp");
    }),
    m("shared-docs-outside", &["E shared-path-resolution fail @r48/point.yaml"], |t| {
        t.replace("@r48/point.yaml", "shared_docs: \"docs\"", "shared_docs: \"docs/../docs\"");
    }),
    m("shared-src-backslash", &[], |t| {
        t.replace("@r48/point.yaml", "\"src/vllm\"", "'.\\src\\\\vllm'");
    }),
    m("desc-several-faults", &["E system-description-valid list_type @r8/system_desc.json"], |t| {
        t.set_systems("/node_types", &json!({}));
    }),
];
