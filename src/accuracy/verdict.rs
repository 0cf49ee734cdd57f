//! The verdict over a curve: every gate with its threshold and margin.

use serde::{Deserialize, Serialize};

use crate::ruleset::{BANDS, ModelRules, Region, Regions, Ruleset};

/// The accuracy numbers of one point. Scores are fractions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointAccuracy {
    /// Conversations active at once.
    pub concurrency: u32,
    /// The inline score.
    pub inline: Option<f64>,
    /// Mean output tokens per turn over the whole run.
    pub output_length: Option<f64>,
    /// The SWE-bench score, at the points where it was run.
    pub swe_bench: Option<f64>,
}

/// What must have been measured; the absence of anything else is no fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Required {
    /// The inline score at every point.
    pub inline: bool,
    /// The output length at every point.
    pub output_length: bool,
    /// SWE-bench in every region.
    pub swe_bench: bool,
}

/// How a gate ended. Ordered: the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// Measured, and within the gate.
    Pass,
    /// The ruleset publishes no threshold for the model.
    NonePublished,
    /// Not measured, and not asked for.
    NotMeasured,
    /// Asked for, but not measured, or not in full.
    Missing,
    /// Measured, and outside the gate.
    Fail,
}

impl GateOutcome {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NonePublished => "none published",
            Self::NotMeasured => "not measured",
            Self::Missing => "missing",
            Self::Fail => "FAIL",
        }
    }
}

/// One value held against a gate. Scores in percent, lengths in tokens per turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What was measured.
    pub value: Option<f64>,
    /// The least that passes, where something is published.
    pub min: Option<f64>,
    /// The most that passes, where there is such a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// How far the value is inside the gate; negative outside.
    pub margin: Option<f64>,
    /// How it ended.
    pub outcome: GateOutcome,
}

/// The gates of one point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointVerdict {
    /// Conversations active at once.
    pub concurrency: u32,
    /// The region that the point lies in.
    pub region: Option<Region>,
    /// The inline score against its floor.
    pub inline: Judged,
    /// The mean output length against its range.
    pub output_length: Judged,
    /// The SWE-bench score of this point, in percent; only the mean of the regions has a gate.
    pub swe_bench: Option<f64>,
}

/// The SWE-bench gate: the mean over the regions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweBenchVerdict {
    /// The mean over the regions that have a run, against the floor.
    #[serde(rename = "mean")]
    pub judged: Judged,
    /// Every region of the curve; empty where the curve has none.
    pub bands: Vec<Band>,
    /// What is not as the rules want it.
    pub problems: Vec<String>,
}

/// The SWE-bench result of one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// The region.
    pub region: Region,
    /// The points that stand for it.
    pub points: Vec<u32>,
    /// Their mean, in percent.
    pub score: Option<f64>,
}

/// Every gate of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccuracyVerdict {
    /// The ruleset's name.
    pub ruleset: String,
    /// The model's canonical name.
    pub model: String,
    /// The model in words.
    pub title: String,
    /// Whether the ruleset publishes thresholds for the model.
    pub thresholds_published: bool,
    /// Every point, in ascending concurrency.
    pub points: Vec<PointVerdict>,
    /// SWE-bench over the curve.
    pub swe_bench: SweBenchVerdict,
    /// The worst of all gates.
    pub outcome: GateOutcome,
}

impl AccuracyVerdict {
    /// Judges a curve by the numbers of one model. Its regions are those of `sweep`, the lowest and
    /// the highest concurrency of the whole sweep; none takes the ends of `points`.
    pub fn new(
        (ruleset, model): (&Ruleset, &ModelRules),
        sweep: Option<(u32, u32)>,
        points: &[PointAccuracy],
        required: Required,
    ) -> Self {
        let mut points = points.to_vec();
        points.sort_unstable_by_key(|point| point.concurrency);
        let ends = points.first().zip(points.last());
        let ends = sweep.or(ends.map(|(low, high)| (low.concurrency, high.concurrency)));
        let regions = ends.and_then(|(low, high)| ruleset.regions(low, high));
        let judged: Vec<_> =
            points.iter().map(|point| judge_point(model, regions, point, required)).collect();
        let swe_bench = judge_swe_bench(ruleset, model, regions, &points, required);
        let outcome = worst(&judged, &swe_bench);
        Self {
            ruleset: ruleset.name.clone(),
            model: model.canonical.clone(),
            title: model.title.clone(),
            thresholds_published: model.thresholds.is_some(),
            points: judged,
            swe_bench,
            outcome,
        }
    }

