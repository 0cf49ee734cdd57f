//! What the data sets hold ([`Depth::Full`](super::super::Depth::Full)).

use std::collections::BTreeMap;

use crate::dataset::{Limits, Reader, SharedIds};

use super::super::model::{Concurrency, Dataset};
use super::context::{Context, and_list, shown};

/// Most conversations without a system prompt that are named one by one.
const MAX_NAMED: usize = 3;

/// Reads every data set that is there and checks it against the scenario.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(datasets) = &context.scenario.datasets else { return };
    // Conversation id -> the data set that has it.
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let mut sizes: Vec<Option<u64>> = Vec::new();
    for (i, dataset) in datasets.iter().enumerate() {
        let size = one(context, i, dataset, &mut ids);
        sizes.push(size);
    }
    pass_size(context, datasets, &sizes);
}

/// Reads one data set; its trajectories, or `None` when it has errors.
fn one(
    context: &mut Context<'_>,
    index: usize,
    dataset: &Dataset,
    ids: &mut BTreeMap<String, usize>,
) -> Option<u64> {
    let path = context.scenario.home.named(&dataset.path);
    if !path.is_file() {
        return None;
    }
    let mut reader = match Reader::open(&path, Limits::default()) {
        Ok(reader) => reader,
        Err(error) => {
            let at = ["datasets", &index.to_string(), "path"];
            context.error(&at, "dataset-unreadable", error.to_string());
            return None;
        }
    };
    let salted = context.scenario.cache.is_some_and(|cache| cache.salt);
    let (mut without_system, mut shared) = (Vec::new(), Vec::new());
    while let Some(trajectory) = reader.next_trajectory() {
        if trajectory.system.is_none() {
            without_system.push((trajectory.id.clone(), trajectory.rows.first().map(|r| r.line)));
        }
        match ids.get(&trajectory.id) {
            Some(other) if *other != index => shared.push((trajectory.id, *other)),
            _ => {
                ids.insert(trajectory.id, index);
            }
        }
    }
    let facts = reader.finish();
    context.diagnostics.extend_from_slice(reader.diagnostics());
    if salted && !without_system.is_empty() {
        no_system_prompt(context, index, dataset, &without_system);
    }
    if !shared.is_empty() {
        shared_ids(context, index, &shared);
    }
    digest(context, index, dataset, facts.sha256.as_deref());
    taken(context, dataset, facts.trajectories);
    (reader.errors() == 0).then_some(facts.trajectories)
}

/// Salt needs a system prompt in every conversation.
fn no_system_prompt(
    context: &mut Context<'_>,
    index: usize,
    dataset: &Dataset,
    conversations: &[(String, Option<u64>)],
) {
    let names: Vec<String> =
        conversations.iter().take(MAX_NAMED).map(|(id, _)| format!("`{id}`")).collect();
    let more = conversations.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let line = conversations.first().and_then(|(_, line)| *line).unwrap_or(1);
    let path = context.scenario.home.named(&dataset.path);
    let message = format!(
        "prompts are salted, but {} in `{}` lack a system prompt",
        plural(conversations.len(), "conversation"),
        dataset.name
    );
    context
        .error(&["datasets", &index.to_string(), "path"], "salt-without-system-prompt", message)
        .note(format!(
            "such as {}{more}; the first starts at {}:{line}",
            names.join(", "),
            shown(&path)
        ))
        .help("add a system prompt to the data set, or write `cache: { salt: false }`");
}

