//! The arithmetic of provisioned power: what a system is built to draw, and what a point engages.

use super::model::{
    Components, Device, Method, NodeSet, Power, ScaleOut, ScaleUp, ScaleUpMethod, Sourced,
};
use crate::ruleset::PowerDefaults;

/// How far a stated figure may be from the recomputed one, in watts.
const TOLERANCE_W: f64 = 0.5;
/// The same for the kilowatts that are stated with two decimals.
const TOLERANCE_KW: f64 = 0.005;
/// How far bandwidths may differ, in terabits a second.
const TOLERANCE_BANDWIDTH: f64 = 1e-6;

/// A fault of the descriptor: what was found, and what is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) problem: String,
    pub(super) required: &'static str,
}

/// What a descriptor adds up to.
#[derive(Clone, Debug, Default)]
pub(super) struct Computation {
    /// The system's power in kilowatts with two decimals; absent where anything is wrong.
    pub(super) kw: Option<f64>,
    pub(super) sets: Vec<SetPower>,
    /// The sums, in the words of the file's `computed`.
    pub(super) sums: Sums,
    /// Whether a declared figure governs, which has no shares by set.
    declared: bool,
    switches_w: f64,
    /// Defaults that reach the total.
    pub(super) estimated: Vec<String>,
    pub(super) faults: Vec<Fault>,
    pub(super) warnings: Vec<Fault>,
}

/// The sums of a descriptor, in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) major: f64,
    pub(super) overhead_fraction: f64,
    pub(super) other: f64,
    pub(super) published: f64,
    pub(super) switches: f64,
    pub(super) total: f64,
}

/// One node set's share.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetPower {
    pub(super) id: i128,
    pub(super) ensemble: i128,
    pub(super) nodes: i128,
    watts: f64,
    pub(super) accelerators_per_node: Option<i128>,
}

/// What the sums gather on their way.
struct Tally<'a> {
    defaults: &'a PowerDefaults,
    estimated: Vec<String>,
    /// Absent figures without a default; faults only where they reach the total.
    gaps: Vec<Fault>,
    faults: Vec<Fault>,
}

impl<'a> Tally<'a> {
    fn new(defaults: &'a PowerDefaults) -> Self {
        Self { defaults, estimated: Vec::new(), gaps: Vec::new(), faults: Vec::new() }
    }

    fn fault(&mut self, problem: String, required: &'static str) {
        self.faults.push(Fault { problem, required });
    }

    /// A figure in watts, or its default (watts and table) where it is absent.
    fn watts(
        &mut self,
        label: &str,
        value: Option<&Sourced>,
        default: Option<(f64, &str)>,
    ) -> Option<f64> {
        match (value, default) {
            (Some(value), _) => {
                if value.watts.is_none() {
                    self.fault(format!("{label} is an energy per bit"), "a power in W or kW");
                } else if let Some(table) = &value.default_of {
                    self.estimated.push(format!("{label} (default of {table})"));
                }
                value.watts
            }
            (None, Some((watts, table))) => {
                self.estimated.push(format!("{label} (absent, default of {table})"));
                Some(watts)
            }
            (None, None) => {
                let problem = format!("{label} is absent and has no default in Appendix D");
                self.gaps.push(Fault { problem, required: "a sourced power" });
                None
            }
        }
    }
}

/// Rounds to two decimals, by the exact binary value and with ties to even.
fn round2(value: f64) -> f64 {
    format!("{value:.2}").parse().unwrap_or(value)
}

#[expect(clippy::cast_precision_loss, reason = "counts of nodes and devices are small")]
fn real(value: i128) -> f64 {
    value as f64
}

