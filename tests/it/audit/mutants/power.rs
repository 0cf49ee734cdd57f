//! `system_power.json`.

use serde_json::json;

use super::super::tree::Tree;
use super::{Mutant, m};

const FILE: &str = "$system_power.json";
const ERROR: &str = "E power-descriptor computation-problem $system_power.json";
const WARNING: &str = "W power-descriptor computation-warning $system_power.json";
const COMPONENTS: &str = "/node_sets/0/components";
const SCALE_UP: &str = "/node_sets/0/components/scale_up_network";

/// Leaves out what the submitter computed.
fn plain(t: &Tree) {
    t.unset(FILE, "/computed");
    t.unset(FILE, "/provisioned_power_kw");
}

fn published(t: &Tree, method: &str) {
    plain(t);
    t.unset(FILE, COMPONENTS);
    t.set(FILE, "/node_sets/0/power_method", json!(method));
    t.set(FILE, "/node_sets/0/published_power", power(14000));
    t.set(FILE, "/scale_out/nics/excluded_from_published_power", json!("the datasheet says so"));
}

fn power(watts: u32) -> serde_json::Value {
    json!({"value_w": watts, "source_type": "publication", "source": "https://example.com/p"})
}

pub(super) const MUTANTS: &[Mutant] = &[
    m("power-absent", &["E power-descriptor fail $system_power.json"], |t| t.remove(FILE)),
    m("power-absent-rdi", &[], |t| {
        t.remove(FILE);
        t.set_systems("/division", &json!("RDI"));
    }),
    m("power-no-json", &["E power-descriptor parse-error $system_power.json"], |t| {
        t.write(FILE, "{");
    }),
    m("power-list", &["E power-descriptor model_type $system_power.json"], |t| t.write(FILE, "[]")),
    m("power-no-cooling", &["E power-descriptor missing $system_power.json"], |t| {
        t.unset(FILE, "/cooling");
    }),
    m("power-cooling-word", &["E power-descriptor literal_error $system_power.json"], |t| {
        t.set(FILE, "/cooling", json!("Air"));
    }),
    m("power-cooling-differs", &["E power-descriptor fail-2 $system_power.json"], |t| {
        plain(t);
        t.set(FILE, "/cooling", json!("liquid"));
    }),
    m("power-no-node-sets", &["E power-descriptor too_short $system_power.json"], |t| {
        t.set(FILE, "/node_sets", json!([]));
    }),
    m("power-zero-nodes", &["E power-descriptor greater_than $system_power.json"], |t| {
        t.set(FILE, "/node_sets/0/nodes_provisioned", json!(0));
    }),
    m("power-negative-count", &["E power-descriptor greater_than_equal $system_power.json"], |t| {
        t.set(FILE, &format!("{COMPONENTS}/cpu/count_per_node"), json!(-1));
    }),
    m(
        "power-unknown-source-key",
        &["E power-descriptor extra_forbidden $system_power.json"],
        |t| {
            t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/note"), json!("x"));
        },
    ),
    m("power-two-values", &["E power-descriptor value-count $system_power.json"], |t| {
        t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/value_kw"), json!(0.35));
    }),
    m("power-source-no-url", &["E power-descriptor source-not-url $system_power.json"], |t| {
        t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/source"), json!("datasheet"));
    }),
    m("power-bad-default", &["E power-descriptor mlc-default-source $system_power.json"], |t| {
        t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/source_type"), json!("mlc_default"));
    }),
    m("power-default", &["W power-estimated warn $system_power.json"], |t| {
        t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/source_type"), json!("mlc_default"));
        t.set(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit/source"), json!("D.2"));
    }),
    m("power-filled-in", &["W power-estimated warn $system_power.json"], |t| {
        t.unset(FILE, "/scale_out/nics/tdp_per_nic");
    }),
    m("power-filled-in-by-name", &["W power-estimated warn $system_power.json"], |t| {
        plain(t);
        t.unset(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit"));
        t.set(FILE, &format!("{COMPONENTS}/cpu/model"), json!("AMD EPYC 9555"));
        t.unset(FILE, &format!("{COMPONENTS}/accelerator/tdp_per_unit"));
        t.set(FILE, &format!("{COMPONENTS}/accelerator/model"), json!("Instinct MI355X"));
        t.unset(FILE, "/scale_out/switches/0/power_per_switch");
        t.set(FILE, "/scale_out/switches/0/model", json!("NVIDIA SN5610"));
    }),
    m("power-filled-in-for-arm", &["W power-estimated warn $system_power.json"], |t| {
        plain(t);
        t.unset(FILE, &format!("{COMPONENTS}/cpu/tdp_per_unit"));
        t.set(FILE, &format!("{COMPONENTS}/cpu/model"), json!("NVIDIA Grace"));
    }),
    m("power-no-default", &[ERROR], |t| {
        t.unset(FILE, &format!("{COMPONENTS}/accelerator/tdp_per_unit"));
    }),
    m("power-optical-without-default", &[ERROR], |t| {
        t.unset(FILE, "/scale_out/switches/0/power_per_switch");
        t.set(FILE, "/scale_out/switches/0/model", json!("SN4700"));
        t.set(FILE, "/scale_out/cabling", json!("active_optical"));
    }),
    m("power-two-ids", &[ERROR], |t| {
        plain(t);
        t.edit(FILE, |v| {
            let set = v["node_sets"][0].clone();
            v["node_sets"].as_array_mut().unwrap().push(set);
        });
    }),
    m("power-no-components", &[ERROR], |t| t.unset(FILE, COMPONENTS)),
    m("power-no-cpu", &[ERROR], |t| t.unset(FILE, &format!("{COMPONENTS}/cpu"))),
    m("power-combined", &[ERROR], |t| {
        plain(t);
        t.set(FILE, &format!("{COMPONENTS}/combined_cpu_accelerator"), power(9000));
    }),
    m("power-no-scale-up", &[ERROR], |t| t.unset(FILE, SCALE_UP)),
    m("power-scale-up-no-count", &[ERROR], |t| {
        plain(t);
        t.set(FILE, SCALE_UP, json!({"method": "declared_tdp"}));
    }),
    m("power-scale-up-no-tdp", &[ERROR], |t| {
        plain(t);
        t.set(FILE, SCALE_UP, json!({"method": "declared_tdp", "switch_count": 2}));
    }),
    m("power-scale-up-declared", &[], |t| {
        plain(t);
        let network =
            json!({"method": "declared_tdp", "switch_count": 2, "tdp_per_switch": power(288)});
        t.set(FILE, SCALE_UP, network);
    }),
    m("power-scale-up-no-bandwidth", &[ERROR], |t| {
        t.unset(FILE, &format!("{SCALE_UP}/aggregate_bandwidth_tbps"));
    }),
    m("power-scale-up-no-energy", &[ERROR], |t| {
        t.unset(FILE, &format!("{SCALE_UP}/energy_per_bit_pj"));
    }),
    m("power-scale-up-watts", &[ERROR], |t| {
        t.set(FILE, &format!("{SCALE_UP}/energy_per_bit_pj"), power(5));
    }),
    m("power-picojoules", &[ERROR], |t| {
        t.set(
            FILE,
            &format!("{COMPONENTS}/cpu/tdp_per_unit"),
            json!({"value_pj": 5, "source_type": "publication", "source": "https://example.com"}),
        );
    }),
    m("power-published-absent", &[ERROR], |t| {
        published(t, "published_system");
        t.unset(FILE, "/node_sets/0/published_power");
    }),
    m("power-published", &[], |t| published(t, "published_system")),
    m("power-published-counts-nics", &[ERROR], |t| {
        published(t, "published_system");
        t.unset(FILE, "/scale_out/nics/excluded_from_published_power");
    }),
    m("power-rack-too-small", &[ERROR], |t| {
        published(t, "node_scaling");
        t.set(FILE, "/node_sets/0/nodes_in_published_rack", json!(2));
    }),
    m("power-rack", &[], |t| {
        published(t, "node_scaling");
        t.set(FILE, "/node_sets/0/nodes_in_published_rack", json!(4));
    }),
    m("power-scale-out-parts", &[ERROR], |t| {
        plain(t);
        t.unset(FILE, "/scale_out/switches");
    }),
    m("power-scale-out-nics-uncounted", &[ERROR], |t| {
        plain(t);
        t.set(FILE, "/scale_out/nics/counted", json!(false));
    }),
    m("power-bandwidth-low", &[ERROR], |t| {
        t.set(FILE, "/scale_out/required_bandwidth_tbps", json!(6.3));
    }),
    m("power-bandwidth-high", &[WARNING], |t| {
        t.set(FILE, "/scale_out/required_bandwidth_tbps", json!(6.5));
    }),
    m("power-switches-few", &[ERROR], |t| {
        t.set(FILE, "/scale_out/switches/0/bandwidth_tbps", json!(6.3));
    }),
    m("power-nothing-joins", &[ERROR], |t| {
        plain(t);
        t.set(FILE, "/scale_out", json!({"present": false}));
        t.set(FILE, SCALE_UP, json!({"method": "none"}));
    }),
    m("power-perhaps-joined", &[WARNING], |t| {
        plain(t);
        t.set(FILE, "/scale_out", json!({"present": false}));
    }),
    m("power-single-node-fabric", &[WARNING], |t| {
        plain(t);
        t.set(FILE, "/node_sets/0/nodes_provisioned", json!(1));
    }),
    m("power-computed-off", &[ERROR], |t| {
        t.set(FILE, "/computed/total_system_power_w", json!(30259));
    }),
    m("power-computed-within", &[], |t| {
        t.set(FILE, "/computed/total_system_power_w", json!(30258.5));
    }),
    m("power-overhead-off", &[ERROR], |t| t.set(FILE, "/computed/overhead_fraction", json!(0.3))),
    m("power-kw-off", &[ERROR], |t| t.set(FILE, "/provisioned_power_kw", json!(30.27))),
    m("power-declared", &[], |t| {
        plain(t);
        t.set(FILE, "/declared_provisioned_power", power(31000));
        t.unset(FILE, "/scale_out/nics/tdp_per_nic");
    }),
    m("power-declared-default", &["W power-estimated warn $system_power.json"], |t| {
        plain(t);
        let value = json!({"value_kw": 30.26, "source_type": "mlc_default", "source": "D.1"});
        t.set(FILE, "/declared_provisioned_power", value);
    }),
    m("power-declared-picojoules", &[ERROR], |t| {
        plain(t);
        let value = json!({"value_pj": 5, "source_type": "mlc_default", "source": "D.1"});
        t.set(FILE, "/declared_provisioned_power", value);
    }),
    m("power-unknown-ensemble", &["W power-descriptor warn $system_power.json"], |t| {
        t.set(FILE, "/node_sets/0/system_node_ensemble_id", json!(7));
    }),
    m("power-lax-numbers", &[], |t| {
        t.set(FILE, "/node_sets/0/nodes_provisioned", json!("2"));
        t.set(FILE, "/node_sets/0/node_set_id", json!(0.0));
        t.set(FILE, "/scale_out/present", json!("yes"));
    }),
];
