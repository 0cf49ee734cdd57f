//! How much of the system a point engages, and its throughput for that power.

use std::path::Path;

use super::super::context::PointFiles;
use super::super::document::{Map, Value};
use super::super::finding::Sink;
use super::super::model::{Point, Summary};
use super::super::power::{Computation, SetPower};
use super::metrics::is_off;

const NODES_USED: &str = "nodes-used";
const ENGAGEMENT: &str = "maximal-engagement";

/// A point's degrees of parallelism.
struct Parallelism {
    data: i128,
    /// Accelerators of one replica.
    replica: i128,
    disaggregated: bool,
}

impl Parallelism {
    /// From the point's own description; none when it states no degree at all.
    fn of(description: &Map) -> Option<Self> {
        let empty = Map::default();
        let summary = description.get("config_summary").and_then(Value::as_map).unwrap_or(&empty);
        let stated = |field: &str| description.get(field).or_else(|| summary.get(field));
        let degree = |field: &str| stated(field).and_then(Value::strict_int);
        let [tensor, pipeline, expert, data] =
            ["tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"]
                .map(degree);
        if [tensor, pipeline, expert, data].iter().all(Option::is_none) {
            return None;
        }
        let disaggregated = match stated("disaggregated") {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::Int(count)) => *count > 1,
            _ => false,
        };
        let product = |a: i128, b: Option<i128>| a.saturating_mul(b.unwrap_or(1));
        let replica = product(product(tensor.unwrap_or(1), pipeline), expert);
        Some(Self { data: data.unwrap_or(1), replica, disaggregated })
    }

    fn accelerators(&self) -> i128 {
        self.data.saturating_mul(self.replica)
    }
}

/// Every rule about a point's nodes and power.
pub(in super::super) fn check(
    files: &PointFiles,
    point: &Point,
    summary: &Summary,
    power: &Computation,
    sink: &mut Sink,
) {
    const RULE: &str = "metric-consistency-tps-per-kw";
    const FIELD: &str = "system_tps_per_kw";
    let parallelism = files.system.map().and_then(Parallelism::of);
    let path = files.point.path.as_path();
    let engaged = nodes_used(point, parallelism.as_ref(), power, path, sink);
    maximal(point, parallelism.as_ref(), power, path, sink);
    let Some(kw) = engaged.and_then(|engaged| power.point_kw(&engaged)).filter(|kw| *kw > 0.0)
    else {
        return;
    };
    let (path, derived) = (files.summary.path.as_path(), summary.system_tps() / kw);
    let stored = summary.document.get(FIELD).and_then(Value::number);
    match stored.filter(|stored| is_off(*stored, derived)) {
        Some(stored) => {
            sink.add(RULE, "fail", path)
                .with("found", stored)
                .with("derived", derived)
                .with("kw", kw)
                .field(FIELD);
        }
        None => sink.pass(RULE, path),
    }
}

