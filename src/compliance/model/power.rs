//! `system_power.json`.

use super::super::document::{
    Fields, Problem, Value, boolean, choice, float, int, list, map, root, text,
};

const SOURCES: [&str; 4] = ["vendor_spec", "publication", "public_statement", "mlc_default"];
const MLC_DEFAULT: &str = "mlc_default";
/// The tables that a default may name as its source.
const TABLES: [&str; 4] = ["D.1", "D.2", "D.3", "D.4"];
const SOURCED_FIELDS: [&str; 5] = ["value_w", "value_kw", "value_pj", "source_type", "source"];

/// How a system's provisioned power was established.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Power {
    /// `liquid` or `air`.
    pub(in crate::compliance) cooling: &'static str,
    pub(in crate::compliance) node_sets: Vec<NodeSet>,
    pub(in crate::compliance) scale_out: ScaleOut,
    pub(in crate::compliance) declared: Option<Sourced>,
    /// The submitter's own arithmetic: field and value.
    pub(in crate::compliance) computed: Vec<(&'static str, f64)>,
    pub(in crate::compliance) overhead_fraction: Option<f64>,
    pub(in crate::compliance) provisioned_power_kw: Option<f64>,
}

/// The fields of `computed` in watts.
const COMPUTED: [&str; 5] = [
    "major_components_w",
    "other_components_w",
    "published_node_power_w",
    "scale_out_switch_power_w",
    "total_system_power_w",
];

/// A figure with its source.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Sourced {
    /// Absent where it is an energy per bit.
    pub(in crate::compliance) watts: Option<f64>,
    pub(in crate::compliance) picojoules: Option<f64>,
    /// The table, where it is a published default.
    pub(in crate::compliance) default_of: Option<String>,
}

/// A set of identical nodes.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct NodeSet {
    pub(in crate::compliance) id: i128,
    pub(in crate::compliance) ensemble: i128,
    pub(in crate::compliance) nodes: i128,
    pub(in crate::compliance) method: Method,
    pub(in crate::compliance) published: Option<Sourced>,
    pub(in crate::compliance) rack_nodes: Option<i128>,
    pub(in crate::compliance) components: Option<Components>,
}

/// How a node set's power was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compliance) enum Method {
    ComponentSum,
    PublishedSystem,
    NodeScaling,
}

impl Method {
    /// The word of the file.
    pub(in crate::compliance) fn name(self) -> &'static str {
        match self {
            Self::ComponentSum => "component_sum",
            Self::PublishedSystem => "published_system",
            Self::NodeScaling => "node_scaling",
        }
    }
}

/// The parts of a node.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Components {
    pub(in crate::compliance) cpu: Option<Device>,
    pub(in crate::compliance) accelerator: Option<Device>,
    pub(in crate::compliance) combined: Option<Sourced>,
    pub(in crate::compliance) scale_up: Option<ScaleUp>,
}

/// Processors or accelerators of a node.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Device {
    pub(in crate::compliance) model: Option<String>,
    pub(in crate::compliance) count: i128,
    pub(in crate::compliance) tdp: Option<Sourced>,
}

/// The network inside a node or rack.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct ScaleUp {
    pub(in crate::compliance) method: ScaleUpMethod,
    pub(in crate::compliance) switches: Option<i128>,
    pub(in crate::compliance) tdp: Option<Sourced>,
    /// Terabytes a second, whatever the field's name says.
    pub(in crate::compliance) bandwidth: Option<f64>,
    pub(in crate::compliance) energy: Option<Sourced>,
}

/// How the scale-up network's power is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compliance) enum ScaleUpMethod {
    DeclaredTdp,
    BandwidthEstimate,
    None,
}

/// The network between nodes.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct ScaleOut {
    pub(in crate::compliance) present: bool,
    pub(in crate::compliance) cabling: Option<&'static str>,
    pub(in crate::compliance) required_bandwidth: Option<f64>,
    pub(in crate::compliance) nics: Option<Nics>,
    pub(in crate::compliance) switches: Option<Vec<Switch>>,
}

