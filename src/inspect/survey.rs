//! Everything that is said of a data set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value as Json;

use super::kv::{KvCache, KvFootprint};
use super::messages;
use super::meter::{Counted, Meter, MeterError};
use super::prefix::Sharing;
use crate::accuracy::GroundTruth;
use crate::dataset::{Facts, Message, Spread, Statistics, Trajectory};

/// Different words of a vocabulary that are counted one by one.
const MAX_WORDS: usize = 1000;

/// The file that was looked into.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user named it.
    pub path: PathBuf,
    /// Its facts.
    pub facts: Facts,
}

/// The trajectories of one kind.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Counts and sizes in bytes.
    pub statistics: Statistics,
    /// ISL of each client turn, in tokens.
    pub isl: Spread,
    /// OSL of each recorded answer, in tokens.
    pub osl: Spread,
    /// How much longer a prompt is than the one before in its trajectory, in tokens.
    pub growth: Spread,
    /// In how many trajectories a tool is defined.
    pub tools_defined: BTreeMap<String, u64>,
    /// How many recorded answers name an intent code, in capitals.
    pub intents: BTreeMap<String, u64>,
    /// Turns that the inline scorer can score.
    pub scorable_turns: u64,
}

/// A data set, trajectory by trajectory.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Token counts are estimates.
    pub estimated: bool,
    /// Trajectories that are no workflows.
    pub coding: Group,
    /// Workflows: ids of `sim_` and digits.
    pub workflow: Group,
    /// What prompts share.
    pub sharing: Sharing,
    /// What contexts take.
    pub kv: KvCache,
    /// The slots asked for.
    pub slots: Vec<u32>,
    /// Bytes of a token in the KV cache, where known.
    pub kv_bytes_per_token: Option<u64>,
}

impl Survey {
    /// Takes a trajectory in.
    ///
    /// # Errors
    /// It cannot be counted.
    pub fn add(
        &mut self,
        trajectory: &Trajectory,
        meter: &mut Meter<'_>,
    ) -> Result<(), MeterError> {
        self.estimated = meter.is_estimate();
        let common = self.sharing.common(trajectory);
        let counted = meter.count(trajectory, common)?;
        self.sharing.add(trajectory, common, &counted);
        let contexts = counted.prompts.iter().zip(&counted.replies);
        self.kv.add(contexts.map(|(prompt, reply)| prompt + reply.unwrap_or(0)));
        let group = if trajectory.is_workflow() { &mut self.workflow } else { &mut self.coding };
        group.add(trajectory, &counted);
        Ok(())
    }

    /// The groups that are not empty, with their names.
    pub fn groups(&self) -> impl Iterator<Item = (&'static str, &Group)> {
        [("coding", &self.coding), ("workflow", &self.workflow)]
            .into_iter()
            .filter(|(_, group)| group.statistics.trajectories > 0)
    }

    /// What the slots asked for take.
    pub fn footprints(&self) -> Vec<KvFootprint> {
        let footprint = |slots: &u32| self.kv.footprint(*slots, self.kv_bytes_per_token);
        self.slots.iter().map(footprint).collect()
    }
}

impl Group {
    fn add(&mut self, trajectory: &Trajectory, counted: &Counted) {
        self.statistics.add(trajectory);
        for tokens in &counted.prompts {
            self.isl.add(*tokens);
        }
        for tokens in counted.replies.iter().flatten() {
            self.osl.add(*tokens);
        }
        for pair in counted.prompts.windows(2) {
            self.growth.add(pair[1].saturating_sub(pair[0]));
        }
        let mut defined = BTreeSet::new();
        let tools = trajectory.rows.iter().filter_map(|row| row.tools.as_deref());
        for tools in tools.chain(trajectory.tools.as_deref()).collect::<BTreeSet<_>>() {
            let tools = messages::parsed(Some(tools)).unwrap_or_default();
            let names =
                tools.as_array().into_iter().flatten().map(|tool| &tool["function"]["name"]);
            defined.extend(names.filter_map(Json::as_str).map(str::to_owned));
        }
        for name in defined {
            count(&mut self.tools_defined, name);
        }
        for row in &trajectory.rows {
            if let Message::Assistant { intent_codes, .. } = &row.message {
                let codes = intent_codes.iter().filter(|code| !code.is_empty());
                let codes: BTreeSet<String> = codes.map(|code| code.to_uppercase()).collect();
                for code in codes {
                    count(&mut self.intents, code);
                }
            }
        }
        let mut truth = GroundTruth::default();
        truth.add(trajectory);
        self.scorable_turns += truth.scorable_turns() as u64;
    }
}

fn count(words: &mut BTreeMap<String, u64>, word: String) {
    let known = words.contains_key(&word) || words.len() < MAX_WORDS;
    let word = if known { word } else { "(others)".to_owned() };
    *words.entry(word).or_default() += 1;
}
