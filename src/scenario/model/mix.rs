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
            passes: 1,
            trajectories: None,
            seed: 42,
        }
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
