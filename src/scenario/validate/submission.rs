//! `submission`: cohort and seeds that can be adopted, and everything that a submission needs.

use crate::ruleset::{Cohort, Ruleset, SeedSet};

use super::super::model::{Division, Order, Submission};
use super::context::{Context, and_list};
use super::statements;

/// Checks the submission section.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(submission) = &context.scenario.submission else { return };
    needs(context, submission);
    statements::check(context, submission);
    let Some(ruleset) = context.ruleset else {
        let named = context.scenario.compliance.as_ref().map(|section| section.ruleset.is_some());
        if named == Some(false) {
            let known: Vec<&str> = Ruleset::all().iter().map(|r| r.name.as_str()).collect();
            context
                .error(
                    &["submission"],
                    "submission-ruleset",
                    "a submission is planned, but no ruleset is named".to_owned(),
                )
                .help(format!("add `compliance: {{ ruleset: {} }}`", known.join(" or ")));
        }
        return;
    };
    model(context, ruleset);
    if let Some(set) = ruleset.seed_set(&submission.seed_set) {
        seeds(context, submission, set);
    } else {
        unknown_seed_set(context, &submission.seed_set, ruleset);
    }
    drafters(context, submission, ruleset);
}

/// A seed set that was not published.
fn unknown_seed_set(context: &mut Context<'_>, id: &str, ruleset: &Ruleset) {
    let known: Vec<&str> = ruleset.seed_sets.iter().map(|set| set.id.as_str()).collect();
    let message = format!("no seed set is called `{id}`");
    context
        .error(&["submission", "seed_set"], "seed-set-unknown", message)
        .help(format!("published: {}", known.join(", ")));
}

/// The drafters of the ruleset are usable from a cohort on; earlier ones cannot use any.
fn drafters(context: &mut Context<'_>, submission: &Submission, ruleset: &Ruleset) {
    let target = submission.target_cohort.parse::<Cohort>();
    let from = ruleset.drafters_usable_from.parse::<Cohort>();
    if let (Ok(target), Ok(from)) = (target, from)
        && target < from
    {
        context
            .warning(
                &["submission", "target_cohort"],
                "cohort-drafters",
                format!("before {from} no drafter is approved for speculative decoding"),
            )
            .help(format!("aim at {from} or later if a drafter is used"));
    }
}

/// The seed set may be adopted, and the seeds are the set's.
fn seeds(context: &mut Context<'_>, submission: &Submission, set: &SeedSet) {
    if !set.adoptable.contains(&submission.target_cohort) {
        context
            .error(
                &["submission", "target_cohort"],
                "seed-set-cohort",
                format!("seed set {} cannot be adopted in {}", set.id, submission.target_cohort),
            )
            .also(&["submission", "seed_set"], "the seed set")
            .help(format!("it can in {}", and_list(&set.adoptable)));
    }
    let Some(mix) = &context.scenario.mix else { return };
    if mix.order == Order::Shuffled && mix.seed != set.sample_index_rng_seed {
        context
            .error(
                &["mix", "seed"],
                "seed-mismatch",
                format!("`mix.seed` is {}, but seed set {} is stated", mix.seed, set.id),
            )
            .also(&["submission", "seed_set"], "the seed set")
            .help(format!("write `seed: {}` under `mix`", set.sample_index_rng_seed));
    }
}

/// The model can be submitted.
fn model(context: &mut Context<'_>, ruleset: &Ruleset) {
    let benchmark = context.scenario.model.as_ref().and_then(|model| model.benchmark.as_deref());
    let Some(rules) = benchmark.and_then(|benchmark| ruleset.model(benchmark)) else { return };
    if !rules.submittable {
        context
            .error(
                &["model", "benchmark"],
                "benchmark-retired",
                format!("{} cannot be submitted", rules.title),
            )
            .help("leave out `submission`, or measure a current model");
    }
}

/// What every submission of a division states.
fn needs(context: &mut Context<'_>, submission: &Submission) {
    if submission.system.is_none() {
        context
            .error(
                &["submission"],
                "submission-incomplete",
                "a submission needs a system description".to_owned(),
            )
            .help("name it with `system:`");
    }
    if submission.division == Division::Standardized && submission.power.is_none() {
        context
            .error(
                &["submission", "division"],
                "submission-incomplete",
                "a Standardized submission needs a power description".to_owned(),
            )
            .help("name it with `power:`");
    }
    if submission.implementation.is_none() {
        context
            .error(
                &["submission"],
                "submission-incomplete",
                "a submission needs an implementation directory".to_owned(),
            )
            .help("name it with `implementation:`; it becomes a directory below `src`");
    }
}
