//! Which conversation is replayed when.

/// One trajectory of a replay: a conversation in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The conversation's index over all data sets.
    pub conversation: u32,
    /// How often the conversation was started with this one: the number of the pass, where each pass
    /// plays it once.
    pub pass: u32,
}

/// The trajectories of a replay in the order in which slots take them: whole passes one after the
/// other, cut off after `budget` trajectories.
pub fn sequence(passes: impl Iterator<Item = Vec<u32>>, budget: usize) -> Vec<Assignment> {
    let mut played: Vec<u32> = Vec::new();
    let number = |conversation: u32| {
        let index = conversation as usize;
        if played.len() <= index {
            played.resize(index + 1, 0);
        }
        played[index] += 1;
        Assignment { conversation, pass: played[index] }
    };
    passes.flatten().take(budget).map(number).collect()
}
