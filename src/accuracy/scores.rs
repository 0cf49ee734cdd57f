//! Inline scores as data, and as the reference client's scores.json.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::actions::Action;
use super::ground_truth::Domain;
use super::python_json;

/// The inline score of a run with everything it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineScores {
    /// The mean over all scorable turns that were issued, a fraction rounded to four decimals;
    /// none when there are none.
    pub score: Option<f64>,
    /// How many turns.
    pub turns: TurnCounts,
    /// The domains that have scored turns.
    pub domains: Vec<DomainScore>,
    /// Every scored turn, ordered by conversation, pass and turn.
    pub per_turn: Vec<TurnScore>,
    /// Expected turns without ground truth, ordered by conversation and turn.
    pub excluded: Vec<ExcludedTurn>,
    /// Passes with an issued, expected turn.
    pub passes: usize,
}

/// How many turns a score comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct TurnCounts {
    /// Issued turns that a recorded answer follows.
    pub issued: usize,
    /// Of these, the ones with ground truth.
    pub expected: usize,
    /// Of these, the ones with a reply.
    pub observed: usize,
    /// The ones without; each scores 0.
    pub missing: usize,
    /// All that were scored.
    pub scored: usize,
}

/// The mean of one domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainScore {
    /// Which.
    pub domain: Domain,
    /// The mean, a fraction rounded to four decimals.
    pub score: f64,
    /// Over so many turns.
    pub scored: usize,
}

/// One scored turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnScore {
    /// The source id.
    pub conversation: String,
    /// The pass, from 1.
    pub pass: u64,
    /// The turn of the recorded answer.
    pub turn: u32,
    /// The turn of the request.
    pub client_turn: u32,
    /// No reply was received.
    pub missing: bool,
    /// Expected and found.
    pub found: Comparison,
    /// A fraction rounded to four decimals.
    pub score: f64,
}

/// What was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Programs called, in order.
    Actions {
        /// In the recorded answer.
        expected: Vec<Action>,
        /// In the reply.
        found: Vec<Action>,
    },
    /// Intents named.
    Intents {
        /// Any of these is right.
        expected: Arc<BTreeSet<String>>,
        /// In the reply.
        found: Option<String>,
    },
}

/// An expected turn that cannot be scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedTurn {
    /// The source id.
    pub conversation: String,
    /// The turn of the recorded answer.
    pub turn: u32,
    /// The conversation's domain.
    pub domain: Domain,
}

impl Comparison {
    /// The domain that is compared so.
    pub fn domain(&self) -> Domain {
        match self {
            Self::Actions { .. } => Domain::Coding,
            Self::Intents { .. } => Domain::Workflow,
        }
    }
}

impl InlineScores {
    /// scores.json, byte for byte as the reference client writes it.
    pub fn to_json(&self) -> Vec<u8> {
        python_json::to_vec(self)
    }
}

impl Serialize for InlineScores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("score", &self.score)?;
        map.serialize_entry("turns", &self.turns)?;
        map.serialize_entry("domains", &Domains(&self.domains))?;
        map.serialize_entry("per_turn", &self.per_turn)?;
        if !self.excluded.is_empty() {
            map.serialize_entry("excluded_turns", &self.excluded)?;
        }
        map.end()
    }
}

/// The domains as an object.
pub(super) struct Domains<'a>(pub(super) &'a [DomainScore]);

impl Serialize for Domains<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Entry {
            score: f64,
            scored: usize,
        }
        serializer.collect_map(self.0.iter().map(|domain| {
            let DomainScore { score, scored, domain } = *domain;
            (domain.name(), Entry { score, scored })
        }))
    }
}

impl Serialize for TurnScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("conversation_id", &self.conversation)?;
        map.serialize_entry("repeat", &self.pass)?;
        map.serialize_entry("turn", &self.turn)?;
        map.serialize_entry("domain", &self.found.domain())?;
        if self.missing {
            map.serialize_entry("missing", &true)?;
        }
        match &self.found {
            Comparison::Actions { expected, found } => {
                map.serialize_entry("gt_actions", expected)?;
                map.serialize_entry("model_actions", found)?;
            }
            Comparison::Intents { expected, found } => {
                map.serialize_entry("gt_intents", &**expected)?;
                map.serialize_entry("model_intent", found)?;
            }
        }
        map.serialize_entry("score", &self.score)?;
        map.end()
    }
}

impl Serialize for ExcludedTurn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("conversation_id", &self.conversation)?;
        map.serialize_entry("turn", &self.turn)?;
        map.serialize_entry("domain", &self.domain)?;
        map.serialize_entry("exclude_reason", "no ground truth")?;
        map.end()
    }
}