/// The declared nodes by node set; none when the declaration is invalid.
fn nodes_used(
    point: &Point,
    parallelism: Option<&Parallelism>,
    power: &Computation,
    path: &Path,
    sink: &mut Sink,
) -> Option<Vec<(i128, i128)>> {
    let Some(declared) = &point.nodes_used else { return Some(Vec::new()) };
    let (mut problems, mut engaged, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for entry in declared {
        let (ensemble, nodes) = (entry.ensemble, entry.nodes);
        if seen.contains(&ensemble) {
            problems.push(format!("ensemble {ensemble} stands twice"));
            continue;
        }
        seen.push(ensemble);
        let sets: Vec<&SetPower> = power.sets.iter().filter(|s| s.ensemble == ensemble).collect();
        let [set] = sets.as_slice() else {
            problems.push(format!("ensemble {ensemble} is that of {} node sets", sets.len()));
            continue;
        };
        if nodes < 1 || nodes > set.nodes {
            problems.push(format!("{nodes} of {} nodes of ensemble {ensemble}", set.nodes));
            continue;
        }
        engaged.push((set.id, nodes));
    }
    let mut spare = None;
    if problems.is_empty() {
        match capacity(parallelism, power, &engaged) {
            Err(problem) => problems.push(problem),
            Ok(found) => spare = found,
        }
    }
    if let Some(spare) = spare {
        sink.add(NODES_USED, "warn", path).with("spare", spare).field("nodes_used");
    }
    if problems.is_empty() {
        sink.pass(NODES_USED, path);
        return Some(engaged);
    }
    sink.add(NODES_USED, "fail", path).with("problems", problems.join("; ")).field("nodes_used");
    None
}

/// Whether the declared nodes hold the parallelism; `Ok` with a text when a node could be spared.
fn capacity(
    parallelism: Option<&Parallelism>,
    power: &Computation,
    engaged: &[(i128, i128)],
) -> Result<Option<String>, String> {
    let Some(parallelism) = parallelism.filter(|p| !p.disaggregated) else { return Ok(None) };
    let nodes = |set: &SetPower| {
        engaged.iter().find(|(id, _)| *id == set.id).map_or(set.nodes, |(_, nodes)| *nodes)
    };
    let mut capacity = 0_i128;
    for set in &power.sets {
        let Some(each) = set.accelerators_per_node else { return Ok(None) };
        capacity = capacity.saturating_add(nodes(set).saturating_mul(each));
    }
    let used = parallelism.accelerators();
    if capacity < used {
        return Err(format!("{capacity} accelerators in the declared nodes, {used} in use"));
    }
    let spare = power.sets.iter().any(|set| {
        nodes(set) > 0 && capacity - set.accelerators_per_node.unwrap_or_default() >= used
    });
    let text = format!("{capacity} accelerators in the declared nodes, only {used} in use");
    Ok(spare.then_some(text))
}

/// Whether the point replicates as far as it fits.
fn maximal(
    point: &Point,
    parallelism: Option<&Parallelism>,
    power: &Computation,
    path: &Path,
    sink: &mut Sink,
) {
    let Some(parallelism) = parallelism else {
        sink.add(ENGAGEMENT, "warn", path);
        return;
    };
    if parallelism.disaggregated {
        sink.add(ENGAGEMENT, "warn-2", path);
        return;
    }
    let provisioned = power.sets.iter().try_fold(0_i128, |sum, set| {
        Some(sum.saturating_add(set.nodes.saturating_mul(set.accelerators_per_node?)))
    });
    let Some(provisioned) = provisioned else {
        sink.add(ENGAGEMENT, "warn-3", path);
        return;
    };
    let (dp, replica) = (parallelism.data, parallelism.replica);
    if replica < 1 || dp < 1 {
        sink.add(ENGAGEMENT, "fail", path).with("replica", replica).with("dp", dp);
        return;
    }
    let maximum = provisioned.div_euclid(replica);
    let shortfall = point.dp_shortfall.as_ref();
    let key = match (dp.cmp(&maximum), shortfall) {
        (std::cmp::Ordering::Greater, _) => "fail-2",
        (std::cmp::Ordering::Equal, None) => "pass",
        (std::cmp::Ordering::Equal, Some(_)) => "shortfall-unneeded",
        (std::cmp::Ordering::Less, None) => "fail-3",
        (std::cmp::Ordering::Less, Some(s)) if s.actual != dp || s.formula != maximum => "fail-4",
        (std::cmp::Ordering::Less, Some(_)) => "warn-5",
    };
    let stated = shortfall.map_or_else(String::new, |s| format!("{} of {}", s.actual, s.formula));
    let reason = shortfall.map_or("", |shortfall| shortfall.reason.as_str());
    sink.add(ENGAGEMENT, key, path)
        .with("dp", dp)
        .with("maximum", maximum)
        .with("stated", stated)
        .with("reason", reason);
}
