//! In which order trajectories start.

use crate::rng::PyRandom;
use crate::scenario::model::Order;

/// How many trajectories of a data set take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetSize {
    /// Trajectories that the loaded data set holds.
    pub trajectories: u32,
    /// How many of them take part, from the set's beginning; more than there are means all.
    pub take: u32,
    /// How many one pass plays. More than take part: it goes round in them, and the next pass goes on
    /// where this one stopped.
    pub plays: u32,
}

impl SetSize {
    /// Each of the first `take` once in a pass.
    pub fn once(trajectories: u32, take: u32) -> Self {
        Self { trajectories, take, plays: take.min(trajectories) }
    }

    fn taken(self) -> u32 {
        self.take.min(self.trajectories)
    }
}

/// The passes of a replay, one after another without end. Each is the order in which its
/// trajectories start, as the taken trajectories' global indices, which count through all
/// trajectories of the first set, then of the second, and so on. Where every set plays what it takes,
/// each pass is a permutation of them.
///
/// * [`Order::Sequential`]: file order, set after set, as the reference client of August 2026.
/// * [`Order::Interleaved`]: file order in each set; the sets dealt evenly, so that any stretch of
///   a pass holds them in about the proportion of the mix.
/// * [`Order::Shuffled`]: one `random.Random(seed)`, and one list that each pass shuffles again in
///   place (it is never put back into order), as the newer reference client.
pub fn passes(sets: &[SetSize], order: Order, seed: u64) -> Passes {
    let random = matches!(order, Order::Shuffled).then(|| PyRandom::new(seed));
    let even = sets.iter().all(|set| set.plays == set.taken());
    Passes { sets: sets.to_vec(), order, even, next: 0, list: Vec::new(), random }
}

/// Iterator of [`passes`].
#[derive(Clone, Debug)]
pub struct Passes {
    sets: Vec<SetSize>,
    order: Order,
    /// Each pass holds the same trajectories.
    even: bool,
    /// The number of the next pass, from 0.
    next: u64,
    list: Vec<u32>,
    random: Option<PyRandom>,
}

impl Iterator for Passes {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == 0 || !self.even {
            self.list = match self.order {
                Order::Interleaved => interleaved(&self.sets, self.next),
                Order::Sequential | Order::Shuffled => {
                    played(&self.sets, self.next).flatten().collect()
                }
            };
        }
        self.next += 1;
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.list);
        }
        Some(self.list.clone())
    }
}

/// The global indices that each set plays in a pass.
fn played(
    sets: &[SetSize],
    pass: u64,
) -> impl Iterator<Item = impl Iterator<Item = u32> + use<>> + '_ {
    sets.iter().scan(0_u32, move |start, set| {
        let (first, taken) = (*start, u64::from(set.taken()));
        *start = start.saturating_add(set.trajectories);
        let plays = if taken == 0 { 0 } else { u64::from(set.plays) };
        let begin = pass.wrapping_mul(plays);
        Some((0..plays).map(move |k| {
            let within = begin.wrapping_add(k) % taken;
            first.saturating_add(u32::try_from(within).unwrap_or(u32::MAX))
        }))
    })
}

/// Deals the sets evenly: the k-th of the n trajectories that a set plays belongs at the place
/// (2k + 1) / 2n of the pass, and equal places go to the earlier set.
fn interleaved(sets: &[SetSize], pass: u64) -> Vec<u32> {
    let mut dealt: Vec<(Place, usize, u128, u32)> = Vec::new();
    for ((number, set), indices) in sets.iter().enumerate().zip(played(sets, pass)) {
        let count = u128::from(set.plays);
        dealt.extend((0_u128..).zip(indices).map(|(k, index)| {
            let place = Place { numerator: 2 * k + 1, denominator: 2 * count };
            (place, number, k, index)
        }));
    }
    dealt.sort_unstable();
    dealt.into_iter().map(|(.., index)| index).collect()
}

