//! How many trajectories, turns and bytes a set gets.

use std::fmt;
use std::str::FromStr;

use super::draw::Draw;

/// What a generated set looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Software work with a shell: deep, histories grow fast.
    Coding,
    /// A web shop's first-line support: a large shared system prompt, short answers, intents.
    Workflow,
    /// The official set's mix: 113 coding and 500 workflow trajectories with 30,335 client and
    /// 30,328 assistant turns, about 59 MB.
    OfficialShape,
}

/// What to generate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The kind of set.
    pub profile: Profile,
    /// Sets of different seeds share no conversation.
    pub seed: u64,
    /// Multiplies the number of trajectories, and with it everything else.
    pub scale: Scale,
    /// Client turns of the average trajectory, instead of the profile's.
    pub turns: Option<u64>,
    /// Bytes in the file of the longest conversations, instead of the profile's.
    pub context: Option<u64>,
}

/// A positive factor with up to six decimals, kept in millionths so that no float is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(u64);

/// Why a text is no scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number from 0.000001 to 1000 with at most six decimals, such as 0.1")]
pub struct ScaleError;

const MILLION: u64 = 1_000_000;

impl Default for Scale {
    fn default() -> Self {
        Self(MILLION)
    }
}

impl FromStr for Scale {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Self, ScaleError> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(part) || whole.len() > 4 || part.len() > 6 {
            return Err(ScaleError);
        }
        let number = |text: &str| text.parse::<u64>().map_err(|_| ScaleError);
        let millionths = number(whole)? * MILLION + number(&format!("{part:0<6}"))?;
        if (1..=1000 * MILLION).contains(&millionths) {
            Ok(Self(millionths))
        } else {
            Err(ScaleError)
        }
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / MILLION, format!("{:06}", self.0 % MILLION));
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

impl Scale {
    /// `n` times this, rounded to the nearest.
    fn of(self, n: u64) -> u64 {
        (n.saturating_mul(self.0) + MILLION / 2) / MILLION
    }
}

/// What a conversation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    Coding,
    Workflow,
}

/// One conversation to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) domain: Domain,
    /// Its place among those of its domain, from 0.
    pub(super) index: u64,
    /// At least 1.
    pub(super) client_turns: u64,
    /// Whether the last client turn has a recorded answer.
    pub(super) answered: bool,
    /// About how many bytes its rows take in the file.
    pub(super) bytes: u64,
}

/// A domain's part of a set.
struct Group {
    domain: Domain,
    trajectories: u64,
    client_turns: u64,
    /// Trajectories whose last client turn has no recorded answer.
    unanswered: u64,
    context: u64,
}

/// The official set's counts (rules/agentic §3); how its turns are spread over the domains is
/// not published.
const OFFICIAL: [Group; 2] = [
    Group {
        domain: Domain::Coding,
        trajectories: 113,
        client_turns: 11_413,
        unanswered: 7,
        context: 202_000,
    },
    Group {
        domain: Domain::Workflow,
        trajectories: 500,
        client_turns: 18_922,
        unanswered: 0,
        context: 110_500,
    },
];

const CODING: Group = Group {
    domain: Domain::Coding,
    trajectories: 24,
    client_turns: 1440,
    unanswered: 2,
    context: 160_000,
};

const WORKFLOW: Group = Group {
    domain: Domain::Workflow,
    trajectories: 100,
    client_turns: 1200,
    unanswered: 0,
    context: 64_000,
};

/// The most bytes of a conversation: what the reader takes, with room to spare.
const MAX_CONTEXT: u64 = 256 << 20;

impl Request {
    /// Every conversation in file order: coding before workflow.
    pub(super) fn plans(&self) -> Vec<Plan> {
        let groups: &[Group] = match self.profile {
            Profile::Coding => &[CODING],
            Profile::Workflow => &[WORKFLOW],
            Profile::OfficialShape => &OFFICIAL,
        };
        groups.iter().flat_map(|group| self.group(group)).collect()
    }