    /// Judges output lengths anew, such as after another count of the tokens. Points that are not
    /// named, and those whose length was not judged before, stay as they are.
    #[must_use]
    pub fn with_output_lengths(mut self, means: &[(u32, Option<f64>)]) -> Self {
        for point in &mut self.points {
            let old = point.output_length;
            let named = means.iter().find(|(concurrency, _)| *concurrency == point.concurrency);
            if let (Some((_, mean)), true) = (named, old.outcome != GateOutcome::NotMeasured) {
                let bounds = old.min.map(|min| (min, old.max));
                point.output_length = Judged::new(*mean, bounds, true);
            }
        }
        self.outcome = worst(&self.points, &self.swe_bench);
        self
    }

    /// Whether a gate failed, or something asked for is missing.
    pub fn has_findings(&self) -> bool {
        self.outcome >= GateOutcome::Missing
    }
}

/// The worst of all gates.
fn worst(points: &[PointVerdict], swe_bench: &SweBenchVerdict) -> GateOutcome {
    let gates = points.iter().flat_map(|point| [point.inline.outcome, point.output_length.outcome]);
    gates.fold(swe_bench.judged.outcome, GateOutcome::max)
}

fn judge_point(
    model: &ModelRules,
    regions: Option<Regions>,
    point: &PointAccuracy,
    required: Required,
) -> PointVerdict {
    let thresholds = model.thresholds.as_ref();
    let floor = thresholds.map(|thresholds| (thresholds.inline_percent, None));
    let range = thresholds.map(|t| (t.output_length.min, Some(t.output_length.max)));
    PointVerdict {
        concurrency: point.concurrency,
        region: regions.and_then(|regions| regions.of(point.concurrency)),
        inline: Judged::new(point.inline.map(percent), floor, required.inline),
        output_length: Judged::new(point.output_length, range, required.output_length),
        swe_bench: point.swe_bench.map(percent),
    }
}

impl Judged {
    /// Holds a value against bounds, which themselves pass.
    fn new(value: Option<f64>, bounds: Option<(f64, Option<f64>)>, required: bool) -> Self {
        let (min, max) = bounds.map_or((None, None), |(min, max)| (Some(min), max));
        let margin = value.zip(min).map(|(value, min)| {
            let below = value - min;
            max.map_or(below, |max| below.min(max - value))
        });
        let outcome = match (value, min) {
            (None, _) if required => GateOutcome::Missing,
            (None, _) => GateOutcome::NotMeasured,
            (Some(_), None) => GateOutcome::NonePublished,
            (Some(value), Some(min)) if value < min || max.is_some_and(|max| value > max) => {
                GateOutcome::Fail
            }
            (Some(_), Some(_)) => GateOutcome::Pass,
        };
        Self { value, min, max, margin, outcome }
    }
}

fn judge_swe_bench(
    ruleset: &Ruleset,
    model: &ModelRules,
    regions: Option<Regions>,
    points: &[PointAccuracy],
    required: Required,
) -> SweBenchVerdict {
    let scored: Vec<(u32, f64)> = points
        .iter()
        .filter_map(|point| Some((point.concurrency, percent(point.swe_bench?))))
        .collect();
    let mut problems = Vec::new();
    let bands = regions.map_or_else(Vec::new, |regions| bands(regions, &scored, &mut problems));
    if regions.is_none() && !scored.is_empty() {
        problems.push(format!(
            "the curve has no regions, as it does not reach above {}; no mean is taken",
            ruleset.ultra_low_max
        ));
    }
    let values: Vec<f64> = bands.iter().filter_map(|band| band.score).collect();
    let floor = model.thresholds.as_ref().map(|t| (t.swe_bench_percent, None));
    let mut judged = Judged::new(mean(&values), floor, required.swe_bench);
    // A good mean over a part of the regions decides nothing.
    if judged.outcome == GateOutcome::Pass && values.len() < ruleset.accuracy.runs {
        judged.outcome = GateOutcome::Missing;
    }
    SweBenchVerdict { judged, bands, problems }
}

