//! Nodes and parallelism.

use serde_json::json;

use super::super::tree::Tree;
use super::{Mutant, m};

const POINT: &str = "@r48/point.yaml";
const DESC: &str = "@r48/system_desc.json";
const ENTRY: &str = "  - system_node_ensemble_id: 0\n    nodes: 2\n";
const NODES: &str = "E nodes-used fail @r48/point.yaml";

fn shortfall(t: &Tree, actual: u32, formula: u32) {
    let block = format!(
        "dp_shortfall:\n  dp_actual: {actual}\n  dp_formula: {formula}\n  reason: memory\n"
    );
    t.replace(POINT, "dataset: \"agentic", &format!("{block}dataset: \"agentic"));
}

pub(super) const MUTANTS: &[Mutant] = &[
    m("nodes-too-many", &[NODES], |t| t.replace(POINT, "    nodes: 2", "    nodes: 3")),
    m("nodes-zero", &[NODES], |t| t.replace(POINT, "    nodes: 2", "    nodes: 0")),
    m("nodes-unknown-ensemble", &[NODES], |t| {
        t.replace(POINT, "  - system_node_ensemble_id: 0", "  - system_node_ensemble_id: 5");
    }),
    m("nodes-twice", &[NODES], |t| t.replace(POINT, ENTRY, &format!("{ENTRY}{ENTRY}"))),
    m("nodes-too-few", &[NODES], |t| t.replace(POINT, "    nodes: 2", "    nodes: 1")),
    m(
        "nodes-to-spare",
        &["W nodes-used warn @r48/point.yaml", "E maximal-engagement fail-3 @r48/point.yaml"],
        |t| {
            t.set(DESC, "/data_parallel", json!(4));
        },
    ),
    m("nodes-half", &["E metric-consistency-tps-per-kw fail @r48/result_summary.json"], |t| {
        t.replace(POINT, "    nodes: 2", "    nodes: 1");
        t.set(DESC, "/data_parallel", json!(4));
        shortfall(t, 4, 8);
    }),
    m("nodes-absent", &[], |t| t.cut(POINT, "nodes_used")),
    m("nodes-empty", &[], |t| {
        t.cut(POINT, "nodes_used");
        t.replace(POINT, "dataset: \"agentic", "nodes_used: []\ndataset: \"agentic");
    }),
    m("nodes-no-list", &["E point-config-valid list_type @r48/point.yaml"], |t| {
        t.cut(POINT, "nodes_used");
        t.replace(POINT, "dataset: \"agentic", "nodes_used: 2\ndataset: \"agentic");
    }),
    m("dp-zero", &["E maximal-engagement fail @r48/point.yaml"], |t| {
        t.set(DESC, "/data_parallel", json!(0));
    }),
    m("dp-too-many", &["E maximal-engagement fail-2 @r48/point.yaml"], |t| {
        t.set(DESC, "/data_parallel", json!(9));
    }),
    m("dp-too-few", &["E maximal-engagement fail-3 @r48/point.yaml"], |t| {
        t.set(DESC, "/data_parallel", json!(7));
    }),
    m("dp-shortfall-wrong", &["E maximal-engagement fail-4 @r48/point.yaml"], |t| {
        t.set(DESC, "/data_parallel", json!(7));
        shortfall(t, 7, 9);
    }),
    m("dp-shortfall", &["W maximal-engagement warn-5 @r48/point.yaml"], |t| {
        t.set(DESC, "/data_parallel", json!(7));
        shortfall(t, 7, 8);
    }),
    m("dp-shortfall-unneeded", &["W maximal-engagement shortfall-unneeded @r48/point.yaml"], |t| {
        shortfall(t, 8, 8);
    }),
    m("dp-in-the-summary", &["E maximal-engagement fail-3 @r48/point.yaml"], |t| {
        for field in ["tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"] {
            t.unset(DESC, &format!("/{field}"));
        }
        t.set(DESC, "/config_summary", json!({"tensor_parallel": 4, "data_parallel": 2}));
    }),
    m("dp-unknown", &["W maximal-engagement warn @r48/point.yaml"], |t| {
        for field in ["tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"] {
            t.unset(DESC, &format!("/{field}"));
        }
    }),
    m("dp-disaggregated", &["W maximal-engagement warn-2 @r48/point.yaml"], |t| {
        t.set(DESC, "/disaggregated", json!(true));
    }),
    m("dp-disaggregated-number", &["W maximal-engagement warn-2 @r48/point.yaml"], |t| {
        t.set(DESC, "/disaggregated", json!(2));
    }),
    m("dp-accelerators-unknown", &["W maximal-engagement warn-3 @r48/point.yaml"], |t| {
        let set = "/node_sets/0";
        t.unset("$system_power.json", "/computed");
        t.unset("$system_power.json", "/provisioned_power_kw");
        t.unset("$system_power.json", &format!("{set}/components"));
        t.set("$system_power.json", &format!("{set}/power_method"), json!("published_system"));
        let power = json!({"value_kw": 14, "source_type": "publication", "source": "https://x"});
        t.set("$system_power.json", &format!("{set}/published_power"), power);
        t.set("$system_power.json", "/scale_out/nics/counted", json!(false));
        for n in super::super::tree::POINTS {
            let file = format!("@r{n}/system_desc.json");
            t.unset(&file, "/node_types/0/accelerator_info/0/accelerators_per_node");
        }
    }),
];
