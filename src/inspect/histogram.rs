//! Numbers in bins of 1, 2, 5, 10, 20, 50, …

use serde::Serialize;

/// How many numbers lie in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The smallest number of the range.
    pub from: u64,
    /// Behind its greatest.
    pub to: u64,
    /// Numbers in it.
    pub count: u64,
}

/// The bins of some numbers, from that of the smallest to that of the greatest without gaps: 0, 1,
/// 2 to 4, 5 to 9, 10 to 19, 20 to 49, and so on.
pub fn histogram(numbers: &[u64]) -> Vec<Bin> {
    let mut bins: Vec<Bin> = Vec::new();
    let (mut from, mut step) = (0_u64, 0_usize);
    loop {
        let to = edge(step);
        bins.push(Bin { from, to, count: 0 });
        if to == u64::MAX {
            break;
        }
        (from, step) = (to, step + 1);
    }
    for number in numbers {
        let at = bins.partition_point(|bin| bin.to <= *number).min(bins.len() - 1);
        bins[at].count += 1;
    }
    let used = |bin: &Bin| bin.count > 0;
    let (first, last) = (bins.iter().position(used), bins.iter().rposition(used));
    match (first, last) {
        (Some(first), Some(last)) => bins[first..=last].to_vec(),
        _ => Vec::new(),
    }
}

/// 1, 2, 5, 10, 20, 50, …, and at last the greatest number.
fn edge(step: usize) -> u64 {
    let power = u32::try_from(step / 3).unwrap_or(u32::MAX);
    let power = 10_u64.checked_pow(power);
    power.and_then(|power| power.checked_mul([1, 2, 5][step % 3])).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_round_and_have_no_gaps() {
        let bins: Vec<_> = histogram(&[0, 4, 2, 19, 20, 150])
            .into_iter()
            .map(|bin| (bin.from, bin.to, bin.count))
            .collect();
        let expected = [
            (0, 1, 1),
            (1, 2, 0),
            (2, 5, 2),
            (5, 10, 0),
            (10, 20, 1),
            (20, 50, 1),
            (50, 100, 0),
            (100, 200, 1),
        ];
        assert_eq!(bins, expected);
        assert_eq!(histogram(&[]), []);
        assert_eq!(histogram(&[7]).len(), 1);
        assert_eq!(histogram(&[u64::MAX])[0].count, 1);
    }
}