/// The regions with their points and means. A point that the match leaves over is averaged into
/// the region that it counts for, as the official checker does, and told.
fn bands(regions: Regions, scored: &[(u32, f64)], problems: &mut Vec<String>) -> Vec<Band> {
    let points: Vec<u32> = scored.iter().map(|(point, _)| *point).collect();
    let matched = regions.match_bands(&points);
    let mut members = matched.bands.map(|(_, point)| Vec::from_iter(point));
    for point in &matched.left_over {
        match regions.band_of(*point) {
            Some(region) => {
                problems.push(format!(
                    "point {point} is one accuracy run too many; averaged into {region}"
                ));
                let at = BANDS.iter().position(|band| *band == region);
                members[at.unwrap_or_default()].push(*point);
            }
            None => problems.push(format!("point {point} lies in no region and does not count")),
        }
    }
    let band = |(region, points): (Region, Vec<u32>)| {
        let of_band = scored.iter().filter(|(point, _)| points.contains(point));
        let scores: Vec<f64> = of_band.map(|(_, score)| *score).collect();
        if points.is_empty() && !scored.is_empty() {
            let (low, high) = regions.bounds(region);
            problems.push(format!("{region} ({low} to {high}) has no accuracy run"));
        }
        Band { region, score: mean(&scores), points }
    };
    BANDS.into_iter().zip(members).map(band).collect()
}

/// A fraction in percent, by the same product in binary floating point as the official checker's.
fn percent(fraction: f64) -> f64 {
    fraction * 100.0
}

