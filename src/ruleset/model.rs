//! What a ruleset says.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::power::PowerDefaults;
use super::regions::Regions;
use super::single_turn::SingleTurnRules;

/// The rulesets that come with the program.
static RULESETS: LazyLock<Vec<Ruleset>> = LazyLock::new(|| {
    embedded()
        .map(|text| serde_json::from_str(text).expect("a test reads every embedded ruleset"))
        .collect()
});

/// The texts of the embedded rulesets.
pub(super) fn embedded() -> impl Iterator<Item = &'static str> {
    [include_str!("mlperf-endpoints-agentic-v1.0.json")].into_iter()
}

/// The rules of one benchmark version.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruleset {
    /// The name that a scenario states.
    pub name: String,
    /// The benchmark in words.
    pub benchmark: String,
    /// The official data set.
    pub dataset: DatasetFacts,
    /// How many points a curve has.
    pub points: PointCount,
    /// What accuracy must be measured.
    pub accuracy: AccuracyRuns,
    /// The highest concurrency that covers the ultra-low region.
    pub ultra_low_max: u32,
    /// How far above the highest concurrency the margin reaches, as a factor.
    pub margin: f64,
    /// Shortest durations, by concurrency, in ascending order.
    pub min_durations: Vec<MinDuration>,
    /// The published seed sets.
    pub seed_sets: Vec<SeedSet>,
    /// Cohorts that may adopt a seed set, from its own on.
    pub seed_set_cohorts: u32,
    /// Cohorts between a drafter's approval and its first use.
    pub drafter_lead_cohorts: u32,
    /// The cohort in which the drafters were approved.
    pub drafters_approved: String,
    /// The first cohort that may use them.
    pub drafters_usable_from: String,
    /// The models with their numbers.
    pub models: Vec<ModelRules>,
    /// Canonical names of models that a submission may also name, under rules of their own.
    #[serde(default)]
    pub other_models: Vec<String>,
    /// The rules of those.
    pub single_turn: SingleTurnRules,
    /// What a part counts for where its power is not stated.
    pub power: PowerDefaults,
}

/// The official data set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetFacts {
    /// SHA-256 of the file.
    pub sha256: String,
    /// Conversations: one pass.
    pub trajectories: u32,
    /// Client requests in one pass.
    pub client_turns: u32,
    /// Recorded answers in one pass.
    pub assistant_turns: u32,
}

/// How many points a curve has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointCount {
    /// At least.
    pub min: usize,
    /// At most.
    pub max: usize,
}

/// What accuracy must be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccuracyRuns {
    /// Points with an accuracy run, one in each region.
    pub runs: usize,
    /// Instances of SWE-bench Verified, from its start.
    pub swe_bench_instances: u32,
}

/// The shortest duration of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinDuration {
    /// Holds up to this concurrency; `None` for all above.
    pub up_to: Option<u32>,
    /// The duration in seconds.
    pub seconds: u64,
}

/// A published seed set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedSet {
    /// Its id.
    pub id: String,
    /// The cohort that it was published with.
    pub cohort: String,
    /// The cohorts that may adopt it.
    pub adoptable: Vec<String>,
    /// Seed of the scheduler.
    pub scheduler_rng_seed: u64,
    /// Seed of the order of the samples.
    pub sample_index_rng_seed: u64,
    /// Seed for the model.
    pub model_seed: u64,
}

/// The numbers of one model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRules {
    /// The benchmark's own name of the model; also the submission's directory.
    pub canonical: String,
    /// The model in words.
    pub title: String,
    /// Other names that the model goes by, such as the repositories of its checkpoints.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Texts that all stand in any name of the model, in lower case without punctuation.
    #[serde(default)]
    pub fragments: Vec<String>,
    /// Whether results of this model can be submitted.
    pub submittable: bool,
    /// The SWE-bench service's template that the model needs.
    pub swe_bench_template: Option<String>,
    /// The sampling parameters under a scenario's names; whatever is not listed must be left out.
    pub sampling: Map<String, Value>,
    /// The accuracy that every submission reaches.
    pub thresholds: Option<Thresholds>,
    /// What the reference reached.
    pub reference: Option<ReferenceScores>,
    /// The published checkpoints.
    pub checkpoints: Vec<Checkpoint>,
    /// The approved drafters.
    pub drafters: Vec<Checkpoint>,
}

