//! `datasets` and `mix`: names, and a mix that can be dealt.

use crate::yaml::nearest;

use super::super::model::{Dataset, Mix};
use super::context::Context;

/// Checks data sets and mix without reading the data.
pub(super) fn check(context: &mut Context<'_>) {
    if let Some(datasets) = &context.scenario.datasets {
        names(context, datasets);
    }
    if let (Some(datasets), Some(mix)) = (&context.scenario.datasets, &context.scenario.mix) {
        take(context, datasets, mix);
    }
    if let Some(mix) = &context.scenario.mix {
        passes(context, mix);
    }
}

/// Names and files occur once.
fn names(context: &mut Context<'_>, datasets: &[Dataset]) {
    for (i, dataset) in datasets.iter().enumerate() {
        let index = i.to_string();
        if let Some(first) = datasets[..i].iter().position(|other| other.name == dataset.name) {
            context
                .error(
                    &["datasets", &index, "name"],
                    "dataset-name-twice",
                    format!("two data sets are called `{}`", dataset.name),
                )
                .label("second")
                .also(&["datasets", &first.to_string(), "name"], "first")
                .help("give each its own name");
        }
        let file = context.scenario.home.absolute(&dataset.path);
        let same = |other: &Dataset| context.scenario.home.absolute(&other.path) == file;
        if let Some(first) = datasets[..i].iter().position(same) {
            context
                .error(
                    &["datasets", &index, "path"],
                    "dataset-file-twice",
                    format!("the file of `{}` is listed twice", dataset.name),
                )
                .label("second")
                .also(&["datasets", &first.to_string(), "path"], "first")
                .help("use `mix.passes` to replay a data set several times");
        }
    }
}

/// `take` and `weights` name data sets, and `take` leaves something.
fn take(context: &mut Context<'_>, datasets: &[Dataset], mix: &Mix) {
    for name in mix.take.keys() {
        let names = datasets.iter().map(|dataset| dataset.name.as_str());
        if !names.clone().any(|other| other == name) {
            let help = match nearest(name, names.clone()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("data sets: {}", names.collect::<Vec<_>>().join(", ")),
            };
            context
                .error(
                    &["mix", "take", name],
                    "take-unknown",
                    format!("`mix.take` names `{name}`, but no data set is called so"),
                )
                .help(help);
        }
    }
    for name in mix.weights.keys() {
        let names = datasets.iter().map(|dataset| dataset.name.as_str());
        if !names.clone().any(|other| other == name) {
            let help = match nearest(name, names.clone()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("data sets: {}", names.collect::<Vec<_>>().join(", ")),
            };
            context
                .error(
                    &["mix", "weights", name],
                    "weights-unknown",
                    format!("`mix.weights` names `{name}`, but no data set is called so"),
                )
                .help(help);
        }
    }
    if datasets.iter().all(|dataset| mix.take.get(&dataset.name) == Some(&0)) {
        context
            .error(&["mix", "take"], "mix-empty", "`mix.take` takes nothing".to_owned())
            .help("take at least one trajectory of one data set");
    }
}

/// Passes are whole unless the author is debugging.
fn passes(context: &mut Context<'_>, mix: &Mix) {
    let Some(trajectories) = mix.trajectories else { return };
    if mix.passes > 1 {
        context
            .error(
                &["mix", "trajectories"],
                "mix-passes",
                format!("`mix` asks for {} passes and for {trajectories} trajectories", mix.passes),
            )
            .label("one limit")
            .also(&["mix", "passes"], "and another")
            .help("keep one of the two");
    }
}
