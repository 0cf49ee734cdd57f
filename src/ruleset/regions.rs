//! The regions of a curve.

use std::fmt;

/// A region of a curve. Ordered by concurrency.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Region {
    /// Up to the lowest concurrency of the curve.
    #[serde(rename = "low_latency")]
    UltraLow,
    /// The first third, in logarithms, of what lies above.
    #[serde(rename = "low_concurrency")]
    Low,
    /// The second third.
    #[serde(rename = "med_concurrency")]
    Med,
    /// The last third, up to the highest supported concurrency.
    #[serde(rename = "high_concurrency")]
    High,
    /// Slightly above the highest supported concurrency; covers nothing.
    #[serde(rename = "margin")]
    Margin,
}

impl Region {
    /// The word that result files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::UltraLow => "low_latency",
            Self::Low => "low_concurrency",
            Self::Med => "med_concurrency",
            Self::High => "high_concurrency",
            Self::Margin => "margin",
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The edges of a curve's regions. Every edge belongs to the region that it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    /// End of the ultra-low region: the lowest concurrency of the curve, at most 32.
    pub c_min: u32,
    /// End of the low region.
    pub low_end: u32,
    /// End of the medium region.
    pub med_end: u32,
    /// End of the high region: the highest supported concurrency.
    pub c_max: u32,
    /// End of the margin.
    pub margin_end: u32,
    /// A point up to here covers the ultra-low region, whatever its own region is.
    pub ultra_low_max: u32,
}

impl Regions {
    /// The edges from `C_min` to `C_max`, as the official checker computes them:
    /// `low_end = C_min + 2^I`, `med_end = C_min + 2^(2I)` with `I = log2(C_max - C_min) / 3`,
    /// rounded half to even. `None` when `C_max` is not above the ultra-low region.
    pub(super) fn new(c_min: u32, c_max: u32, ultra_low_max: u32, margin: f64) -> Option<Self> {
        if c_max <= ultra_low_max || c_min == 0 || c_min > ultra_low_max {
            return None;
        }
        let third = f64::from(c_max - c_min).log2() / 3.0;
        let low_end = f64::from(c_min) + third.exp2();
        let med_end = f64::from(c_min) + (2.0 * third).exp2();
        Some(Self {
            c_min,
            low_end: whole(low_end.round_ties_even()),
            med_end: whole(med_end.round_ties_even()),
            c_max,
            // In binary floating point, as the checker has it: 100 gives 111.
            margin_end: whole((margin * f64::from(c_max)).ceil()),
            ultra_low_max,
        })
    }

    /// The region that a point lies in; `None` above the margin and for no conversation at all.
    pub fn of(&self, concurrency: u32) -> Option<Region> {
        let edges = [
            (self.c_min, Region::UltraLow),
            (self.low_end, Region::Low),
            (self.med_end, Region::Med),
            (self.c_max, Region::High),
            (self.margin_end, Region::Margin),
        ];
        let region = edges.iter().find(|(end, _)| concurrency <= *end);
        region.filter(|_| concurrency > 0).map(|(_, region)| *region)
    }

    /// Whether a point covers a region. Any point up to `ultra_low_max` covers the ultra-low
    /// region, besides the one that it lies in; the margin covers nothing.
    pub fn covers(&self, concurrency: u32, region: Region) -> bool {
        match region {
            Region::UltraLow => (1..=self.ultra_low_max).contains(&concurrency),
            Region::Margin => false,
            other => self.of(concurrency) == Some(other),
        }
    }

    /// The lowest and highest concurrency that cover a region; empty when the first is greater.
    pub fn bounds(&self, region: Region) -> (u32, u32) {
        match region {
            Region::UltraLow => (1, self.ultra_low_max),
            Region::Low => (self.c_min + 1, self.low_end),
            Region::Med => (self.low_end + 1, self.med_end),
            Region::High => (self.med_end + 1, self.c_max),
            Region::Margin => (self.c_max + 1, self.margin_end),
        }
    }
}

/// A whole non-negative float as an integer, saturating.
fn whole(value: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and no caller has a negative value"
    )]
    let whole = value as u32;
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn regions(lowest: u32, c_max: u32) -> Option<Regions> {
        crate::ruleset::Ruleset::all()[0].regions(lowest, c_max)
    }

    #[test]
    fn edges_agree_with_the_official_example() {
        let curve = regions(8, 512).unwrap();
        assert_eq!((curve.bounds(Region::Low), curve.bounds(Region::Med)), ((9, 16), (17, 71)));
        assert_eq!((curve.bounds(Region::High), curve.margin_end), ((72, 512), 564));
        assert_eq!(regions(1, 100).unwrap().margin_end, 111);
        assert_eq!(regions(1, 200).unwrap().margin_end, 221);
    }

    #[test]
    fn a_point_of_20_covers_ultra_low_and_its_own_region() {
        let curve = regions(8, 512).unwrap();
        assert_eq!(curve.of(20), Some(Region::Med));
        assert!(curve.covers(20, Region::UltraLow) && curve.covers(20, Region::Med));
        assert!(!curve.covers(540, Region::Margin));
        assert_eq!((curve.of(540), curve.of(600), curve.of(0)), (Some(Region::Margin), None, None));
    }

    #[test]
    fn a_low_curve_has_no_regions() {
        assert_eq!((regions(1, 32), regions(0, 64)), (None, None));
        assert!(regions(1, 33).is_some());
    }

    proptest! {
        #[test]
        fn every_concurrency_up_to_the_margin_has_one_region(
            lowest in 1_u32..2000, c_max in 33_u32..100_000, at in 0.0..1.0_f64,
        ) {
            let curve = regions(lowest, c_max).unwrap();
            prop_assert!(curve.c_min <= curve.low_end);
            prop_assert!(curve.low_end <= curve.med_end && curve.med_end <= curve.c_max);
            let point = 1 + whole(at * f64::from(curve.margin_end - 1));
            let region = curve.of(point).unwrap();
            let (low, high) = curve.bounds(region);
            prop_assert!(region == Region::UltraLow || (low..=high).contains(&point));
        }
    }
}
