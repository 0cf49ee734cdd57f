//! The plan: a pure function of a scenario and the sizes of its data sets.

use std::sync::Arc;
use std::time::Duration;

use super::order::{self, SetSize};
use super::sequence::{Assignment, sequence};
use crate::ruleset::{Region, Ruleset};
use crate::scenario::model::Scenario;

/// One point of the sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointPlan {
    /// Conversations active at once.
    pub concurrency: u32,
    /// The region that the ruleset computes for this point; none without a ruleset, or where the
    /// whole sweep spans none (it must reach above 32).
    pub region: Option<Region>,
    /// The shortest run that the ruleset takes; none without a ruleset.
    pub min_duration: Option<Duration>,
}

/// From where to where a curve's regions reach, where a system description says so; else as far as
/// the sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CurveRange {
    /// The end of the lowest region (`c_min_override`).
    pub lowest: Option<u32>,
    /// The highest concurrency that the system supports (`max_supported_concurrency`).
    pub highest: Option<u32>,
}

/// What would run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The points, in the order in which they run.
    pub points: Vec<PointPlan>,
    /// The trajectories of every point, in the order in which slots take them.
    pub sequence: Arc<[Assignment]>,
    /// Trajectories in one pass over the mix.
    pub trajectories_per_pass: u32,
}

impl Plan {
    /// The plan of `scenario` whose data sets hold (after `mix.take`) as many trajectories as
    /// `loaded` says, in the scenario's order. The points of the scenario's sweep run in the
    /// order in which they are written, in the regions of `ruleset`, which the scenario names.
    pub fn new(scenario: &Scenario, loaded: &[u32], ruleset: Option<&Ruleset>) -> Self {
        Self::within(scenario, loaded, ruleset, CurveRange::default())
    }

    /// The same for a curve that reaches as far as `declared` says.
    pub fn within(
        scenario: &Scenario,
        loaded: &[u32],
        ruleset: Option<&Ruleset>,
        declared: CurveRange,
    ) -> Self {
        let mix = &scenario.mix;
        let weighted = scenario.datasets.iter().map(|set| mix.weight(&set.name)).zip(loaded);
        let weighted: Vec<_> =
            weighted.map(|(weight, trajectories)| (weight, u64::from(*trajectories))).collect();
        let plays = mix.plays(&weighted);
        let sizes: Vec<SetSize> = loaded
            .iter()
            .zip(&plays)
            .map(|(&trajectories, &plays)| SetSize {
                trajectories,
                take: trajectories,
                plays: u32::try_from(plays).unwrap_or(u32::MAX),
            })
            .collect();
        let per_pass = sizes.iter().fold(0_u32, |sum, size| sum.saturating_add(size.plays));
        let budget = mix.trajectories.map_or_else(
            || (per_pass as usize).saturating_mul(mix.passes as usize),
            |trajectories| trajectories as usize,
        );
        let passes = order::passes(&sizes, mix.order, mix.seed);
        // A mix without trajectories would draw empty passes for ever.
        let trajectories = if per_pass == 0 { Vec::new() } else { sequence(passes, budget) };
        Self {
            points: points(scenario, ruleset, declared),
            sequence: trajectories.into(),
            trajectories_per_pass: per_pass,
        }
    }

    /// Whether whole passes are replayed: without weights, every trajectory of the mix equally often,
    /// as the rules demand.
    pub fn whole_passes(&self) -> bool {
        let per_pass = self.trajectories_per_pass as usize;
        per_pass > 0 && !self.sequence.is_empty() && self.sequence.len().is_multiple_of(per_pass)
    }
}

