//! The published registries: seed sets and approved drafters, embedded or from a file.

use std::path::Path;

use crate::ruleset::{Cohort, Ruleset};

use super::document::{Document, Folder, Map, State, Value};

/// How a drafter's weights are named in a point's disclosure.
const REVISION: &str = "git-sha1:";

/// The registries of an audit.
#[derive(Clone, Debug)]
pub struct Registries {
    pub(super) seed_sets: Result<Vec<SeedSet>, String>,
    pub(super) drafters: Result<Vec<Drafter>, String>,
}

/// A published seed set.
#[derive(Clone, Debug)]
pub(super) struct SeedSet {
    pub(super) id: String,
    /// Scheduler, sample index and model seed.
    pub(super) seeds: [i128; 3],
    /// Cohorts that may adopt it; empty when none is stated.
    pub(super) cohorts: Vec<String>,
}

/// The fields of a set's seeds.
pub(super) const SEED_FIELDS: [&str; 3] =
    ["scheduler_rng_seed", "sample_index_rng_seed", "model_seed"];

/// An approved drafter.
#[derive(Clone, Debug)]
pub(super) struct Drafter {
    pub(super) benchmark: String,
    pub(super) approved_cohort: Option<String>,
    pub(super) weight_checksum: Option<String>,
    pub(super) target_checksum: Option<String>,
    pub(super) configuration: Map,
}

impl Drafter {
    /// Whether a point's disclosure means this drafter.
    pub(super) fn matches(&self, declared: &Map) -> bool {
        let is =
            |field: &str, text: &str| declared.get(field).and_then(Value::as_text) == Some(text);
        match (&self.weight_checksum, &self.target_checksum) {
            (Some(checksum), _) => is("weight_checksum", checksum),
            (None, Some(checksum)) => {
                let configuration = declared.get("configuration").and_then(Value::as_map);
                is("target_checksum", checksum)
                    && !self.configuration.is_empty()
                    && configuration.is_some_and(|stated| stated.equals(&self.configuration))
            }
            (None, None) => false,
        }
    }

    /// The first cohort that may use it.
    pub(super) fn earliest(&self, lead: u32) -> Option<Cohort> {
        let approved = self.approved_cohort.as_deref()?.trim().parse::<Cohort>().ok()?;
        Some(approved.later(lead))
    }
}

impl Registries {
    /// The registries of a ruleset, or the ones in these files.
    pub fn load(ruleset: &Ruleset, seed_sets: Option<&Path>, drafters: Option<&Path>) -> Self {
        let own_seeds = || {
            let sets = ruleset.seed_sets.iter().map(|set| SeedSet {
                id: set.id.clone(),
                seeds: [set.scheduler_rng_seed, set.sample_index_rng_seed, set.model_seed]
                    .map(i128::from),
                cohorts: set.adoptable.clone(),
            });
            Ok(sets.collect())
        };
        Self {
            seed_sets: seed_sets.map_or_else(own_seeds, |path| {
                read(path)
                    .and_then(|value| seeds(&value, ruleset.seed_set_cohorts))
                    .map_err(|why| named(path, &why))
            }),
            drafters: drafters.map_or_else(
                || Ok(embedded_drafters(ruleset)),
                |path| read(path).and_then(|value| list(&value)).map_err(|why| named(path, &why)),
            ),
        }
    }
}