/// A fraction with a denominator above 0, compared exactly.
#[derive(Clone, Copy, Debug)]
struct Place {
    numerator: u128,
    denominator: u128,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Place {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::digest;

    fn set(trajectories: u32, take: u32) -> SetSize {
        SetSize::once(trajectories, take)
    }

    fn weighted(trajectories: u32, plays: u32) -> SetSize {
        SetSize { trajectories, take: trajectories, plays }
    }

    #[test]
    fn a_set_that_plays_more_than_it_has_goes_round() {
        let sets = [weighted(3, 4), weighted(2, 2)];
        let mut sequential = passes(&sets, Order::Sequential, 1);
        assert_eq!(sequential.next().unwrap(), [0, 1, 2, 0, 3, 4]);
        assert_eq!(sequential.next().unwrap(), [1, 2, 0, 1, 3, 4]);
        let mut dealt = passes(&sets, Order::Interleaved, 1);
        assert_eq!(dealt.next().unwrap(), [0, 3, 1, 2, 4, 0]);
        assert_eq!(dealt.next().unwrap(), [1, 3, 2, 0, 4, 1]);
        let mut shuffled = passes(&sets, Order::Shuffled, 42);
        let (one, two) = (shuffled.next().unwrap(), shuffled.next().unwrap());
        let sorted = |mut pass: Vec<u32>| {
            pass.sort_unstable();
            pass
        };
        assert_ne!(one, two);
        assert_eq!((sorted(one), sorted(two)), (vec![0, 0, 1, 2, 3, 4], vec![0, 1, 1, 2, 3, 4]));
    }

    #[test]
    fn sequential_is_file_order_in_every_pass() {
        let mut passes = passes(&[set(3, 2), set(2, 9)], Order::Sequential, 1);
        assert_eq!(passes.next().unwrap(), [0, 1, 3, 4]);
        assert_eq!(passes.next().unwrap(), [0, 1, 3, 4]);
    }

    #[test]
    fn interleaved_deals_in_proportion() {
        let mut passes = passes(&[set(2, 2), set(4, 4)], Order::Interleaved, 1);
        assert_eq!(passes.next().unwrap(), [2, 0, 3, 4, 1, 5]);
        assert_eq!(passes.next().unwrap(), [2, 0, 3, 4, 1, 5]);
        assert_eq!(interleaved(&[set(3, 3), set(3, 3)], 0), [0, 3, 1, 4, 2, 5]);
        assert_eq!(interleaved(&[set(1, 1), set(0, 0), set(9, 0), set(2, 2)], 0), [10, 0, 11]);
    }

    #[test]
    fn shuffled_is_what_python_shuffles() {
        // random.seed(42); l = list(range(10)), shuffled twice in place.
        let mut small = passes(&[set(4, 4), set(6, 6)], Order::Shuffled, 42);
        assert_eq!(small.next().unwrap(), [7, 3, 2, 8, 5, 6, 9, 4, 0, 1]);
        assert_eq!(small.next().unwrap(), [8, 6, 2, 5, 3, 0, 4, 7, 9, 1]);
        // sha256(",".join(map(str, l))) of list(range(613)) after each of three shuffles.
        let official = passes(&[set(113, 113), set(500, 500)], Order::Shuffled, 42);
        let digests: Vec<String> = official
            .take(3)
            .map(|pass| {
                let text: Vec<_> = pass.iter().map(u32::to_string).collect();
                digest::sha256_hex(text.join(",").as_bytes())
            })
            .collect();
        assert_eq!(
            digests,
            [
                "9626d2288e697e44db452b1f7622dfdc6b0366cdc2f8a8b321e33198b6a7fb46",
                "e45eb1adbce84b66f672be15b7d756b5f36cba751f20d4b8f3abb67c8a4549e8",
                "7cf3ca04b39d59ac21859fdeb272a3c3cffddb0594c4e8bdd735af92d274353b",
            ]
        );
    }

    #[test]
    fn no_sets_give_empty_passes() {
        for order in [Order::Sequential, Order::Interleaved, Order::Shuffled] {
            assert_eq!(passes(&[], order, 0).next(), Some(Vec::new()));
        }
    }

    fn sets() -> impl Strategy<Value = Vec<SetSize>> {
        let one = (0_u32..40, 0_u32..50).prop_map(|(trajectories, take)| set(trajectories, take));
        prop::collection::vec(one, 0..5)
    }

    fn order() -> impl Strategy<Value = Order> {
        prop_oneof![Just(Order::Sequential), Just(Order::Interleaved), Just(Order::Shuffled)]
    }

    proptest! {
        #[test]
        fn each_pass_plays_each_taken_trajectory_once(
            sets in sets(), order in order(), seed in any::<u64>(),
        ) {
            let taken: Vec<u32> = played(&sets, 0).flatten().collect();
            for mut pass in passes(&sets, order, seed).take(3) {
                pass.sort_unstable();
                prop_assert_eq!(&pass, &taken);
            }
        }

        /// Over many passes, each trajectory of a set is played as often as any other, give or take
        /// one, and each pass plays what it should of each set.
        #[test]
        fn going_round_is_even(
            sizes in prop::collection::vec((1_u32..12, 1_u32..30), 1..4), order in order(),
        ) {
            let sets: Vec<_> =
                sizes.iter().map(|(size, plays)| weighted(*size, (*plays).max(*size))).collect();
            let all: Vec<u32> = passes(&sets, order, 7).take(5).flatten().collect();
            let total: u32 = sets.iter().map(|set| set.plays).sum();
            prop_assert_eq!(all.len(), 5 * total as usize);
            let mut first = 0;
            for set in sets {
                let range = first..first + set.trajectories;
                first = range.end;
                let counts: Vec<usize> =
                    range.map(|n| all.iter().filter(|played| **played == n).count()).collect();
                prop_assert_eq!(counts.iter().sum::<usize>(), 5 * set.plays as usize);
                prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
            }
        }

        /// After any beginning of an interleaved pass, each set has had its share, give or take one.
        #[test]
        fn interleaving_keeps_every_prefix_in_proportion(a in 1_u32..40, b in 1_u32..40) {
            let pass = interleaved(&[set(a, a), set(b, b)], 0);
            let mut from_a = 0;
            for (n, index) in (1..).zip(pass) {
                from_a += u32::from(index < a);
                // |from_a - a * n / (a + b)| <= 1
                prop_assert!((from_a * (a + b)).abs_diff(a * n) <= a + b);
            }
        }
    }
}
