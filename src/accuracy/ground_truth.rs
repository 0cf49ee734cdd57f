//! What the recorded answers say that a reply should do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::actions::Action;
use super::calls;
use crate::dataset::{Limits, Message, ReadError, Reader, SharedIds, Trajectory};
use crate::diagnostics::Diagnostic;

/// The two kinds of work in the benchmark's data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// Software tasks with a `bash` tool; scored by the programs that are called.
    Coding,
    /// Customer workflows; scored by the intent that is named.
    Workflow,
}

impl Domain {
    /// Both, in the order of files and tables.
    pub const ALL: [Self; 2] = [Self::Coding, Self::Workflow];

    /// The word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Workflow => "workflow",
        }
    }
}

/// The expected turns of the data sets of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroundTruth {
    conversations: BTreeMap<String, Conversation>,
    client_turns: u64,
}

/// The expected turns of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) domain: Domain,
    /// By the turn of the client row that each answers.
    pub(super) turns: BTreeMap<u32, Expected>,
}

/// A recorded answer that directly follows a client turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// The answer's own turn.
    pub(super) turn: u32,
    /// What to compare with; none excludes the turn.
    pub(super) truth: Option<Truth>,
}

/// What to compare a reply with. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// Shared with every score that comes from it.
    Intents(Arc<BTreeSet<String>>),
    Actions(Vec<Action>),
}

/// A data set file whose trajectories are expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruthSource {
    /// The file.
    pub path: PathBuf,
    /// How many trajectories of it were played, from its start; none means all.
    pub take: Option<u32>,
    /// Its name in the scenario, by which conversations with shared ids are called; none for the file
    /// of another client.
    pub name: Option<String>,
}

/// What reading data sets gave.
#[derive(Clone, Debug, Default)]
pub struct TruthRead {
    /// The expected turns of all files. Trajectories with errors are left out, as a replay leaves
    /// them out.
    pub truth: GroundTruth,
    /// What is wrong with the files.
    pub diagnostics: Vec<Diagnostic>,
    /// The SHA-256 of each file; none where it could not be read to its end.
    pub digests: Vec<Option<String>>,
}

impl GroundTruth {
    /// Reads data set files, one trajectory in memory at a time.
    ///
    /// # Errors
    /// A file cannot be opened. What is wrong inside becomes diagnostics.
    pub fn read(sources: &[TruthSource]) -> Result<TruthRead, ReadError> {
        let mut read = TruthRead::default();
        let mut ids = SharedIds::default();
        let mut found = Vec::new();
        for (index, source) in (0..).zip(sources) {
            let mut reader = Reader::open(&source.path, Limits::default())?;
            let mut left = source.take.unwrap_or(u32::MAX);
            while let Some(trajectory) = reader.next_trajectory() {
                if source.name.is_some() {
                    ids.add(index, &trajectory.id);
                }
                if left > 0 {
                    left -= 1;
                    let conversation = read.truth.conversation(&trajectory);
                    found.push((source, trajectory.id, conversation));
                }
            }
            read.digests.push(reader.finish().sha256);
            read.diagnostics.extend_from_slice(reader.diagnostics());
        }
        for (source, id, conversation) in found {
            let id = source.name.as_ref().map_or_else(|| id.clone(), |name| ids.name(name, &id));
            read.truth.conversations.insert(id, conversation);
        }
        Ok(read)
    }

    /// Adds a trajectory; one with the same id is replaced.
    pub fn add(&mut self, trajectory: &Trajectory) {
        let conversation = self.conversation(trajectory);
        self.conversations.insert(trajectory.id.clone(), conversation);
    }

    /// What is expected of a trajectory, whose requests are counted.
    fn conversation(&mut self, trajectory: &Trajectory) -> Conversation {
        let domain = if trajectory.is_workflow() { Domain::Workflow } else { Domain::Coding };
        let mut turns = BTreeMap::new();
        for pair in trajectory.rows.windows(2) {
            if pair[0].is_client_turn() && !pair[1].is_client_turn() {
                let truth = truth(domain, &pair[1].message);
                turns.insert(pair[0].turn, Expected { turn: pair[1].turn, truth });
            }
        }
        let sent = trajectory.rows.iter().filter(|row| row.is_client_turn()).count();
        self.client_turns += sent as u64;
        Conversation { domain, turns }
    }

    /// Requests in one pass.
    pub fn client_turns(&self) -> u64 {
        self.client_turns
    }

    /// Turns that can be scored in one pass.
    pub fn scorable_turns(&self) -> usize {
        let turns =
            self.conversations.values().flat_map(|conversation| conversation.turns.values());
        turns.filter(|expected| expected.truth.is_some()).count()
    }

    /// Whether a conversation of this source id is expected.
    pub fn contains(&self, id: &str) -> bool {
        self.conversations.contains_key(id)
    }

    /// Every source id, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.conversations.keys().map(String::as_str)
    }

    pub(super) fn conversations(&self) -> impl Iterator<Item = (&str, &Conversation)> {
        self.conversations.iter().map(|(id, conversation)| (id.as_str(), conversation))
    }

    pub(super) fn expected(&self, id: &str, client_turn: u32) -> Option<(Domain, &Expected)> {
        let conversation = self.conversations.get(id)?;
        conversation.turns.get(&client_turn).map(|expected| (conversation.domain, expected))
    }
}

fn truth(domain: Domain, answer: &Message) -> Option<Truth> {
    let Message::Assistant { tool_calls, intent_codes, .. } = answer else { return None };
    match domain {
        Domain::Workflow => {
            let codes = intent_codes.iter().filter(|code| !code.is_empty());
            let codes: BTreeSet<String> = codes.map(|code| code.to_uppercase()).collect();
            (!codes.is_empty()).then_some(Truth::Intents(Arc::new(codes)))
        }
        Domain::Coding => {
            let actions = calls::of_recorded(tool_calls.as_deref()?);
            (!actions.is_empty()).then_some(Truth::Actions(actions))
        }
    }
}
