//! What a whole file holds, counted while it is read.

use std::time::Duration;

use super::model::{Message, Trajectory};
use super::source::Compression;

/// Counts over the readable part of a data set file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How the file is stored.
    pub compression: Compression,
    /// SHA-256 of the file's bytes as stored, 64 hex digits; none when it could not be read to
    /// its end.
    pub sha256: Option<String>,
    /// Bytes of the file as stored.
    pub stored_bytes: u64,
    /// Bytes of its text.
    pub uncompressed_bytes: u64,
    /// Rows of conversations, metadata rows left out.
    pub rows: u64,
    /// Dropped rows with `_type: dataset_metadata`.
    pub metadata_rows: u64,
    /// Usable trajectories.
    pub trajectories: u64,
    /// Trajectories left out because a finding of severity error belongs to them.
    pub broken_trajectories: u64,
    /// Usable trajectories whose id is `sim_` and digits.
    pub workflow_trajectories: u64,
    /// Requests that one pass over the usable trajectories sends.
    pub client_turns: u64,
    /// Recorded answers in the usable trajectories.
    pub assistant_turns: u64,
    /// Recorded answers with reasoning.
    pub reasoning_turns: u64,
    /// Recorded answers with ground truth in `intent_codes`.
    pub intent_turns: u64,
    /// The most client turns of one trajectory.
    pub longest_trajectory: u64,
    /// Usable trajectories without a system prompt; they cannot be salted.
    pub without_system: u64,
    /// The id of the first of them.
    pub first_without_system: Option<String>,
    /// The sum of all recorded delays of one pass.
    pub total_delay: Duration,
    /// The longest recorded delay.
    pub longest_delay: Duration,
}

impl Facts {
    pub(super) fn new(compression: Compression) -> Self {
        Self {
            compression,
            sha256: None,
            stored_bytes: 0,
            uncompressed_bytes: 0,
            rows: 0,
            metadata_rows: 0,
            trajectories: 0,
            broken_trajectories: 0,
            workflow_trajectories: 0,
            client_turns: 0,
            assistant_turns: 0,
            reasoning_turns: 0,
            intent_turns: 0,
            longest_trajectory: 0,
            without_system: 0,
            first_without_system: None,
            total_delay: Duration::ZERO,
            longest_delay: Duration::ZERO,
        }
    }

    /// Counts a usable trajectory.
    pub(super) fn add(&mut self, trajectory: &Trajectory) {
        self.trajectories += 1;
        self.workflow_trajectories += u64::from(trajectory.is_workflow());
        if trajectory.system.is_none() {
            self.without_system += 1;
            self.first_without_system.get_or_insert_with(|| trajectory.id.clone());
        }
        let mut client_turns = 0;
        for row in &trajectory.rows {
            if let Message::Assistant { reasoning, intent_codes, .. } = &row.message {
                self.assistant_turns += 1;
                self.reasoning_turns +=
                    u64::from(reasoning.as_ref().is_some_and(|r| !r.is_empty()));
                self.intent_turns += u64::from(!intent_codes.is_empty());
            } else {
                client_turns += 1;
                let delay = row.delay.unwrap_or_default();
                self.total_delay = self.total_delay.saturating_add(delay);
                self.longest_delay = self.longest_delay.max(delay);
            }
        }
        self.client_turns += client_turns;
        self.longest_trajectory = self.longest_trajectory.max(client_turns);
    }
}
