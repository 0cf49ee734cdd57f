//! What of the prompts a prefix cache may share.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::meter::Counted;
use crate::dataset::{Message, Row, Trajectory};
use crate::digest::Sha256Stream;

/// Half a SHA-256.
type Mark = [u8; 16];

/// Prompt tokens of one pass under one choice of salt, as a perfect prefix cache would see them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reuse {
    /// Of all prompts.
    pub prompt_tokens: u64,
    /// Of these, tokens that the prompt before in the same trajectory began with.
    pub within_trajectories: u64,
    /// Further ones that a prompt of an earlier trajectory began with.
    pub across_trajectories: u64,
}

impl Reuse {
    /// Tokens that must be computed at least once.
    pub fn to_prefill(&self) -> u64 {
        self.prompt_tokens
            .saturating_sub(self.within_trajectories)
            .saturating_sub(self.across_trajectories)
    }
}

/// Both choices.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// `cache: { salt: true }`: trajectories share their system prompt up to the second marker.
    pub salted: Reuse,
    /// `cache: { salt: false }`: trajectories share whatever they begin with alike.
    pub unsalted: Reuse,
    /// Chains of messages that a trajectory began with.
    chains: HashSet<Mark>,
    /// How often a system prompt, and one together with tools, was seen.
    heads: HashMap<Mark, u32>,
}

impl Sharing {
    /// How many messages of this trajectory an earlier one began with, the tools being equal.
    pub(super) fn common(&self, trajectory: &Trajectory) -> usize {
        chains(trajectory).iter().take_while(|mark| self.chains.contains(*mark)).count()
    }

    /// Takes a trajectory in, of which the first `common` messages were known.
    pub(super) fn add(&mut self, trajectory: &Trajectory, common: usize, counted: &Counted) {
        let (system, with_tools) = heads(trajectory);
        let mut seen = |mark: Mark| {
            let times = self.heads.entry(mark).or_default();
            *times += 1;
            *times > 1
        };
        let known = [seen(system) && trajectory.system.is_some(), seen(with_tools)];
        let mut messages = usize::from(trajectory.system.is_some());
        let mut turn = 0;
        for row in &trajectory.rows {
            messages += count(row);
            if !row.is_client_turn() {
                continue;
            }
            let prompt = counted.prompts.get(turn).copied().unwrap_or(0);
            let kept = match turn {
                0 => 0,
                _ => counted.kept.get(turn - 1).copied().unwrap_or(0).min(prompt),
            };
            let head = |which: usize| if known[which] { counted.head[which] } else { 0 };
            let salted = head(0);
            // Beyond the head whole messages may be known, but not beyond this prompt.
            let chain = if common >= messages { prompt } else { counted.until };
            let unsalted = head(1).max(head(0)).max(chain);
            for (reuse, shared) in [(&mut self.salted, salted), (&mut self.unsalted, unsalted)] {
                reuse.prompt_tokens += prompt;
                reuse.within_trajectories += kept;
                reuse.across_trajectories += shared.min(prompt).saturating_sub(kept);
            }
            turn += 1;
        }
        self.chains.extend(chains(trajectory));
    }
}

fn count(row: &Row) -> usize {
    match &row.message {
        Message::Tool { results } => results.len(),
        _ => 1,
    }
}

/// The marks of the system prompt, and of the system prompt and the tools.
fn heads(trajectory: &Trajectory) -> (Mark, Mark) {
    let mut state = Sha256Stream::new();
    part(&mut state, b's', trajectory.system.as_deref());
    let system = half(&state);
    part(&mut state, b't', trajectory.tools.as_deref());
    (system, half(&state))
}

/// The marks of the first 1, 2, 3, … messages, the tools included.
fn chains(trajectory: &Trajectory) -> Vec<Mark> {
    let mut state = Sha256Stream::new();
    part(&mut state, b't', trajectory.tools.as_deref());
    let mut marks = Vec::new();
    if let Some(system) = &trajectory.system {
        part(&mut state, b's', Some(system));
        marks.push(half(&state));
    }
    for row in &trajectory.rows {
        if let Some(tools) = &row.tools {
            part(&mut state, b't', Some(tools));
        }
        match &row.message {
            Message::User { content } => part(&mut state, b'u', Some(content)),
            Message::Assistant { content, reasoning, tool_calls, .. } => {
                part(&mut state, b'a', content.as_deref());
                part(&mut state, b'r', reasoning.as_deref());
                part(&mut state, b'c', tool_calls.as_deref());
            }
            Message::Tool { results } => {
                for result in results {
                    part(&mut state, b'i', Some(&result.tool_call_id));
                    part(&mut state, b'o', Some(&result.content));
                    marks.push(half(&state));
                }
                continue;
            }
        }
        marks.push(half(&state));
    }
    marks
}

fn part(state: &mut Sha256Stream, kind: u8, text: Option<&str>) {
    state.update(&[kind]);
    match text {
        Some(text) => {
            state.update(&(text.len() as u64).to_le_bytes());
            state.update(text.as_bytes());
        }
        None => state.update(&u64::MAX.to_le_bytes()),
    }
}

fn half(state: &Sha256Stream) -> Mark {
    let mut half = [0; 16];
    half.copy_from_slice(&state.clone().finish()[..16]);
    half
}
