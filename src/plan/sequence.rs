//! Which conversation is replayed when.

/// One trajectory of a replay: a conversation in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The conversation's index over all data sets.
    pub conversation: u32,
    /// The pass, from 1.
    pub pass: u32,
}

/// The trajectories of a replay in the order in which slots take them: whole passes one after the
/// other, cut off after `budget` trajectories.
pub fn sequence(passes: impl Iterator<Item = Vec<u32>>, budget: usize) -> Vec<Assignment> {
    let numbered = passes.zip(1_u32..);
    numbered
        .flat_map(|(conversations, pass)| {
            conversations.into_iter().map(move |conversation| Assignment { conversation, pass })
        })
        .take(budget)
        .collect()
}
