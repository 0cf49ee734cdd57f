//! What a submission states fits together: its points, and its files with the section itself.

use super::super::model::{Submission, WarmupStatement};
use super::context::{Context, and_list};

/// Checks what the section and its files state.
pub(super) fn check(context: &mut Context<'_>, submission: &Submission) {
    disclosure(context, submission);
    points(context, submission);
    agreement(context, submission);
    if submission.speculative_decoding.is_empty() {
        for (i, point) in submission.points.iter().enumerate() {
            if point.speculative_decoding == Some(true) {
                let at = ["submission", "points", &i.to_string(), "speculative_decoding"];
                let message = "a point uses a drafter, but none is stated".to_owned();
                context
                    .error(&at, "submission-disagrees", message)
                    .help("describe the drafter in `submission.speculative_decoding`");
            }
        }
    }
    let steps = |warmup: &WarmupStatement| warmup != &WarmupStatement::default();
    let load = context.scenario.load.as_ref();
    if submission.warmup.as_ref().is_some_and(steps)
        && load.is_some_and(|load| load.warmup.is_none())
    {
        context
            .error(
                &["submission", "warmup"],
                "submission-disagrees",
                "a warm-up is described, but `load.warmup` asks for none".to_owned(),
            )
            .help("add `load.warmup`, or leave `submission.warmup` out");
    }
}

/// What every point discloses.
fn disclosure(context: &mut Context<'_>, submission: &Submission) {
    let mut lacks = |what: &str, help: &str| {
        context
            .error(&["submission"], "submission-incomplete", format!("a submission needs {what}"))
            .help(help.to_owned());
    };
    if submission.model.is_none() {
        lacks(
            "the checkpoint that is served",
            "state it with `model: { precision: …, link: … }` under `submission`",
        );
    }
    if submission.dataset.is_none() {
        lacks(
            "the data set's name and link",
            "state them with `dataset: { name: …, link: … }` under `submission`",
        );
    }
}

/// Every stated point is one of the sweep, and stated once.
fn points(context: &mut Context<'_>, submission: &Submission) {
    let Some(load) = &context.scenario.load else { return };
    let sweep = load.concurrency.points();
    let mut known: Vec<u32> = Vec::new();
    for (i, point) in submission.points.iter().enumerate() {
        for (k, at) in point.at.iter().enumerate() {
            let (i, k) = (i.to_string(), k.to_string());
            let place = ["submission", "points", &i, "at", &k];
            if !sweep.contains(at) {
                context
                    .error(
                        &place,
                        "submission-point",
                        format!("something is stated of {at}, which is no point of the sweep"),
                    )
                    .help(format!("points: {}", and_list(&sweep)));
            } else if known.contains(at) {
                context
                    .error(&place, "submission-point", format!("the point {at} is stated twice"))
                    .help("put everything about a point into one entry");
            }
            known.push(*at);
        }
    }
}

/// The system description says of division and organisation what the section says.
fn agreement(context: &mut Context<'_>, submission: &Submission) {
    let Some(system) = &context.scenario.statements.system else { return };
    let same = |stated: &str, own: &str, any_case: bool| {
        let (stated, own) = (stated.trim(), own.trim());
        stated == own || (any_case && stated.eq_ignore_ascii_case(own))
    };
    for (key, place, own, any_case) in [
        ("division", "division", submission.division.name(), true),
        ("submitter_org_names", "organisation", submission.organisation.as_str(), false),
    ] {
        let Some(node) = system.get(key) else { continue };
        if node.as_str().is_some_and(|stated| !same(stated, own, any_case)) {
            let found = node.as_str().unwrap_or_default().to_owned();
            context
                .error(
                    &["submission", place],
                    "submission-disagrees",
                    format!("`{place}` is `{own}`, but the system description says `{found}`"),
                )
                .also_in(node, format!("`{key}` is stated here"))
                .help("write the same in both, or leave it out of the system description");
        }
    }
}