    fn group(&self, group: &Group) -> Vec<Plan> {
        let name = match group.domain {
            Domain::Coding => "shape of coding",
            Domain::Workflow => "shape of workflow",
        };
        let mut draw = Draw::new(self.seed, name);
        let trajectories = self.scale.of(group.trajectories).max(1);
        let turns = match self.turns {
            Some(turns) => trajectories.saturating_mul(turns.clamp(1, 100_000)),
            None => self.scale.of(group.client_turns).max(trajectories),
        };
        let unanswered = self.scale.of(group.unanswered).min(trajectories);
        let context = self.context.unwrap_or(group.context).min(MAX_CONTEXT);
        let mean = turns / trajectories;
        let shares = spread(&mut draw, trajectories, turns);
        shares
            .into_iter()
            .zip(0_u64..)
            .map(|(client_turns, index)| {
                // Long conversations tend to be the large ones.
                let depth = client_turns.min(2 * mean) * 350 / (2 * mean).max(1);
                let share = 450 + depth + draw.below(201);
                Plan {
                    domain: group.domain,
                    index,
                    client_turns,
                    answered: !is_one_of(index, unanswered, trajectories),
                    bytes: context * share / 1000,
                }
            })
            .collect()
    }
}

/// Whether `index` is one of `chosen` of `all` that are spread evenly.
fn is_one_of(index: u64, chosen: u64, all: u64) -> bool {
    (index + 1) * chosen / all > index * chosen / all
}

/// Parts `total` into `parts` of at least 1, skewed to the right but none much above the others, that
/// add up exactly.
fn spread(draw: &mut Draw, parts: u64, total: u64) -> Vec<u64> {
    let least = (total / parts / 8).max(1);
    let spare = total - least * parts;
    let weights: Vec<u64> = (0..parts).map(|_| 60 + draw.skewed(100).min(200)).collect();
    let sum: u64 = weights.iter().sum();
    let mut out: Vec<u64> = Vec::with_capacity(weights.len());
    // Differences of rounded running totals add up to the whole.
    let (mut seen, mut given) = (0_u128, 0);
    for weight in weights {
        seen += u128::from(weight);
        let upto = u64::try_from(u128::from(spare) * seen / u128::from(sum.max(1)));
        let upto = upto.expect("it is a part of a u64");
        out.push(least + upto - given);
        given = upto;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request(profile: Profile) -> Request {
        Request { profile, seed: 1, scale: Scale::default(), turns: None, context: None }
    }

    #[test]
    fn the_official_shape_has_the_official_counts() {
        for seed in [0, 1, 42] {
            let plans = Request { seed, ..request(Profile::OfficialShape) }.plans();
            let coding = plans.iter().filter(|plan| plan.domain == Domain::Coding).count();
            assert_eq!((coding, plans.len() - coding), (113, 500));
            let clients: u64 = plans.iter().map(|plan| plan.client_turns).sum();
            let unanswered = plans.iter().filter(|plan| !plan.answered).count() as u64;
            assert_eq!((clients, clients - unanswered), (30_335, 30_328));
        }
    }

    #[test]
    fn scales_are_read_and_printed_exactly() {
        for (text, millionths) in
            [("1", 1_000_000), ("0.1", 100_000), ("2.5", 2_500_000), ("0.000001", 1)]
        {
            let scale: Scale = text.parse().unwrap();
            assert_eq!((scale.0, scale.to_string().as_str()), (millionths, text));
        }
        for text in ["", "0", "-1", "1e3", ".5", "1.", "1001", "0.0000001", "nan", "99999"] {
            assert_eq!(text.parse::<Scale>(), Err(ScaleError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn parts_add_up(seed: u64, parts in 1_u64..700, extra in 0_u64..100_000) {
            let total = parts + extra;
            let shares = spread(&mut Draw::new(seed, "s"), parts, total);
            prop_assert_eq!(shares.len() as u64, parts);
            prop_assert_eq!(shares.iter().sum::<u64>(), total);
            prop_assert!(shares.iter().all(|share| *share >= 1));
        }

        #[test]
        fn every_request_has_a_plan(
            seed: u64,
            millionths in 1_u64..5_000_000,
            turns in proptest::option::of(0_u64..1000),
            context in proptest::option::of(any::<u64>()),
        ) {
            for profile in [Profile::Coding, Profile::Workflow, Profile::OfficialShape] {
                let request = Request { profile, seed, scale: Scale(millionths), turns, context };
                let plans = request.plans();
                prop_assert!(!plans.is_empty());
                prop_assert!(plans.iter().all(|plan| plan.client_turns >= 1 && plan.bytes <= MAX_CONTEXT));
            }
        }
    }
}