fn named(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

/// The drafters of a ruleset's models, and those of the other benchmarks.
fn embedded_drafters(ruleset: &Ruleset) -> Vec<Drafter> {
    let drafter = |benchmark: &str, revision: &str| Drafter {
        benchmark: benchmark.to_owned(),
        approved_cohort: Some(ruleset.drafters_approved.clone()),
        weight_checksum: Some(format!("{REVISION}{revision}")),
        target_checksum: None,
        configuration: Map::default(),
    };
    let own = ruleset.models.iter().flat_map(|model| {
        model
            .drafters
            .iter()
            .map(|checkpoint| (model.canonical.as_str(), checkpoint.revision.as_str()))
    });
    let others = ruleset.single_turn.drafters.iter();
    let others = others.map(|one| (one.benchmark.as_str(), one.revision.as_str()));
    own.chain(others).map(|(benchmark, revision)| drafter(benchmark, revision)).collect()
}

/// The value of a registry file.
fn read(path: &Path) -> Result<Value, String> {
    // The user's own file: it may be anywhere.
    let Document { state, .. } = Folder::new(Path::new("/")).yaml(path.to_owned());
    match state {
        State::Absent => Err("no such file".to_owned()),
        State::Unusable(_, reason) => Err(reason),
        State::Parsed(value) => Ok(value),
    }
}

/// Seed sets in either published shape.
fn seeds(value: &Value, cohorts: u32) -> Result<Vec<SeedSet>, String> {
    let Value::Map(map) = value else { return Err("the registry must be a mapping".to_owned()) };
    let inner = map.get("cohort").and_then(Value::as_map);
    let entries = inner.unwrap_or(map).get("seed_sets").and_then(Value::as_list);
    let entries = entries.ok_or("the registry must have a list `seed_sets`")?;
    let published = inner.and_then(|inner| inner.given("cohort-id")).map(plain);
    let window = match published {
        None => Vec::new(),
        Some(text) => {
            let first: Cohort =
                text.trim().parse().map_err(|_| format!("cohort-id {text:?} is no cohort"))?;
            (0..cohorts).map(|steps| first.later(steps).to_string()).collect()
        }
    };
    let mut sets: Vec<SeedSet> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let entry = entry.as_map().ok_or_else(|| format!("seed_sets[{i}] is no mapping"))?;
        let id = entry.get("id").and_then(Value::as_text).filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| format!("seed_sets[{i}] has no id"))?;
        let mut seeds = [0; 3];
        for (seed, field) in seeds.iter_mut().zip(SEED_FIELDS) {
            let value = entry.get(field).and_then(Value::to_int);
            *seed = value.ok_or_else(|| format!("seed set {id:?} has no whole number {field}"))?;
        }
        let cohorts = match entry.given("cohorts") {
            None => window.clone(),
            Some(Value::List(items)) => items.iter().map(plain).collect(),
            Some(_) => return Err(format!("the cohorts of seed set {id:?} are no list")),
        };
        sets.retain(|set| set.id != id);
        sets.push(SeedSet { id: id.to_owned(), seeds, cohorts });
    }
    if sets.is_empty() { Err("the registry has no seed sets".to_owned()) } else { Ok(sets) }
}

/// Approved drafters.
fn list(value: &Value) -> Result<Vec<Drafter>, String> {
    if matches!(value, Value::Null) {
        return Ok(Vec::new());
    }
    let entries = value.as_map().and_then(|map| map.get("drafters")).and_then(Value::as_list);
    let entries = entries.ok_or("the list must be a mapping with a list `drafters`")?;
    let mut drafters = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let entry = entry.as_map().ok_or_else(|| format!("drafters[{i}] is no mapping"))?;
        let benchmark = entry.get("benchmark").and_then(Value::as_text);
        let benchmark = benchmark.filter(|name| !name.is_empty());
        let benchmark = benchmark.ok_or_else(|| format!("drafters[{i}] has no benchmark"))?;
        let text = |field: &str| entry.given(field).map(plain);
        let configuration = entry.get("configuration").and_then(Value::as_map).cloned();
        let drafter = Drafter {
            benchmark: benchmark.to_owned(),
            approved_cohort: text("approved_cohort"),
            weight_checksum: text("weight_checksum"),
            target_checksum: text("target_checksum"),
            configuration: configuration.unwrap_or_default(),
        };
        if drafter.weight_checksum.is_none() && drafter.target_checksum.is_none() {
            return Err(format!("drafters[{i}] has neither weight_checksum nor target_checksum"));
        }
        drafters.push(drafter);
    }
    Ok(drafters)
}

/// A scalar as text.
fn plain(value: &Value) -> String {
    value.as_text().map_or_else(|| value.show(), str::to_owned)
}