impl Computation {
    /// Adds a descriptor up. `cores` knows the processor cores by ensemble.
    pub(super) fn new(
        power: &Power,
        defaults: &PowerDefaults,
        cores: impl Fn(i128) -> Option<i128>,
    ) -> Self {
        let mut out = Self::default();
        let mut tally = Tally::new(defaults);
        let overhead = defaults.overhead(power.cooling);
        let ids: std::collections::BTreeSet<i128> = power.node_sets.iter().map(|s| s.id).collect();
        if ids.len() < power.node_sets.len() {
            out.fault("two node sets have the same node_set_id".to_owned(), "unique ids");
        }
        let mut watts: Vec<(f64, f64)> = Vec::new();
        for set in &power.node_sets {
            let major = if set.method == Method::ComponentSum {
                out.component_sum(set, cores(set.ensemble), &mut tally)
            } else {
                0.0
            };
            let published = out.published(set, &mut tally);
            watts.push((major, published));
        }
        let nic_w = out.scale_out(power, &mut tally);
        for (set, (major, _)) in power.node_sets.iter().zip(&mut watts) {
            if carries_nics(&power.scale_out, set) {
                *major += real(set.nodes) * nic_w;
            }
        }
        let major: f64 = watts.iter().map(|(major, _)| major).sum();
        let published: f64 = watts.iter().map(|(_, published)| published).sum();
        let other = overhead * major;
        out.sets = power
            .node_sets
            .iter()
            .zip(&watts)
            .map(|(set, (major, published))| SetPower {
                id: set.id,
                ensemble: set.ensemble,
                nodes: set.nodes,
                watts: (1.0 + overhead) * major + published,
                accelerators_per_node: set
                    .components
                    .as_ref()
                    .and_then(|components| components.accelerator.as_ref())
                    .map(|accelerator| accelerator.count),
            })
            .collect();
        out.faults.append(&mut tally.faults);
        let total = major + other + published + out.switches_w;
        out.sums = Sums {
            major,
            overhead_fraction: overhead,
            other,
            published,
            switches: out.switches_w,
            total,
        };
        out.total(power, total, &mut tally);
        if out.faults.is_empty() && tally.gaps.is_empty() {
            let ours = [major, other, published, out.switches_w, total];
            out.disagreements(power, overhead, ours);
        }
        if !out.faults.is_empty() {
            out.kw = None;
        }
        out
    }

    fn fault(&mut self, problem: String, required: &'static str) {
        self.faults.push(Fault { problem, required });
    }

    fn warn(&mut self, problem: String, required: &'static str) {
        self.warnings.push(Fault { problem, required });
    }

    /// The figure that governs: the declared one, else the total.
    fn total(&mut self, power: &Power, total_w: f64, tally: &mut Tally<'_>) {
        let Some(declared) = &power.declared else {
            self.faults.extend(tally.gaps.iter().cloned());
            self.estimated.append(&mut tally.estimated);
            if self.faults.is_empty() {
                self.kw = Some(round2(total_w / 1000.0));
            }
            return;
        };
        self.declared = true;
        match declared.watts {
            None => {
                let problem = "declared_provisioned_power is an energy per bit".to_owned();
                self.fault(problem, "a power in W or kW");
            }
            Some(watts) => {
                self.kw = Some(round2(watts / 1000.0));
                if declared.default_of.is_some() {
                    self.estimated.push("declared_provisioned_power".to_owned());
                }
            }
        }
    }

    /// The watts of a set that is the sum of its parts.
    fn component_sum(&mut self, set: &NodeSet, cores: Option<i128>, tally: &mut Tally<'_>) -> f64 {
        let label = format!("node_sets[{}]", set.id);
        let Some(components) = &set.components else {
            self.fault(format!("{label} is a component_sum without components"), "components");
            return 0.0;
        };
        let node = node_watts(components, cores, &format!("{label}.components"), tally);
        node.map_or(0.0, |watts| real(set.nodes) * watts)
    }

    /// The watts of a set whose power is published.
    fn published(&mut self, set: &NodeSet, tally: &mut Tally<'_>) -> f64 {
        if set.method == Method::ComponentSum {
            return 0.0;
        }
        let (label, method) = (format!("node_sets[{}]", set.id), set.method.name());
        let Some(published) = &set.published else {
            self.fault(format!("{label} is {method} without published_power"), "published_power");
            return 0.0;
        };
        let label = format!("{label}.published_power");
        let Some(watts) = tally.watts(&label, Some(published), None) else { return 0.0 };
        if set.method == Method::PublishedSystem {
            return real(set.nodes) * watts;
        }
        if let Some(rack) = set.rack_nodes.filter(|rack| *rack > set.nodes) {
            return watts * (real(set.nodes) / real(rack));
        }
        let rack = set.rack_nodes.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        let problem =
            format!("node_sets[{}] scales {} nodes from a rack of {rack}", set.id, set.nodes);
        self.fault(problem, "nodes_in_published_rack above nodes_provisioned");
        0.0
    }

