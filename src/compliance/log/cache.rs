//! Cache legality: no turn took more of its prompt from the server's prefix cache than earlier
//! requests of this replay can have left there.
//!
//! What a server may have cached of a prompt follows from the salt. The marker before the system
//! prompt differs from pass to pass and the one behind it from conversation to conversation, so a
//! prompt begins like
//!
//! * the earlier prompts of its own trajectory, to their very end; with `generated_tokens: keep`
//!   also the reply that the server generated to them, as it may equal the recorded one;
//! * another conversation's prompt in the same pass, up to the conversation's marker: what the
//!   template puts first (the tools, with some), the pass's marker and the system prompt.
//!
//! The markers are of 16 bits; where those of two trajectories happen to be the same, their prompts
//! may begin alike to any length, and their first turns are not judged.
//!
//! Nothing else is shared: not with another pass, and not with another point, as long as the cache
//! is emptied between points. A turn behind an answered one is therefore held against the server's
//! own counts of its trajectory's earlier prompts, which needs no tokenizer. For a trajectory's
//! first turn the shared beginning is counted with the tokenizer where there is one; else it is
//! estimated from above by its share of the prompt's bytes. Servers round down to whole blocks.

use super::evidence::Fault;
use crate::wire::Usage;

/// Tokens that a template may put around the first tokens of a reply whatever the reply is, and
/// that a server may thus rightly have cached behind a prompt.
const SLACK: u64 = 32;
/// How many tokens a prompt has behind its shared beginning at least: the conversation's marker,
/// the ends of messages, and the first message of the user. With real tokenizers some 20; a
/// simulated one, which counts 4 bytes as a token, gives a short prompt no more than 12.
const OWN: u64 = 8;
/// By how much denser in tokens than the whole prompt its beginning may be, in percent.
const DENSITY_PERCENT: u64 = 150;
/// Tokens that a template adds before the system prompt.
const PREAMBLE: u64 = 64;
/// Most turns that a fault names.
const WORST: usize = 5;

/// How much of a first prompt others can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// Counted tokens.
    Exact(u64),
    /// Bytes of the shared beginning, and of the whole.
    Bytes(u64, u64),
    /// The prompt is not known.
    Unknown,
    /// Another trajectory's markers read the same, so that nothing tells the prompts apart but
    /// their texts.
    Whole,
}

/// Follows the server's cache.
#[derive(Debug)]
pub(super) struct Cache {
    /// Whether the server may reuse what it generated.
    kept: bool,
    examined: u64,
    over: u64,
    estimated: u64,
    worst: Vec<Over>,
}

/// A turn beyond the bound.
#[derive(Debug)]
struct Over {
    excess: u64,
    line: u64,
    text: String,
}

/// A turn whose reply tells the server's counts.
pub(super) struct Answered<'a> {
    /// The logical id.
    pub(super) session: &'a str,
    pub(super) turn: u32,
    pub(super) line: u64,
    pub(super) usage: Usage,
    /// The most prompt tokens of the trajectory's earlier turns, and of prompt and reply together.
    pub(super) before: Option<(u64, u64)>,
    pub(super) head: Head,
}

impl Cache {
    pub(super) fn new(kept: bool) -> Self {
        Self { kept, examined: 0, over: 0, estimated: 0, worst: Vec::new() }
    }

    /// Looks at a turn that was answered.
    pub(super) fn answered(&mut self, turn: &Answered<'_>) {
        let Some(cached) = turn.usage.cached_tokens else { return };
        self.examined += 1;
        let bound = self.bound(turn).min(turn.usage.prompt_tokens);
        if cached <= bound {
            return;
        }
        self.over += 1;
        self.estimated += u64::from(turn.before.is_none() && !matches!(turn.head, Head::Exact(_)));
        let excess = cached - bound;
        let Answered { session, turn: number, line, usage, .. } = turn;
        let text = format!(
            "{session} turn {number}: {cached} of {} prompt tokens cached, at most {bound} can be \
             (line {line})",
            usage.prompt_tokens
        );
        self.worst.push(Over { excess, line: *line, text });
        self.worst.sort_by_key(|over| (std::cmp::Reverse(over.excess), over.line));
        self.worst.truncate(WORST);
    }

