//! What of a scenario the reference client cannot do, and what it does otherwise.

use crate::scenario::ValidScenario;
use crate::scenario::model::{GeneratedTokens, Order, ToolDelays};

/// One setting that does not carry over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The key in the scenario file.
    pub key: String,
    /// What the client does.
    pub text: &'static str,
}

fn difference(key: &str, text: &'static str) -> Difference {
    Difference { key: key.to_owned(), text }
}

/// Settings that the client has no key for: with them it would measure something else.
pub fn obstacles(scenario: &ValidScenario) -> Vec<Difference> {
    let (sampling, endpoint) = (&scenario.model.sampling, &scenario.endpoint);
    let mut found = Vec::new();
    let unknown = [
        ("min_p", sampling.min_p.is_some()),
        ("stop", sampling.stop.is_some()),
        ("logit_bias", sampling.logit_bias.is_some()),
        ("extra", sampling.extra.as_ref().is_some_and(|extra| !extra.is_empty())),
    ];
    for (key, set) in unknown {
        if set {
            found.push(difference(&format!("model.sampling.{key}"), "it has no such parameter"));
        }
    }
    if !endpoint.headers.is_empty() {
        found.push(difference("endpoint.headers", "it sends no further headers"));
    }
    if endpoint.ca_file.is_some() {
        found.push(difference("endpoint.ca_file", "it takes no certificate authorities of yours"));
    }
    if endpoint.reasoning_field != "reasoning_content" {
        found.push(difference("endpoint.reasoning_field", "it always sends `reasoning_content`"));
    }
    if !scenario.mix.weights.is_empty() {
        found
            .push(difference("mix.weights", "it plays every trajectory of its file equally often"));
    }
    if matches!(scenario.load.tool_delays, ToolDelays::Scaled(_)) {
        found.push(difference("load.tool_delays", "it knows only `recorded` and `none`"));
    }
    found
}

/// Settings in which the client's run differs from one of ours.
pub fn differences(scenario: &ValidScenario) -> Vec<Difference> {
    let mut found = Vec::new();
    if scenario.cache.generated_tokens == GeneratedTokens::Clear {
        found.push(difference(
            "cache.generated_tokens",
            "it sends the history as recorded, as with `keep`",
        ));
    }
    if scenario.mix.order != Order::Shuffled {
        found.push(difference(
            "mix.order",
            "newer versions of it shuffle every pass, as with `shuffled`",
        ));
    }
    if scenario.load.warmup.is_some() {
        found.push(difference("load.warmup", "it is left out; it warms up in another way"));
    }
    if scenario.model.sampling.max_tokens.is_none() {
        found.push(difference(
            "model.sampling.max_tokens",
            "it sends a limit of its own where none is set",
        ));
    }
    found
}
