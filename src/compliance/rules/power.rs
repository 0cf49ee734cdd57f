//! The power descriptor of a system.

use std::collections::{BTreeMap, BTreeSet};

use super::super::context::{Context, Kind, System};
use super::super::document::{Map, State, Value};
use super::super::finding::Sink;
use super::super::model::Power;
use super::super::power::Computation;
use crate::ruleset::PowerDefaults;

/// What the descriptor is checked against.
#[derive(Default)]
pub(in super::super) struct Facts {
    overhead: Option<f64>,
    pub(in super::super) cores: BTreeMap<i128, i128>,
    ensembles: BTreeSet<i128>,
    accelerators: BTreeMap<i128, i128>,
    division: Option<String>,
}

/// Judges the descriptor; gives what it adds up to, where nothing is wrong with it.
pub(in super::super) fn descriptor(
    context: &Context<'_>,
    system: &System,
    sink: &mut Sink,
) -> Option<Computation> {
    const RULE: &str = "power-descriptor";
    let defaults = &context.ruleset.power;
    let facts = system.description().map(|map| facts(map, defaults)).unwrap_or_default();
    let document = &system.power;
    let path = &document.path;
    if !document.is_file {
        let optional = matches!(facts.division.as_deref(), Some("rdi" | "serviced"));
        if optional {
            sink.pass(RULE, path);
        } else if context.kind == Kind::Submission || document.exists() {
            sink.add(RULE, "fail", path);
        }
        return None;
    }
    let power = match &document.state {
        State::Parsed(value) => match Power::read(value) {
            Ok(power) => power,
            Err(problems) => {
                sink.misfits(RULE, path, &problems);
                return None;
            }
        },
        State::Absent | State::Unusable(..) => {
            sink.unusable(RULE, document);
            return None;
        }
    };
    let own = defaults.overhead(power.cooling);
    if let Some(described) = facts.overhead.filter(|described| (described - own).abs() > 1e-9) {
        sink.add(RULE, "fail-2", path)
            .with("cooling", power.cooling)
            .with("overhead", described)
            .field("cooling");
    }
    let named = power.node_sets.iter().map(|set| set.ensemble).collect::<BTreeSet<_>>();
    let unknown: Vec<String> = named.difference(&facts.ensembles).map(i128::to_string).collect();
    if !facts.ensembles.is_empty() && !unknown.is_empty() {
        sink.add(RULE, "warn", path).with("unknown", unknown.join(", ")).field("node_sets");
    }
    let mut computation =
        Computation::new(&power, defaults, |ensemble| facts.cores.get(&ensemble).copied());
    for fault in &computation.faults {
        sink.add(RULE, "computation-problem", path)
            .with("problem", &fault.problem)
            .with("required", fault.required);
    }
    for warning in &computation.warnings {
        sink.add(RULE, "computation-warning", path)
            .with("problem", &warning.problem)
            .with("required", warning.required);
    }
    computation.kw?;
    for set in &mut computation.sets {
        let described = facts.accelerators.get(&set.ensemble).copied();
        set.accelerators_per_node = set.accelerators_per_node.or(described);
    }
    if !computation.estimated.is_empty() {
        let estimates = computation.estimated.join("; ");
        sink.add("power-estimated", "warn", path).with("estimates", estimates);
    }
    sink.pass(RULE, path);
    Some(computation)
}

/// What a description says about cooling, nodes and division.
pub(in super::super) fn facts(description: &Map, defaults: &PowerDefaults) -> Facts {
    let mut facts = Facts::default();
    let mut fractions = Vec::new();
    let mut cooled = |value: Option<&Value>| {
        let text = value.and_then(Value::as_text);
        fractions.extend(text.and_then(|text| defaults.described_overhead(text)));
    };
    cooled(description.get("cooling"));
    let nodes = description.get("node_types").and_then(Value::as_list).unwrap_or_default();
    for node in nodes.iter().filter_map(Value::as_map) {
        cooled(node.get("cooling"));
        let ensemble = match node.get("system_node_ensemble_id") {
            Some(Value::Text(text)) => text.trim().parse().ok().filter(|id: &i128| *id >= 0),
            other => other.and_then(Value::loose_int),
        };
        let Some(ensemble) = ensemble else { continue };
        facts.ensembles.insert(ensemble);
        let cores = node.get("host_processor_core_count").and_then(Value::loose_int);
        facts.cores.extend(cores.map(|cores| (ensemble, cores)));
        facts.accelerators.extend(accelerators(node).map(|count| (ensemble, count)));
    }
    // Nodes that are cooled differently count as cooled by air.
    let differ = fractions.iter().any(|other| (other - fractions[0]).abs() > 1e-9);
    facts.overhead = if differ { Some(defaults.air_overhead) } else { fractions.first().copied() };
    facts.division =
        description.get("division").and_then(Value::as_text).map(|text| text.trim().to_lowercase());
    facts
}

/// The accelerators of a node, over its list or on the node itself.
fn accelerators(node: &Map) -> Option<i128> {
    let list = node.get("accelerator_info").and_then(Value::as_list).unwrap_or_default();
    let count = |map: &Map| map.get("accelerators_per_node").and_then(Value::strict_int);
    let counts: Vec<i128> = if list.is_empty() {
        count(node).into_iter().collect()
    } else {
        list.iter().filter_map(Value::as_map).filter_map(count).collect()
    };
    (!counts.is_empty()).then(|| counts.iter().fold(0_i128, |sum, n| sum.saturating_add(*n)))
}
