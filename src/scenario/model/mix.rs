//! `mix`: how data sets become passes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the data sets are mixed into passes. A pass holds every trajectory of the mix once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mix {
    /// The order of the trajectories in a pass.
    pub order: Order,
    /// How many trajectories to take from a data set, from its start; all of one that is not
    /// named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("additionalProperties" = { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 }))]
    pub take: BTreeMap<String, u32>,
    /// The share of a data set among the trajectories that are played, by its weight; 1 for one that
    /// is not named. A pass then plays every trajectory of the mix at least once, and goes round in
    /// the data sets that are too small for their share. Without weights each is played once.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("additionalProperties" = { "type": "integer", "minimum": 1, "maximum": 100 }))]
    pub weights: BTreeMap<String, u32>,
    /// Whole passes over the mix.
    #[schemars(range(min = 1, max = 100_000))]
    pub passes: u32,
    /// Trajectories to start instead of whole passes; for debugging, never within a ruleset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub trajectories: Option<u32>,
    /// Seed of the shuffled order, as in Python's `random.Random(seed)`.
    pub seed: u64,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            order: Order::default(),
            take: BTreeMap::new(),
            weights: BTreeMap::new(),
            passes: 1,
            trajectories: None,
            seed: 42,
        }
    }
}

impl Mix {
    /// The weight of a data set.
    pub fn weight(&self, dataset: &str) -> u32 {
        self.weights.get(dataset).copied().unwrap_or(1).max(1)
    }

    /// How many trajectories of each data set one pass plays, where they have these weights and as
    /// many trajectories: each as often as its weight times the fewest rounds that play everything.
    pub fn plays(&self, sets: &[(u32, u64)]) -> Vec<u64> {
        if self.weights.is_empty() {
            return sets.iter().map(|(_, size)| *size).collect();
        }
        let rounds = sets.iter().map(|(weight, size)| size.div_ceil(u64::from(*weight)));
        let rounds = rounds.max().unwrap_or(0);
        let plays = |(weight, size): &(u32, u64)| match size {
            0 => 0,
            _ => rounds.saturating_mul(u64::from(*weight)),
        };
        sets.iter().map(plays).collect()
    }
}

/// The order of the trajectories in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Data set after data set, each in file order.
    Sequential,
    /// The data sets dealt in proportion to their sizes, each in file order.
    #[default]
    Interleaved,
    /// Each pass drawn anew without replacement, seeded, as the reference client does.
    Shuffled,
}
