//! `model`: the benchmark's name, and sampling as its ruleset wants it.

use serde_json::{Map, Value};

use crate::ruleset::{ModelRules, Ruleset};
use crate::yaml::nearest;

use super::super::model::{Model, Sampling};
use super::context::Context;

/// Checks the model.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(model) = &context.scenario.model else { return };
    reserved_keys(context, &model.sampling);
    match (context.ruleset, &model.benchmark) {
        (Some(ruleset), Some(benchmark)) => match ruleset.model(benchmark) {
            Some(rules) => sampling(context, model, rules),
            None => unknown_model(context, benchmark, ruleset.models.as_slice()),
        },
        (Some(ruleset), None) => {
            let known = canonical(&ruleset.models);
            context
                .breach(
                    &["model"],
                    "benchmark-missing",
                    format!("`model.benchmark` is missing, which `{}` needs", ruleset.name),
                )
                .help(format!("add `benchmark:` with one of {}", known.join(", ")));
        }
        (None, Some(benchmark)) => {
            let all: Vec<&ModelRules> =
                Ruleset::all().iter().flat_map(|ruleset| &ruleset.models).collect();
            if !all.iter().any(|model| model.canonical == *benchmark) {
                let known: Vec<&str> = all.iter().map(|model| model.canonical.as_str()).collect();
                report_unknown(context, benchmark, &known);
            }
        }
        (None, None) => {}
    }
}

/// The canonical names of models.
fn canonical(models: &[ModelRules]) -> Vec<&str> {
    models.iter().map(|model| model.canonical.as_str()).collect()
}

/// A model that the ruleset does not have.
fn unknown_model(context: &mut Context<'_>, benchmark: &str, models: &[ModelRules]) {
    report_unknown(context, benchmark, &canonical(models));
}

/// A canonical name that does not exist.
fn report_unknown(context: &mut Context<'_>, benchmark: &str, known: &[&str]) {
    let help = match nearest(benchmark, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known models: {}", known.join(", ")),
    };
    let message = format!("the benchmark knows no model `{benchmark}`");
    context.error(&["model", "benchmark"], "benchmark-unknown", message).help(help);
}

/// Sampling is exactly the ruleset's: nothing else, nothing less.
fn sampling(context: &mut Context<'_>, model: &Model, rules: &ModelRules) {
    let stated = match serde_json::to_value(&model.sampling) {
        Ok(Value::Object(stated)) => stated,
        _ => Map::new(),
    };
    for (key, wanted) in &rules.sampling {
        match stated.get(key) {
            Some(found) if same(found, wanted) => {}
            Some(found) => {
                context
                    .breach(
                        &["model", "sampling", key],
                        "ruleset-sampling",
                        format!("`{key}` is {found}, but {} is sampled with {wanted}", rules.title),
                    )
                    .help(format!("write `{key}: {wanted}`"));
            }
            None => {
                context
                    .breach(
                        &["model", "sampling"],
                        "ruleset-sampling",
                        format!("`{key}` is missing; {} is sampled with {wanted}", rules.title),
                    )
                    .help(format!("add `{key}: {wanted}`"));
            }
        }
    }
    for key in stated.keys().filter(|key| !rules.sampling.contains_key(*key)) {
        context
            .breach(
                &["model", "sampling", key],
                "ruleset-sampling",
                format!("`{key}` must be left out for {}", rules.title),
            )
            .help(format!("remove `{key}`: what the rules do not list may not be sent"));
    }
}

/// Whether two values are equal, numbers by their value: 1 is 1.0.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Keys of a request body that the program writes itself.
const RESERVED: [&str; 9] = [
    "model",
    "messages",
    "tools",
    "stream",
    "stream_options",
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "n",
];

/// `sampling.extra` may not say again what the program writes.
fn reserved_keys(context: &mut Context<'_>, sampling: &Sampling) {
    for key in sampling.extra.iter().flat_map(Map::keys) {
        if RESERVED.contains(&key.as_str()) || is_typed(key) {
            context
                .error(
                    &["model", "sampling", "extra", key],
                    "sampling-extra",
                    format!("`{key}` cannot stand in `model.sampling.extra`"),
                )
                .help("keys that `sampling` has itself go there; the others are the program's");
        }
    }
}

/// Whether `sampling` has a key of this name.
fn is_typed(key: &str) -> bool {
    [
        "top_p",
        "top_k",
        "min_p",
        "repetition_penalty",
        "presence_penalty",
        "frequency_penalty",
        "seed",
        "stop",
        "logit_bias",
        "chat_template_kwargs",
    ]
    .contains(&key)
}
