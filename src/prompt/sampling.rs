//! From a scenario to the form of its requests.

use serde::Serialize;

use super::template::{PromptOptions, RequestTemplate};
use crate::scenario::model::{GeneratedTokens, Sampling, Scenario};

impl RequestTemplate {
    /// The form of the requests that `scenario` asks for: exactly the sampling that it states.
    pub fn of(scenario: &Scenario) -> Self {
        let fields = sampling_fields(&scenario.model.sampling);
        Self::new(&scenario.model.name, fields, scenario.endpoint.usage)
    }
}

impl PromptOptions {
    /// How `scenario` wants its prompts prepared.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            salt: scenario.cache.salt,
            clear_generated: scenario.cache.generated_tokens == GeneratedTokens::Clear,
            reasoning_field: scenario.endpoint.reasoning_field.clone(),
        }
    }
}

/// The body's keys with their values as compact JSON; what is not stated is left out.
fn sampling_fields(sampling: &Sampling) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    push(&mut fields, "temperature", sampling.temperature.as_ref());
    push(&mut fields, "max_completion_tokens", sampling.max_tokens.as_ref());
    push(&mut fields, "seed", sampling.seed.as_ref());
    push(&mut fields, "top_p", sampling.top_p.as_ref());
    push(&mut fields, "top_k", sampling.top_k.as_ref());
    push(&mut fields, "min_p", sampling.min_p.as_ref());
    push(&mut fields, "repetition_penalty", sampling.repetition_penalty.as_ref());
    push(&mut fields, "stop", sampling.stop.as_ref());
    push(&mut fields, "presence_penalty", sampling.presence_penalty.as_ref());
    push(&mut fields, "frequency_penalty", sampling.frequency_penalty.as_ref());
    push(&mut fields, "logit_bias", sampling.logit_bias.as_ref());
    push(&mut fields, "chat_template_kwargs", sampling.chat_template_kwargs.as_ref());
    for (key, value) in sampling.extra.iter().flatten() {
        push(&mut fields, key, Some(value));
    }
    fields
}

fn push<T: Serialize>(fields: &mut Vec<(String, String)>, key: &str, value: Option<&T>) {
    let Some(value) = value else { return };
    let text = serde_json::to_string(value).expect("numbers, texts, lists and maps are JSON");
    fields.push((key.to_owned(), text));
}
