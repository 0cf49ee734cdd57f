//! How much a plan sends, what of it a prefix cache could reuse, and how long it may take.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

use super::library::{Library, Turn};
use crate::clock::Nanos;
use crate::plan::Assignment;

/// What the turns of a sequence add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Requests.
    pub requests: u64,
    /// Bytes of all request bodies.
    pub bytes: u64,
    /// Of these, bytes that repeat the beginning of an earlier body: of the turn before in the
    /// same conversation and pass, or the salted system prompt of another conversation in the same
    /// pass. A perfect prefix cache would compute none of them again.
    pub shareable_bytes: u64,
    /// Bytes of the longest body.
    pub longest: u64,
    /// Bytes of all recorded replies, as they stand in the history.
    pub reply_bytes: u64,
    /// The sum of all delays, in nanoseconds.
    pub delays: Nanos,
}

impl Volume {
    /// The volume of `sequence`; `delay` tells what becomes of a recorded delay.
    pub fn of(
        library: &Arc<Library>,
        sequence: &[Assignment],
        delay: impl Fn(Nanos) -> Nanos,
    ) -> Self {
        let mut volume = Self::default();
        let mut heads = HashSet::new();
        for assignment in sequence {
            let session = library.session(assignment.conversation, assignment.pass);
            let mut before = None;
            for (index, turn) in session.turns().iter().enumerate() {
                let body = session.body(index);
                let head = (body.open.len() + body.system.len()) as u64;
                volume.shareable_bytes += match before {
                    Some(history) => body.shared_len() + history,
                    None if heads.insert((body.open.clone(), body.system.clone())) => 0,
                    None => head,
                };
                before = Some(body.history.len() as u64);
                volume.requests += 1;
                volume.bytes += body.len();
                volume.longest = volume.longest.max(body.len());
                volume.reply_bytes += turn.reply_bytes();
                volume.delays = volume.delays.saturating_add(delay(turn.delay));
            }
        }
        volume
    }
}

impl Turn {
    /// The length of the recorded reply as it stands in the history; 0 where the data set has
    /// none.
    pub fn reply_bytes(&self) -> u64 {
        self.reply.as_ref().map_or(0, |reply| reply.len() as u64)
    }
}

/// How long a replay may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Until the performance window closes, in nanoseconds.
    pub window: Nanos,
    /// Until the last conversation ends, in nanoseconds.
    pub total: Nanos,
}

/// Plays the slots through: each takes the next trajectory of `sequence` as soon as it is free,
/// and holds it for as long as `length` says.
pub fn expected_duration(
    sequence: &[Assignment],
    slots: u32,
    mut length: impl FnMut(Assignment) -> Nanos,
) -> Expected {
    let slots = (slots as usize).min(sequence.len());
    let mut free: BinaryHeap<Reverse<Nanos>> = (0..slots).map(|_| Reverse(0)).collect();
    for assignment in sequence {
        let Some(Reverse(at)) = free.pop() else { break };
        free.push(Reverse(at.saturating_add(length(*assignment))));
    }
    // The window closes when the first slot finds no trajectory left.
    let window = free.peek().map_or(0, |Reverse(at)| *at);
    let total = free.iter().map(|Reverse(at)| *at).max().unwrap_or(0);
    Expected { window, total }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Message, Row, Trajectory};
    use crate::prompt::{LibraryBuilder, PromptOptions, RequestTemplate};

    fn sequence(count: u32) -> Vec<Assignment> {
        (0..count).map(|conversation| Assignment { conversation, pass: 1 }).collect()
    }

    #[test]
    fn slots_take_the_next_trajectory_when_free() {
        let length = |assignment: Assignment| [5, 1, 1, 1][assignment.conversation as usize];
        let of = |slots| expected_duration(&sequence(4), slots, length);
        assert_eq!(of(1), Expected { window: 8, total: 8 });
        assert_eq!(of(2), Expected { window: 3, total: 5 });
        assert_eq!(of(99), Expected { window: 1, total: 5 });
        assert_eq!(expected_duration(&[], 3, length), Expected::default());
    }

    #[test]
    fn what_repeats_an_earlier_body_is_shareable() {
        let trajectory = |id: &str| Trajectory {
            id: id.to_owned(),
            system: Some("system".to_owned()),
            tools: None,
            max_tokens: None,
            rows: vec![user(1, "one"), user(3, "two")],
        };
        let template = RequestTemplate::new("m", Vec::new(), false);
        let mut builder = LibraryBuilder::new(template, PromptOptions::default(), 0);
        builder.add(0, &trajectory("a")).unwrap();
        builder.add(0, &trajectory("b")).unwrap();
        let library = Arc::new(builder.finish());
        let volume = Volume::of(&library, &sequence(2), |delay| delay / 2);

        let session = library.session(0, 1);
        let (first, second) = (session.body(0), session.body(1));
        // The system prompt up to the salt that names the conversation.
        let head =
            br#"{"model":"m","messages":[{"role":"system","content":"[salt: 4461]\n\nsystem"#;
        // Everything but the closing of the body.
        let whole = first.len() - br#"],"stream":true}"#.len() as u64;
        assert_eq!(volume.shareable_bytes, head.len() as u64 + 2 * whole);
        assert_eq!(volume.requests, 4);
        assert_eq!(volume.bytes, 2 * (first.len() + second.len()));
        assert_eq!(volume.longest, second.len());
        assert_eq!((volume.reply_bytes, volume.delays), (0, 2_000_000_000));
    }

    fn user(turn: u32, content: &str) -> Row {
        let message = Message::User { content: content.to_owned() };
        let delay = Some(std::time::Duration::from_secs(1));
        Row { line: 1, turn, message, delay, tools: None }
    }
}
