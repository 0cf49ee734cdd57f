//! The table of mutants, by family.

mod accuracy;
mod curve;
mod engagement;
mod metrics;
mod other;
mod point;
mod power;
mod seeds;
mod single_turn;
mod submission;

use std::collections::BTreeSet;

use scenario::compliance::Rule;

use super::tree::Tree;

/// A submission with one fault.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    /// What must be found among the rest: severity, rule, key and path.
    pub(super) expected: &'static [&'static str],
    pub(super) make: fn(&Tree),
}

/// A line of the table.
pub(super) const fn m(
    name: &'static str,
    expected: &'static [&'static str],
    make: fn(&Tree),
) -> Mutant {
    Mutant { name, expected, make }
}

/// Every mutant.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    [
        submission::MUTANTS,
        power::MUTANTS,
        curve::MUTANTS,
        point::MUTANTS,
        seeds::MUTANTS,
        metrics::MUTANTS,
        engagement::MUTANTS,
        accuracy::MUTANTS,
        single_turn::MUTANTS,
        other::MUTANTS,
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_mutant_is_caught_where_it_is() {
    let (mut complaints, mut found) = (Vec::new(), String::new());
    for mutant in all() {
        let tree = Tree::new();
        (mutant.make)(&tree);
        let faults = tree.faults();
        for expected in mutant.expected {
            if !faults.iter().any(|fault| fault == expected) {
                complaints.push(format!("{}: no {expected:?} in {faults:#?}", mutant.name));
            }
        }
        found.push_str(mutant.name);
        for fault in &faults {
            found.push_str("\n  ");
            found.push_str(fault);
        }
        found.push('\n');
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    insta::assert_snapshot!("mutants", found);
}

#[test]
fn names_are_unique_and_every_official_rule_that_can_fail_has_a_mutant() {
    let names: BTreeSet<&str> = all().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), all().count());
    let caught: BTreeSet<&str> = all()
        .flat_map(|mutant| mutant.expected)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    // The first two never fail; the registries are files of their own, tested in `valid`.
    let exempt = [
        "streaming-config",
        "max-concurrency-declared",
        "seed-set-registry",
        "drafter-list-registry",
        "path-exists",
    ];
    let missing: Vec<&str> = Rule::all()
        .filter(|rule| rule.is_official())
        .map(|rule| rule.id)
        .filter(|id| !caught.contains(id) && !exempt.contains(id))
        .collect();
    assert_eq!(missing, [""; 0]);
}
