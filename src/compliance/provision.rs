//! A system's provisioned power, for those who write a descriptor: the arithmetic of the audit.

use super::document::{Map, Problem, Value, parse_json};
use super::model;
use super::power::{Computation, Sums};
use super::rules::power::facts;
use crate::ruleset::Ruleset;

/// What a power descriptor adds up to.
#[derive(Clone, Debug)]
pub struct Power {
    computation: Computation,
    kw: f64,
}

/// What a descriptor's components add up to, in watts, under the names of its `computed`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct PowerSums {
    /// Processors, accelerators, their networks and counted adapters.
    pub major_components_w: f64,
    /// What is added for everything else, as a fraction: by the cooling.
    pub overhead_fraction: f64,
    /// That fraction of the major components.
    pub other_components_w: f64,
    /// Nodes whose power is published.
    pub published_node_power_w: f64,
    /// Switches between nodes.
    pub scale_out_switch_power_w: f64,
    /// All of it.
    pub total_system_power_w: f64,
}

/// What is wrong with a field of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// The field, as a dotted path; empty for the document.
    pub field: String,
    /// What was found, and what is asked for.
    pub message: String,
}

impl Power {
    /// Adds a descriptor up; `description` is the system's, which knows processor cores. Both are
    /// JSON texts.
    ///
    /// # Errors
    /// What is wrong with the descriptor, figures that it states itself and that are not ours
    /// included.
    pub fn of(descriptor: &str, description: &str) -> Result<Self, Vec<FieldFault>> {
        let no_json = |message: String| vec![FieldFault { field: String::new(), message }];
        let parse = |text: &str| parse_json(text).map_err(|(reason, _)| no_json(reason));
        let value = parse(descriptor)?.value;
        let power = model::Power::read(&value).map_err(misfits)?;
        let defaults = &Ruleset::all()[0].power;
        let facts = match parse(description)?.value {
            Value::Map(map) => facts(&map, defaults),
            _ => facts(&Map::default(), defaults),
        };
        let cores = |node| facts.cores.get(&node).copied();
        let computation = Computation::new(&power, defaults, cores);
        let faults = computation.faults.iter().map(|fault| FieldFault {
            field: String::new(),
            message: format!("{}; required: {}", fault.problem, fault.required),
        });
        let faults: Vec<FieldFault> = faults.collect();
        match computation.kw {
            Some(kw) if faults.is_empty() => Ok(Self { computation, kw }),
            _ => Err(faults),
        }
    }

    /// The sums.
    pub fn sums(&self) -> PowerSums {
        let Sums { major, overhead_fraction, other, published, switches, total } =
            self.computation.sums;
        PowerSums {
            major_components_w: major,
            overhead_fraction,
            other_components_w: other,
            published_node_power_w: published,
            scale_out_switch_power_w: switches,
            total_system_power_w: total,
        }
    }

    /// The system's power in kilowatts, with two decimals.
    pub fn kw(&self) -> f64 {
        self.kw
    }

    /// Whether a published default reaches the total.
    pub fn is_estimated(&self) -> bool {
        !self.computation.estimated.is_empty()
    }

    /// The power of a point in kilowatts, with two decimals. `engaged` names, by kind of node, how
    /// many it uses; kinds that are not named are used in full.
    pub fn point_kw(&self, engaged: &[(u32, u32)]) -> f64 {
        let sets: Vec<(i128, i128)> = engaged
            .iter()
            .filter_map(|(ensemble, nodes)| {
                let of = |set: &&super::power::SetPower| set.ensemble == i128::from(*ensemble);
                let set = self.computation.sets.iter().find(of)?;
                Some((set.id, i128::from(*nodes)))
            })
            .collect();
        self.computation.point_kw(&sets).unwrap_or(self.kw)
    }
}

/// What the audit will find wrong with the text of a `system_desc.json`, field by field.
pub fn description_faults(description: &str) -> Vec<FieldFault> {
    match parse_json(description) {
        Ok(parsed) => model::System::read(&parsed.value).err().map(misfits).unwrap_or_default(),
        Err((message, _)) => vec![FieldFault { field: String::new(), message }],
    }
}

fn misfits(problems: Vec<Problem>) -> Vec<FieldFault> {
    let fault = |problem: Problem| FieldFault {
        message: format!("`{}` does not fit ({}): {}", problem.at, problem.key, problem.found),
        field: problem.at,
    };
    problems.into_iter().map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(name: &str) -> String {
        let root = "tests/fixtures/valid-submission";
        let mut left = vec![std::path::PathBuf::from(root)];
        while let Some(directory) = left.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().is_some_and(|found| found == name) {
                    return std::fs::read_to_string(path).unwrap();
                }
                if path.is_dir() {
                    left.push(path);
                }
            }
        }
        panic!("no {name} below {root}")
    }

    #[test]
    fn the_example_adds_up_to_what_it_states() {
        let descriptor = example("system_power.json");
        let power = Power::of(&descriptor, &example("system_desc.json")).unwrap();
        let stated: serde_json::Value = serde_json::from_str(&descriptor).unwrap();
        assert_eq!(serde_json::to_value(power.sums()).unwrap(), stated["computed"]);
        assert_eq!((power.kw(), power.is_estimated()), (30.26, false));
        assert_eq!((power.point_kw(&[]), power.point_kw(&[(0, 2)])), (30.26, 30.26));
        // One of two nodes: half of the nodes' power and of the switch's.
        assert_eq!(format!("{:.2}", power.point_kw(&[(0, 1)])), "15.13");
    }

    #[test]
    fn a_description_is_read_as_the_audit_reads_it() {
        let described = example("system_desc.json");
        assert_eq!(description_faults(&described), []);
        let renamed = described.replace("\"filesystem\"", "\"file_system\"");
        let faults = description_faults(&renamed);
        assert!(!faults.is_empty() && faults.iter().all(|f| f.message.contains("filesystem")));
        assert_eq!(description_faults("{").len(), 1);
    }

    #[test]
    fn a_figure_that_is_not_ours_is_a_fault() {
        let descriptor = example("system_power.json").replace("30258.0", "30000.0");
        let faults = Power::of(&descriptor, "{}").unwrap_err();
        assert_eq!(
            faults[0].message,
            "computed.total_system_power_w is 30000, recomputed 30258; required: the recomputed \
             value within 0.5 W"
        );
        let faults = Power::of("{\"cooling\": \"air\"}", "{}").unwrap_err();
        assert!(faults.iter().any(|fault| fault.field == "node_sets"), "{faults:?}");
        assert!(Power::of("{", "{}").is_err());
    }
}