/// The network adapters of a node.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Nics {
    pub(in crate::compliance) count: i128,
    pub(in crate::compliance) gbps: f64,
    pub(in crate::compliance) counted: bool,
    pub(in crate::compliance) tdp: Option<Sourced>,
    /// Whether there is evidence that a published node's figure leaves them out.
    pub(in crate::compliance) excluded: bool,
}

/// Switches of one model.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Switch {
    pub(in crate::compliance) model: String,
    pub(in crate::compliance) count: i128,
    pub(in crate::compliance) bandwidth: f64,
    pub(in crate::compliance) power: Option<Sourced>,
}

impl Power {
    /// Reads the document's value.
    pub(in crate::compliance) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        root(value, power)
    }
}

fn power(fields: &mut Fields<'_>) -> Option<Power> {
    let _ = fields.required("system_desc_id", not_empty);
    let cooling = fields.required("cooling", choice(&["liquid", "air"]));
    let sets = fields.required("node_sets", |value| match list(value)? {
        [] => Err("too_short"),
        items => Ok(items.to_vec()),
    });
    let node_sets = fields.each("node_sets", &sets.unwrap_or_default(), node_set);
    let scale_out = fields.required_nested("scale_out", scale_out);
    let declared = fields.nested("declared_provisioned_power", sourced);
    let computed = fields.nested("computed", |fields| {
        let stated = COMPUTED.map(|name| (name, fields.optional(name, float)));
        let fraction = fields.optional("overhead_fraction", float);
        let stated = stated.into_iter().filter_map(|(name, value)| Some((name, value?)));
        Some((stated.collect::<Vec<_>>(), fraction))
    });
    let provisioned_power_kw = fields.optional("provisioned_power_kw", float);
    fields.ignored(&["mlc_estimated_power"], boolean);
    fields.ignored(&["notes"], text);
    let (computed, overhead_fraction) = computed.unwrap_or_default();
    Some(Power {
        cooling: cooling?,
        node_sets,
        scale_out: scale_out?,
        declared,
        computed,
        overhead_fraction,
        provisioned_power_kw,
    })
}

fn sourced(fields: &mut Fields<'_>) -> Option<Sourced> {
    let values = ["value_w", "value_kw", "value_pj"]
        .map(|field| fields.optional(field, |value| at_least_0(float(value)?)));
    let kind = fields.required("source_type", choice(&SOURCES));
    let source = fields.required("source", not_empty);
    let unknown: Vec<String> = fields
        .map()
        .iter()
        .filter(|(key, _)| !SOURCED_FIELDS.contains(key))
        .map(|(key, _)| key.to_owned())
        .collect();
    for key in unknown {
        fields.problem(&key, "extra_forbidden", key.clone());
    }
    let (kind, source) = (kind?, source?);
    if !fields.is_clean() {
        return None;
    }
    let given = values.iter().flatten().count();
    let is_default = kind == MLC_DEFAULT;
    if given != 1 {
        fields.problem("", "value-count", format!("{given} values"));
    } else if is_default && !TABLES.contains(&source.as_str()) {
        fields.problem("", "mlc-default-source", source.clone());
    } else if !is_default && !["https://", "http://"].iter().any(|start| source.starts_with(start))
    {
        fields.problem("", "source-not-url", source.clone());
    }
    let [watts, kilowatts, picojoules] = values;
    Some(Sourced {
        watts: watts.or(kilowatts.map(|kw| kw * 1000.0)),
        picojoules,
        default_of: is_default.then_some(source),
    })
}

fn node_set(fields: &mut Fields<'_>) -> Option<NodeSet> {
    let id = fields.required("node_set_id", int);
    let ensemble = fields.required("system_node_ensemble_id", int);
    let nodes = fields.required("nodes_provisioned", positive);
    let method = fields.required("power_method", |value| match value.as_text() {
        Some("component_sum") => Ok(Method::ComponentSum),
        Some("published_system") => Ok(Method::PublishedSystem),
        Some("node_scaling") => Ok(Method::NodeScaling),
        _ => Err("literal_error"),
    });
    let published = fields.nested("published_power", sourced);
    let rack_nodes = fields.optional("nodes_in_published_rack", int);
    let components = fields.nested("components", |fields| Some(components(fields)));
    Some(NodeSet {
        id: id?,
        ensemble: ensemble?,
        nodes: nodes?,
        method: method?,
        published,
        rack_nodes,
        components,
    })
}

