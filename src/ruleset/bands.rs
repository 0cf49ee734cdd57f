//! Which accuracy run stands for which region.

use super::regions::{Region, Regions};

/// The regions that need an accuracy run, in the order of a curve.
pub const BANDS: [Region; 4] = [Region::UltraLow, Region::Low, Region::Med, Region::High];

/// Points matched one to one to the regions that need an accuracy run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BandMatch {
    /// Every region of [`BANDS`] with the point that stands for it.
    pub bands: [(Region, Option<u32>); 4],
    /// Points that stand for none, in ascending order.
    pub left_over: Vec<u32>,
}

impl BandMatch {
    /// The regions without a point.
    pub fn missing(&self) -> impl Iterator<Item = Region> {
        self.bands.iter().filter(|(_, point)| point.is_none()).map(|(band, _)| *band)
    }

    /// How many regions have a point.
    pub fn filled(&self) -> usize {
        self.bands.iter().filter(|(_, point)| point.is_some()).count()
    }
}

impl Regions {
    /// Matches points to regions so that as many regions as possible have one, the lowest points
    /// first, as the official checker does. A point up to 32 may stand for the ultra-low region or
    /// for the one that it lies in, never for both.
    pub fn match_bands(&self, points: &[u32]) -> BandMatch {
        let mut points = points.to_vec();
        points.sort_unstable();
        points.dedup();
        let mut owner = [None; 4];
        for at in 0..points.len() {
            self.place(at, &points, &mut owner, &mut [false; 4]);
        }
        let mut bands = BANDS.map(|band| (band, None));
        for ((_, point), owner) in bands.iter_mut().zip(owner) {
            *point = owner.and_then(|at: usize| points.get(at).copied());
        }
        let placed = |point: &u32| bands.iter().any(|(_, owner)| owner.as_ref() == Some(point));
        let left_over = points.iter().copied().filter(|point| !placed(point)).collect();
        BandMatch { bands, left_over }
    }

    /// Gives a point a region, moving others where that helps. At most four levels deep: each
    /// level takes a region of its own.
    fn place(
        &self,
        at: usize,
        points: &[u32],
        owner: &mut [Option<usize>; 4],
        seen: &mut [bool; 4],
    ) -> bool {
        for (b, band) in BANDS.into_iter().enumerate() {
            if seen[b] || !self.covers(points[at], band) {
                continue;
            }
            seen[b] = true;
            if owner[b].is_none_or(|other| self.place(other, points, owner, seen)) {
                owner[b] = Some(at);
                return true;
            }
        }
        false
    }

    /// The one region that an accuracy run counts for beside the match: ultra-low up to 32, else
    /// the region that the point lies in; none in the margin and above.
    pub fn band_of(&self, concurrency: u32) -> Option<Region> {
        BANDS.into_iter().find(|band| self.covers(concurrency, *band))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn regions(lowest: u32, c_max: u32) -> Regions {
        crate::ruleset::Ruleset::all()[0].regions(lowest, c_max).unwrap()
    }

    #[test]
    fn a_low_point_moves_where_it_is_needed() {
        let matched = regions(8, 512).match_bands(&[256, 64, 8, 12]);
        assert_eq!(matched.bands.map(|(_, point)| point), [Some(8), Some(12), Some(64), Some(256)]);
        assert_eq!((matched.filled(), matched.left_over), (4, vec![]));
        // Both cover ultra-low, and each lies in a region of its own: the first one makes room.
        let matched = regions(8, 512).match_bands(&[12, 20, 256]);
        assert_eq!(matched.bands.map(|(_, point)| point), [Some(20), Some(12), None, Some(256)]);
        assert_eq!(matched.missing().collect::<Vec<_>>(), [Region::Med]);
    }

    #[test]
    fn what_stands_for_no_region_is_left_over() {
        let matched = regions(8, 512).match_bands(&[8, 9, 40, 64, 100, 512, 540, 64]);
        assert_eq!(matched.bands.map(|(_, point)| point), [Some(8), Some(9), Some(40), Some(100)]);
        assert_eq!(matched.left_over, [64, 512, 540]);
        assert_eq!(regions(8, 512).band_of(540), None);
        assert_eq!(regions(8, 512).band_of(20), Some(Region::UltraLow));
    }

    proptest! {
        #[test]
        fn every_point_stands_for_at_most_one_region_that_it_covers(
            points in prop::collection::vec(1_u32..700, 0..12), lowest in 1_u32..40,
        ) {
            let regions = regions(lowest, 512);
            let matched = regions.match_bands(&points);
            let mut seen = matched.left_over.clone();
            for (band, point) in matched.bands {
                if let Some(point) = point {
                    prop_assert!(regions.covers(point, band));
                    seen.push(point);
                }
            }
            seen.sort_unstable();
            let mut all = points;
            all.sort_unstable();
            all.dedup();
            prop_assert_eq!(seen, all);
        }
    }
}