    /// The most tokens that can rightly come from the cache.
    fn bound(&self, turn: &Answered<'_>) -> u64 {
        let prompt = turn.usage.prompt_tokens;
        match (turn.before, turn.head) {
            (Some((_, with_reply)), _) if self.kept => with_reply.saturating_add(SLACK),
            (Some((prompts, _)), _) => prompts.saturating_add(SLACK),
            (None, Head::Exact(tokens)) => tokens,
            (None, Head::Bytes(shared, whole)) => {
                let share = u128::from(prompt) * u128::from(shared) * u128::from(DENSITY_PERCENT)
                    / (100 * u128::from(whole.max(1)));
                let share = u64::try_from(share).unwrap_or(u64::MAX).saturating_add(PREAMBLE);
                share.min(prompt.saturating_sub(OWN))
            }
            (None, Head::Whole) => prompt,
            (None, Head::Unknown) => prompt.saturating_sub(OWN),
        }
    }

    /// The fault, if more turns are beyond the bound than were sent twice: a request that was sent
    /// again finds its own prompt.
    pub(super) fn faults(&self, resent: u64, faults: &mut Vec<Fault>) {
        if self.over <= resent {
            return;
        }
        let texts: Vec<&str> = self.worst.iter().map(|over| over.text.as_str()).collect();
        let basis = match self.estimated {
            0 => "counted".to_owned(),
            n => format!("estimated from above for {n} first turns, else counted"),
        };
        let fault = Fault::new("x-cache-legality", "fail")
            .with("count", self.over)
            .with("examined", self.examined)
            .with("found", texts.join("; "))
            .with("basis", basis)
            .at(self.worst.first().map(|over| over.line));
        faults.push(fault);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(cached: u64, before: Option<(u64, u64)>, head: Head) -> Answered<'static> {
        let usage = Usage {
            prompt_tokens: 1000,
            completion_tokens: 50,
            cached_tokens: Some(cached),
            reasoning_tokens: None,
        };
        Answered { session: "a", turn: 3, line: 7, usage, before, head }
    }

    fn is_legal(kept: bool, turn: &Answered<'_>) -> bool {
        let mut cache = Cache::new(kept);
        cache.answered(turn);
        assert_eq!(cache.examined, 1);
        let mut faults = Vec::new();
        cache.faults(0, &mut faults);
        faults.is_empty()
    }

    #[test]
    fn a_later_turn_may_reuse_its_trajectory_s_prompts() {
        let before = Some((800, 850));
        for (kept, cached, legal) in [
            (false, 800, true),
            (false, 832, true),
            (false, 833, false),
            (true, 882, true),
            (true, 883, false),
        ] {
            let turn = turn(cached, before, Head::Unknown);
            assert_eq!(is_legal(kept, &turn), legal, "{kept} {cached}");
        }
    }

    #[test]
    fn a_first_turn_may_reuse_what_stands_before_the_conversation_s_marker() {
        for (head, most) in [
            (Head::Exact(300), 300),
            (Head::Bytes(1000, 4000), 375 + 64),
            (Head::Bytes(3900, 4000), 992),
            (Head::Bytes(9, 0), 992),
            (Head::Unknown, 992),
            (Head::Whole, 1000),
        ] {
            assert!(is_legal(false, &turn(most, None, head)), "{head:?}");
            assert!(!is_legal(false, &turn(most + 1, None, head)), "{head:?}");
        }
    }

    #[test]
    fn more_than_the_prompt_is_never_legal() {
        assert!(!is_legal(true, &turn(1001, Some((5000, 5000)), Head::Exact(5000))));
    }

    #[test]
    fn the_worst_turns_come_first_and_a_resent_turn_is_excused() {
        let mut cache = Cache::new(false);
        for (line, cached) in [(10, 900), (20, 1000), (30, 950)] {
            let mut turn = turn(cached, Some((500, 500)), Head::Unknown);
            turn.line = line;
            cache.answered(&turn);
        }
        let mut faults = Vec::new();
        cache.faults(3, &mut faults);
        assert!(faults.is_empty());
        cache.faults(2, &mut faults);
        assert_eq!(faults[0].line, Some(20));
        let found = &faults[0].values.iter().find(|(name, _)| *name == "found").unwrap().1;
        assert!(found.starts_with("a turn 3: 1000 of 1000 prompt tokens cached, at most 532"));
    }
}