fn components(fields: &mut Fields<'_>) -> Components {
    let cpu = fields.nested("cpu", device);
    let accelerator = fields.nested("accelerator", |fields| {
        let device = device(fields);
        let _ = fields.optional("below_rated_tdp", |value| map(value).map(|_| ()));
        device
    });
    let combined = fields.nested("combined_cpu_accelerator", sourced);
    let scale_up = fields.nested("scale_up_network", |fields| {
        let method = fields.required("method", |value| match value.as_text() {
            Some("declared_tdp") => Ok(ScaleUpMethod::DeclaredTdp),
            Some("bandwidth_estimate") => Ok(ScaleUpMethod::BandwidthEstimate),
            Some("none") => Ok(ScaleUpMethod::None),
            _ => Err("literal_error"),
        });
        let switches = fields.optional("switch_count", not_negative);
        let tdp = fields.nested("tdp_per_switch", sourced);
        let bandwidth =
            fields.optional("aggregate_bandwidth_tbps", |value| at_least_0(float(value)?));
        let energy = fields.nested("energy_per_bit_pj", sourced);
        Some(ScaleUp { method: method?, switches, tdp, bandwidth, energy })
    });
    Components { cpu, accelerator, combined, scale_up }
}

fn device(fields: &mut Fields<'_>) -> Option<Device> {
    let model = fields.optional("model", text);
    let count = fields.required("count_per_node", not_negative);
    let tdp = fields.nested("tdp_per_unit", sourced);
    Some(Device { model, count: count?, tdp })
}

fn scale_out(fields: &mut Fields<'_>) -> Option<ScaleOut> {
    let present = fields.required("present", boolean);
    let cabling = fields.optional("cabling", choice(&["passive", "active_optical"]));
    let required_bandwidth =
        fields.optional("required_bandwidth_tbps", |value| at_least_0(float(value)?));
    let nics = fields.nested("nics", |fields| {
        let count = fields.required("count_per_node", not_negative);
        let gbps = fields.required("bandwidth_per_nic_gbps", |value| at_least_0(float(value)?));
        let counted = fields.required("counted", boolean);
        let tdp = fields.nested("tdp_per_nic", sourced);
        let excluded = fields.optional("excluded_from_published_power", text);
        let excluded = excluded.is_some_and(|evidence| !evidence.is_empty());
        Some(Nics { count: count?, gbps: gbps?, counted: counted?, tdp, excluded })
    });
    let switches = fields.optional("switches", |value| list(value).map(<[Value]>::to_vec));
    let switches = switches.map(|items| {
        fields.each("switches", &items, |fields| {
            let model = fields.required("model", text);
            let count = fields.required("count", positive);
            let bandwidth = fields.required("bandwidth_tbps", |value| at_least_0(float(value)?));
            let power = fields.nested("power_per_switch", sourced);
            Some(Switch { model: model?, count: count?, bandwidth: bandwidth?, power })
        })
    });
    Some(ScaleOut { present: present?, cabling, required_bandwidth, nics, switches })
}

fn at_least_0(value: f64) -> Result<f64, &'static str> {
    if value >= 0.0 { Ok(value) } else { Err("greater_than_equal") }
}

fn not_negative(value: &Value) -> Result<i128, &'static str> {
    int(value).and_then(|value| if value < 0 { Err("greater_than_equal") } else { Ok(value) })
}

fn positive(value: &Value) -> Result<i128, &'static str> {
    int(value).and_then(|value| if value <= 0 { Err("greater_than") } else { Ok(value) })
}

fn not_empty(value: &Value) -> Result<String, &'static str> {
    text(value).and_then(|text| if text.is_empty() { Err("string_too_short") } else { Ok(text) })
}