fn points(scenario: &Scenario, ruleset: Option<&Ruleset>, declared: CurveRange) -> Vec<PointPlan> {
    let sweep = scenario.load.concurrency.points();
    let lowest = declared.lowest.or_else(|| sweep.iter().min().copied());
    let highest = declared.highest.or_else(|| sweep.iter().max().copied());
    let regions = ruleset.zip(lowest.zip(highest));
    let regions = regions.and_then(|(ruleset, (lowest, highest))| ruleset.regions(lowest, highest));
    let point = |concurrency| PointPlan {
        concurrency,
        region: regions.and_then(|regions| regions.of(concurrency)),
        min_duration: ruleset.map(|ruleset| ruleset.min_duration(concurrency)),
    };
    sweep.into_iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(more: &str) -> Scenario {
        let text = format!(
            "schema: scenario/v1\nname: n\nmodel: {{ name: m }}\nendpoint: {{ simulated: {{}} }}\n\
             datasets: [{{ name: a, path: a }}, {{ name: b, path: b }}]\n{more}"
        );
        serde_yaml::from_str(&text).unwrap()
    }

    fn conversations(plan: &Plan) -> Vec<(u32, u32)> {
        plan.sequence.iter().map(|a| (a.conversation, a.pass)).collect()
    }

    #[test]
    fn passes_follow_each_other_and_a_budget_cuts_them() {
        let whole = scenario("mix: { order: sequential, passes: 2 }\nload: { concurrency: [1] }\n");
        let plan = Plan::new(&whole, &[2, 1], None);
        assert_eq!(conversations(&plan), [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)]);
        assert!(plan.whole_passes());
        let cut =
            scenario("mix: { order: sequential, trajectories: 4 }\nload: { concurrency: [1] }\n");
        let plan = Plan::new(&cut, &[2, 1], None);
        assert_eq!(conversations(&plan), [(0, 1), (1, 1), (2, 1), (0, 2)]);
        assert!(!plan.whole_passes());
    }

    #[test]
    fn weights_set_the_shares_and_count_how_often_a_conversation_came() {
        let mix = "mix: { order: sequential, weights: { a: 1, b: 2 } }\n";
        let plan =
            Plan::new(&scenario(&format!("{mix}load: {{ concurrency: [1] }}\n")), &[2, 1], None);
        // Two rounds play both of `a`, and so four of `b`, which has one.
        let expected = [(0, 1), (1, 1), (2, 1), (2, 2), (2, 3), (2, 4)];
        assert_eq!(conversations(&plan), expected);
        assert_eq!(plan.trajectories_per_pass, 6);
        assert!(plan.whole_passes());
    }

    #[test]
    fn an_empty_mix_gives_an_empty_plan() {
        let plan = Plan::new(&scenario("load: { concurrency: [1] }\n"), &[0, 0], None);
        assert!(plan.sequence.is_empty() && !plan.whole_passes());
    }

    #[test]
    fn points_carry_the_ruleset_s_region_and_duration() {
        let sweep = scenario("load: { concurrency: [512, 8, 16] }\n");
        let plan = Plan::new(&sweep, &[1, 1], Ruleset::all().first());
        let points: Vec<_> = plan.points.iter().map(|p| (p.concurrency, p.region)).collect();
        let expected =
            [(512, Some(Region::High)), (8, Some(Region::UltraLow)), (16, Some(Region::Low))];
        assert_eq!(points, expected);
        assert_eq!(plan.points[0].min_duration, Some(Duration::from_mins(40)));
        assert_eq!(plan.points[2].min_duration, Some(Duration::from_mins(10)));
        let free = Plan::new(&scenario("load: { concurrency: [4] }\n"), &[1, 1], None);
        // A system that supports more than the sweep asks for moves the regions.
        let declared = CurveRange { lowest: Some(12), highest: Some(4096) };
        let plan = Plan::within(&sweep, &[1, 1], Ruleset::all().first(), declared);
        let regions: Vec<_> = plan.points.iter().map(|p| p.region).collect();
        assert_eq!(regions, [Some(Region::High), Some(Region::UltraLow), Some(Region::Low)]);
        assert_eq!((free.points[0].region, free.points[0].min_duration), (None, None));
    }
}