    /// Adds the switches, and gives the watts of the counted network adapters of a node.
    fn scale_out(&mut self, power: &Power, tally: &mut Tally<'_>) -> f64 {
        self.is_fabric_declared(power);
        let fabric = &power.scale_out;
        if !fabric.present {
            return 0.0;
        }
        let (Some(required), Some(nics), Some(switches), Some(cabling)) =
            (fabric.required_bandwidth, &fabric.nics, &fabric.switches, fabric.cabling)
        else {
            let problem = "scale_out is present without all of its parts".to_owned();
            self.fault(problem, "cabling, required_bandwidth_tbps, nics and switches");
            return 0.0;
        };
        let by_formula = power.node_sets.iter().any(|set| set.method == Method::ComponentSum);
        let mut nic_w = 0.0;
        if nics.counted {
            if !by_formula && !nics.excluded {
                let problem = "scale_out.nics are counted, but every node's power is published";
                self.fault(problem.to_owned(), "excluded_from_published_power as evidence");
            }
            let default = tally.defaults.nic();
            let each = tally.watts("scale_out.nics.tdp_per_nic", nics.tdp.as_ref(), default);
            nic_w = each.map_or(0.0, |watts| real(nics.count) * watts);
        } else if by_formula {
            let problem = "scale_out.nics are not counted, but nodes are sums of parts".to_owned();
            self.fault(problem, "counted: true");
        }
        let nodes: i128 = power.node_sets.iter().map(|set| set.nodes).sum();
        let sum = real(nodes) * real(nics.count) * nics.gbps / 1000.0;
        let found =
            format!("scale_out.required_bandwidth_tbps is {required}, the adapters' sum {sum}");
        if required < sum - TOLERANCE_BANDWIDTH {
            self.fault(found, "nodes x adapters x Gb/s / 1000");
        } else if required > sum + TOLERANCE_BANDWIDTH {
            self.warn(found, "nodes x adapters x Gb/s / 1000");
        }
        let required = required.max(sum);
        let mut offered = 0.0;
        for (i, switch) in switches.iter().enumerate() {
            let label = format!("scale_out.switches[{i}].power_per_switch");
            let default = tally.defaults.switch(&switch.model, cabling);
            if let Some(watts) = tally.watts(&label, switch.power.as_ref(), default) {
                self.switches_w += real(switch.count) * watts;
            }
            offered += real(switch.count) * switch.bandwidth;
        }
        if offered < required - TOLERANCE_BANDWIDTH {
            let problem = format!("scale_out.switches offer {offered} Tb/s of {required}");
            self.fault(problem, "at least the required bandwidth");
        }
        nic_w
    }

    /// Whether `scale_out.present` fits the number of nodes and what else may join them.
    fn is_fabric_declared(&mut self, power: &Power) {
        let nodes: i128 = power.node_sets.iter().map(|set| set.nodes).sum();
        match (power.scale_out.present, nodes) {
            (true, 1) => {
                let problem = "scale_out is present with a single node".to_owned();
                self.warn(problem, "present: false for a single node");
            }
            (true, _) | (false, 1) => {}
            (false, _) => {
                let alone = |set: &NodeSet| {
                    let scale_up = set.components.as_ref().and_then(|c| c.scale_up.as_ref());
                    set.method == Method::ComponentSum
                        && scale_up.is_some_and(|up| up.method == ScaleUpMethod::None)
                };
                let required = "a scale-out network, or a scale-up network that spans the nodes";
                if power.node_sets.iter().all(alone) {
                    self.fault(format!("nothing joins the {nodes} nodes"), required);
                } else {
                    self.warn(format!("{nodes} nodes without scale_out"), required);
                }
            }
        }
    }

    /// Compares what the submitter computed.
    fn disagreements(&mut self, power: &Power, overhead: f64, ours: [f64; 5]) {
        let names = [
            "major_components_w",
            "other_components_w",
            "published_node_power_w",
            "scale_out_switch_power_w",
            "total_system_power_w",
        ];
        for (name, value) in names.into_iter().zip(ours) {
            let stated = power.computed.iter().find(|(stated, _)| *stated == name);
            let Some((_, stated)) =
                stated.filter(|(_, stated)| (stated - value).abs() > TOLERANCE_W)
            else {
                continue;
            };
            let problem = format!("computed.{name} is {stated}, recomputed {value}");
            self.fault(problem, "the recomputed value within 0.5 W");
        }
        if let Some(stated) = power.overhead_fraction.filter(|f| (f - overhead).abs() > 1e-9) {
            let problem =
                format!("computed.overhead_fraction is {stated}, for {} {overhead}", power.cooling);
            self.fault(problem, "0.3 for liquid, 0.5 for air");
        }
        if let (Some(stated), Some(kw)) = (power.provisioned_power_kw, self.kw)
            && (stated - kw).abs() > TOLERANCE_KW
        {
            let problem = format!("provisioned_power_kw is {stated}, recomputed {kw}");
            self.fault(problem, "the recomputed value within 0.005 kW");
        }
    }