#[expect(clippy::cast_precision_loss, reason = "a handful of points")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruleset() -> &'static Ruleset {
        Ruleset::named("mlperf-endpoints-agentic/v1.0").unwrap()
    }

    const ALL: Required = Required { inline: true, output_length: true, swe_bench: true };

    fn judge(model: &str, points: &[PointAccuracy], required: Required) -> AccuracyVerdict {
        AccuracyVerdict::new((ruleset(), ruleset().model(model).unwrap()), None, points, required)
    }

    fn point(concurrency: u32, swe_bench: Option<f64>) -> PointAccuracy {
        let (inline, output_length) = (Some(0.5643), Some(383.0));
        PointAccuracy { concurrency, inline, output_length, swe_bench }
    }

    /// Points 8 to 512; SWE-bench at the first of each region.
    fn curve(scores: [Option<f64>; 4]) -> Vec<PointAccuracy> {
        let [ultra_low, low, med, high] = scores;
        vec![
            point(512, None),
            point(128, high),
            point(8, ultra_low),
            point(12, low),
            point(64, med),
        ]
    }

    #[test]
    fn the_mean_decides_not_the_single_run() {
        let verdict = judge("qwen3_6-35b-a3b", &curve([0.60, 0.72, 0.72, 0.72].map(Some)), ALL);
        assert_eq!(verdict.outcome, GateOutcome::Pass);
        let mean = verdict.swe_bench.judged;
        assert!((mean.value.unwrap() - 69.0).abs() < 1e-9, "{mean:?}");
        let order: Vec<u32> = verdict.points.iter().map(|point| point.concurrency).collect();
        assert_eq!(order, [8, 12, 64, 128, 512]);
        let regions: Vec<_> = verdict.points.iter().map(|point| point.region.unwrap()).collect();
        assert_eq!(
            regions,
            [Region::UltraLow, Region::Low, Region::Med, Region::High, Region::High]
        );
    }

    #[test]
    fn a_part_of_the_regions_never_passes_but_can_fail() {
        let verdict =
            judge("qwen3_6-35b-a3b", &curve([Some(0.9), None, Some(0.9), Some(0.9)]), ALL);
        assert_eq!(verdict.outcome, GateOutcome::Missing);
        assert_eq!(verdict.swe_bench.problems, ["low_concurrency (9 to 16) has no accuracy run"]);
        let verdict = judge("qwen3_6-35b-a3b", &curve([Some(0.1), None, None, None]), ALL);
        assert_eq!(verdict.swe_bench.judged.outcome, GateOutcome::Fail);
        let verdict = judge("qwen3_6-35b-a3b", &curve([None; 4]), ALL);
        assert_eq!((verdict.outcome, verdict.swe_bench.problems.len()), (GateOutcome::Missing, 0));
        let verdict = judge("qwen3_6-35b-a3b", &curve([None; 4]), Required::default());
        assert_eq!(verdict.outcome, GateOutcome::NotMeasured);
        assert!(!verdict.has_findings());
    }

    #[test]
    fn extra_runs_are_averaged_into_their_region_and_told() {
        let mut points = curve([0.7, 0.7, 0.7, 0.7].map(Some));
        points[0].swe_bench = Some(0.5);
        points.push(point(70, Some(0.6)));
        let verdict = judge("qwen3_6-35b-a3b", &points, ALL);
        let bands = &verdict.swe_bench.bands;
        assert_eq!((&bands[2].points[..], &bands[3].points[..]), (&[64, 70][..], &[128, 512][..]));
        assert!((bands[3].score.unwrap() - 60.0).abs() < 1e-9);
        assert_eq!(
            verdict.swe_bench.problems,
            [
                "point 70 is one accuracy run too many; averaged into med_concurrency",
                "point 512 is one accuracy run too many; averaged into high_concurrency",
            ]
        );
        assert_eq!(verdict.outcome, GateOutcome::Fail);
    }

    #[test]
    fn regions_are_those_of_the_whole_sweep() {
        let rules = (ruleset(), ruleset().model("qwen3_6-35b-a3b").unwrap());
        let part = [point(64, Some(0.9))];
        let judge = |sweep| AccuracyVerdict::new(rules, sweep, &part, Required::default());
        assert_eq!(judge(Some((8, 512))).points[0].region, Some(Region::Med));
        assert_eq!(judge(None).points[0].region, Some(Region::High));
    }

    #[test]
    fn new_output_lengths_are_judged_by_the_same_range() {
        let verdict = judge("qwen3_6-35b-a3b", &curve([0.72; 4].map(Some)), ALL);
        assert_eq!(verdict.outcome, GateOutcome::Pass);
        let text = serde_json::to_string(&verdict).unwrap();
        let read: AccuracyVerdict = serde_json::from_str(&text).unwrap();
        assert_eq!(read, verdict);
        let failed = read.clone().with_output_lengths(&[(12, Some(300.0)), (99, Some(1.0))]);
        assert_eq!(failed.outcome, GateOutcome::Fail);
        assert_eq!(failed.points[1].output_length.margin, Some(300.0 - 344.0));
        assert_eq!(failed.points[0], verdict.points[0]);
        assert_eq!(failed.with_output_lengths(&[(12, Some(383.0))]), verdict);
        let lost = read.with_output_lengths(&[(8, None)]);
        assert_eq!(lost.outcome, GateOutcome::Missing);
    }

    #[test]
    fn bounds_themselves_pass() {
        let at = |inline: f64, output_length: f64| {
            let point = PointAccuracy {
                concurrency: 8,
                inline: Some(inline),
                output_length: Some(output_length),
                swe_bench: None,
            };
            let verdict = judge("deepseek-v4_1-flash", &[point], Required::default());
            let judged = &verdict.points[0];
            (judged.inline.outcome, judged.output_length.outcome)
        };
        let (pass, fail) = (GateOutcome::Pass, GateOutcome::Fail);
        assert_eq!(at(0.5237, 793.0), (pass, pass));
        // The floor over 100, times 100, is a hair below the floor in binary; the official checker
        // fails it too.
        assert_eq!(at(52.36 / 100.0, 970.0), (fail, pass));
        assert_eq!(at(1.0, 970.5), (pass, fail));
        assert_eq!(at(0.0, 792.9), (fail, fail));
    }

    #[test]
    fn every_published_model_has_its_numbers() {
        let gates = |model: &str| {
            let verdict = judge(model, &[point(8, None)], Required::default());
            let (inline, length) = (verdict.points[0].inline, verdict.points[0].output_length);
            (inline.min, verdict.swe_bench.judged.min, length.min, length.max)
        };
        let some = |a: f64, b: f64, c: f64, d: f64| (Some(a), Some(b), Some(c), Some(d));
        assert_eq!(gates("kimi-k3"), some(58.32, 93.5, 425.0, 520.0));
        assert_eq!(gates("qwen3_6-35b-a3b"), some(55.86, 69.0, 344.0, 422.0));
        assert_eq!(gates("deepseek-v4_1-flash"), some(52.36, 96.4, 793.0, 970.0));
        assert_eq!(gates("kimi-k2_6"), (None, None, None, None));
    }

    #[test]
    fn without_thresholds_nothing_fails_and_it_is_said() {
        let verdict = judge("kimi-k2_6", &curve([Some(0.1); 4]), ALL);
        assert!(!verdict.thresholds_published);
        assert_eq!(verdict.outcome, GateOutcome::NonePublished);
        assert_eq!(verdict.points[0].inline.margin, None);
    }

    #[test]
    fn a_low_curve_has_no_mean() {
        let verdict = judge("kimi-k3", &[point(8, Some(0.99))], ALL);
        assert_eq!((verdict.swe_bench.bands.len(), verdict.swe_bench.judged.value), (0, None));
        assert_eq!(verdict.swe_bench.problems.len(), 1);
        assert_eq!(verdict.swe_bench.judged.outcome, GateOutcome::Missing);
    }
}