/// A count with its noun.
fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A conversation's id names its session, so that two data sets cannot use one id for two.
fn shared_ids(context: &mut Context<'_>, index: usize, shared: &[(String, usize)]) {
    let (id, other) = &shared[0];
    let others = shared.len() - 1;
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    let mut ids = SharedIds::default();
    let names: Vec<String> = [*other, index]
        .into_iter()
        .zip(0..)
        .filter_map(|(set, n)| {
            ids.add(n, id);
            context.scenario.datasets.as_ref()?.get(set).map(|set| set.name.clone())
        })
        .collect();
    let names: Vec<String> = names.iter().map(|name| format!("`{}`", ids.name(name, id))).collect();
    context
        .warning(
            &["datasets", &index.to_string(), "path"],
            "shared-conversation-id",
            format!("two data sets share the conversation `{id}`{more}"),
        )
        .also(&["datasets", &other.to_string(), "path"], "also here")
        .note(format!("they are sent and logged as {}", names.join(" and ")));
}

/// The file is the one that the scenario names.
fn digest(context: &mut Context<'_>, index: usize, dataset: &Dataset, found: Option<&str>) {
    let (Some(expected), Some(found)) = (&dataset.sha256, found) else { return };
    if !expected.eq_ignore_ascii_case(found) {
        context
            .error(
                &["datasets", &index.to_string(), "sha256"],
                "dataset-digest",
                format!("data set `{}` is not the file that the scenario names", dataset.name),
            )
            .label("another file")
            .note(format!("`{}` has SHA-256 {found}", shown(&dataset.path)))
            .help("bring the right file, or correct `sha256`");
    }
}

/// `take` asks for no more than there is.
fn taken(context: &mut Context<'_>, dataset: &Dataset, available: u64) {
    let Some(mix) = &context.scenario.mix else { return };
    let Some(&wanted) = mix.take.get(&dataset.name) else { return };
    if u64::from(wanted) > available {
        context
            .error(
                &["mix", "take", &dataset.name],
                "take-too-many",
                format!(
                    "`mix.take` asks for {wanted} trajectories of `{}`, which has {available}",
                    dataset.name
                ),
            )
            .help("leave it out to take all; use `passes` to replay them several times");
    }
}

/// What a pass holds is enough for the sweep, and the ruleset's data set.
fn pass_size(context: &mut Context<'_>, datasets: &[Dataset], sizes: &[Option<u64>]) {
    let Some(mix) = &context.scenario.mix else { return };
    let taken = |(set, size): (&Dataset, &Option<u64>)| {
        let taken = mix.take.get(&set.name).copied().map(u64::from);
        size.map(|size| (mix.weight(&set.name), taken.map_or(size, |taken| size.min(taken))))
    };
    let taken: Option<Vec<(u32, u64)>> = datasets.iter().zip(sizes).map(taken).collect();
    let Some(taken) = taken else { return };
    let total = mix.plays(&taken).iter().fold(0_u64, |sum, plays| sum.saturating_add(*plays));
    let started = mix.trajectories.map_or(total * u64::from(mix.passes), u64::from);
    idle_slots(context, started);
    let Some(ruleset) = context.ruleset else { return };
    let wanted = ruleset.dataset.trajectories;
    if total != u64::from(wanted) {
        context
            .breach(
                &["datasets"],
                "ruleset-dataset",
                format!("a pass holds {total} trajectories; the benchmark's data set has {wanted}"),
            )
            .note(format!("its SHA-256 is {}", ruleset.dataset.sha256))
            .help("datasets/README.md says how to bring the official data set");
    }
}

/// A point with more slots than trajectories never has them all in use.
fn idle_slots(context: &mut Context<'_>, trajectories: u64) {
    let Some(load) = &context.scenario.load else { return };
    if matches!(&load.concurrency, Concurrency::Range(range) if range.from > range.to) {
        return;
    }
    let idle: Vec<u32> = load
        .concurrency
        .points()
        .into_iter()
        .filter(|point| u64::from(*point) > trajectories)
        .collect();
    if !idle.is_empty() && trajectories > 0 {
        let points = and_list(&idle);
        context
            .warning(
                &["load", "concurrency"],
                "sweep-idle",
                format!("{trajectories} trajectories cannot fill {points} conversations at once"),
            )
            .help("raise `mix.passes`, or leave out these points");
    }
}