/// The accuracy that every submission reaches.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Floor of the inline score at every point, in percent.
    pub inline_percent: f64,
    /// Floor of the mean SWE-bench score, in percent.
    pub swe_bench_percent: f64,
    /// Range of the mean output length at every point.
    pub output_length: OutputLength,
}

/// A range of mean output lengths, in tokens per turn; both ends are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputLength {
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
}

/// What the reference reached.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceScores {
    /// Inline score, in percent.
    pub inline_percent: f64,
    /// SWE-bench score, in percent.
    pub swe_bench_percent: f64,
    /// Mean output length, in tokens per turn.
    pub output_length: f64,
}

/// A published checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The Hugging Face repository.
    pub repository: String,
    /// The git commit.
    pub revision: String,
}

/// The shortest duration at a concurrency.
pub(super) fn shortest(rules: &[MinDuration], concurrency: u32) -> Duration {
    rules
        .iter()
        .find(|rule| rule.up_to.is_none_or(|up_to| concurrency <= up_to))
        .map_or(Duration::ZERO, |rule| Duration::from_secs(rule.seconds))
}

impl Ruleset {
    /// The ruleset of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        RULESETS.iter().find(|ruleset| ruleset.name == name)
    }

    /// Every ruleset.
    pub fn all() -> &'static [Self] {
        &RULESETS
    }

    /// The numbers of a model by its canonical name.
    pub fn model(&self, canonical: &str) -> Option<&ModelRules> {
        self.models.iter().find(|model| model.canonical == canonical)
    }

    /// A seed set by its id.
    pub fn seed_set(&self, id: &str) -> Option<&SeedSet> {
        self.seed_sets.iter().find(|set| set.id == id)
    }

    /// The shortest duration of a point.
    pub fn min_duration(&self, concurrency: u32) -> Duration {
        shortest(&self.min_durations, concurrency)
    }

    /// The regions of a curve from its lowest concurrency to `c_max`; `None` when `c_max` is too
    /// low for regions.
    pub fn regions(&self, lowest: u32, c_max: u32) -> Option<Regions> {
        Regions::new(lowest.min(self.ultra_low_max), c_max, self.ultra_low_max, self.margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::Cohort;

    #[test]
    fn every_embedded_ruleset_reads_and_names_real_cohorts() {
        for ruleset in Ruleset::all() {
            assert_eq!(Ruleset::named(&ruleset.name).map(|r| &r.name), Some(&ruleset.name));
            let cohorts = ruleset.seed_sets.iter().flat_map(|set| &set.adoptable);
            for cohort in cohorts.chain([&ruleset.drafters_approved, &ruleset.drafters_usable_from])
            {
                cohort.parse::<Cohort>().unwrap();
            }
            for revision in
                ruleset.models.iter().flat_map(|m| m.checkpoints.iter().chain(&m.drafters))
            {
                assert_eq!(revision.revision.len(), 40, "{}", revision.repository);
            }
        }
    }

    #[test]
    fn the_drafters_are_usable_after_their_lead() {
        for ruleset in Ruleset::all() {
            let approved: Cohort = ruleset.drafters_approved.parse().unwrap();
            let usable = approved.later(ruleset.drafter_lead_cohorts);
            assert_eq!(usable.to_string(), ruleset.drafters_usable_from);
        }
    }

    #[test]
    fn a_cohort_and_the_next_three_may_adopt_a_seed_set() {
        for set in Ruleset::all().iter().flat_map(|ruleset| &ruleset.seed_sets) {
            let published: Cohort = set.cohort.parse().unwrap();
            let cohorts = Ruleset::all()[0].seed_set_cohorts;
            let window: Vec<String> =
                (0..cohorts).map(|steps| published.later(steps).to_string()).collect();
            assert_eq!((cohorts, &set.adoptable), (4, &window));
        }
    }

    #[test]
    fn points_above_32_run_longer() {
        let ruleset = Ruleset::named("mlperf-endpoints-agentic/v1.0").unwrap();
        let seconds = |concurrency| ruleset.min_duration(concurrency).as_secs();
        assert_eq!([seconds(1), seconds(32), seconds(33), seconds(512)], [600, 600, 2400, 2400]);
    }

    #[test]
    fn seeds_beyond_63_bits_are_kept() {
        let set = Ruleset::all()[0].seed_set("A").unwrap();
        assert_eq!(set.scheduler_rng_seed, 10_487_924_139_932_647_040);
        assert_eq!(set.sample_index_rng_seed, 586_478_644_936_801_402);
    }
}