    /// The power of a point that engages these nodes, by node set; a set that is not named is
    /// engaged in full.
    pub(super) fn point_kw(&self, engaged: &[(i128, i128)]) -> Option<f64> {
        let kw = self.kw?;
        let fraction = |set: &SetPower| {
            let used = engaged.iter().find(|(id, _)| *id == set.id).map_or(set.nodes, |(_, n)| *n);
            (used == set.nodes, real(used) / real(set.nodes))
        };
        if self.sets.iter().all(|set| fraction(set).0) {
            return Some(kw);
        }
        if self.declared {
            let largest = self.sets.iter().map(|set| fraction(set).1).fold(0.0, f64::max);
            return Some(round2(kw * largest));
        }
        let nodes: f64 = self.sets.iter().map(|set| real(set.nodes) * fraction(set).1).sum();
        let provisioned: f64 = self.sets.iter().map(|set| real(set.nodes)).sum();
        let watts: f64 = self.sets.iter().map(|set| set.watts * fraction(set).1).sum();
        Some(round2((watts + self.switches_w * nodes / provisioned) / 1000.0))
    }
}

fn carries_nics(fabric: &ScaleOut, set: &NodeSet) -> bool {
    let Some(nics) = fabric.nics.as_ref().filter(|nics| fabric.present && nics.counted) else {
        return false;
    };
    set.method == Method::ComponentSum || nics.excluded
}

/// The watts of one node from its parts.
fn node_watts(
    parts: &Components,
    cores: Option<i128>,
    label: &str,
    tally: &mut Tally<'_>,
) -> Option<f64> {
    let mut devices = Some(0.0);
    if let Some(combined) = &parts.combined {
        let tdp = |device: &Option<Device>| device.as_ref().is_some_and(|d| d.tdp.is_some());
        if tdp(&parts.cpu) || tdp(&parts.accelerator) {
            let problem = format!("{label} has combined_cpu_accelerator and a tdp_per_unit");
            tally.fault(problem, "one of the two");
        }
        devices = tally.watts(&format!("{label}.combined_cpu_accelerator"), Some(combined), None);
    } else {
        let (Some(cpu), Some(accelerator)) = (&parts.cpu, &parts.accelerator) else {
            let problem = format!("{label} lacks cpu or accelerator");
            tally.fault(problem, "both, or combined_cpu_accelerator");
            return None;
        };
        for (name, device, default) in [
            ("cpu", cpu, tally.defaults.cpu(cpu.model.as_deref(), cores)),
            ("accelerator", accelerator, tally.defaults.accelerator(accelerator.model.as_deref())),
        ] {
            let label = format!("{label}.{name}.tdp_per_unit");
            let watts = tally.watts(&label, device.tdp.as_ref(), default);
            let sum = devices.zip(watts);
            devices = sum.map(|(sum, watts)| sum + real(device.count) * watts);
        }
    }
    let Some(scale_up) = &parts.scale_up else {
        tally.fault(format!("{label} has no scale_up_network"), "scale_up_network");
        return None;
    };
    let network = scale_up_watts(scale_up, &format!("{label}.scale_up_network"), tally);
    devices.zip(network).map(|(devices, network)| devices + network)
}

fn scale_up_watts(network: &ScaleUp, label: &str, tally: &mut Tally<'_>) -> Option<f64> {
    match network.method {
        ScaleUpMethod::None => Some(0.0),
        ScaleUpMethod::DeclaredTdp => {
            let Some(switches) = network.switches else {
                tally
                    .fault(format!("{label} is declared_tdp without switch_count"), "switch_count");
                return None;
            };
            let each = tally.watts(&format!("{label}.tdp_per_switch"), network.tdp.as_ref(), None);
            each.map(|watts| real(switches) * watts)
        }
        ScaleUpMethod::BandwidthEstimate => {
            let Some(bandwidth) = network.bandwidth else {
                let problem = format!("{label} is bandwidth_estimate without a bandwidth");
                tally.fault(problem, "aggregate_bandwidth_tbps, in terabytes a second");
                return None;
            };
            let Some(energy) = &network.energy else {
                let problem = format!("{label}.energy_per_bit_pj is absent and has no default");
                tally.gaps.push(Fault { problem, required: "a sourced value_pj" });
                return None;
            };
            let Some(picojoules) = energy.picojoules else {
                tally.fault(format!("{label}.energy_per_bit_pj is a power"), "value_pj");
                return None;
            };
            if let Some(table) = &energy.default_of {
                tally.estimated.push(format!("{label}.energy_per_bit_pj (default of {table})"));
            }
            // Terabytes a second despite the field's name: 8 bits a byte.
            Some(bandwidth * 8.0 * picojoules)
        }
    }
}
