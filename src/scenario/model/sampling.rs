//! `model.sampling`: what a request says about sampling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// Sampling parameters of every request. What is left out is not sent, so that the server's own
/// default holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 10.0))]
    pub temperature: Option<Number>,
    /// Nucleus sampling: the smallest set of tokens whose probabilities reach this sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub top_p: Option<Number>,
    /// Sample from this many most probable tokens only; 0 or -1 switches it off on most servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1))]
    pub top_k: Option<i64>,
    /// Drop tokens less probable than this share of the most probable one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 1.0))]
    pub min_p: Option<Number>,
    /// Penalty on every token that occurred; 1.0 is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = 0.0, max = 10.0))]
    pub repetition_penalty: Option<Number>,
    /// Penalty on a token that occurred at all; 0.0 is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = -2.0, max = 2.0))]
    pub presence_penalty: Option<Number>,
    /// Penalty on a token by how often it occurred; 0.0 is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>", range(min = -2.0, max = 2.0))]
    pub frequency_penalty: Option<Number>,
    /// The server's sampling seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Most tokens of one reply; sent as `max_completion_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Texts that end a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Vec<String>>,
    /// Bias per token id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logit_bias: Option<Map<String, Value>>,
    /// Arguments of the model's chat template, such as `preserve_thinking: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_template_kwargs: Option<Map<String, Value>>,
    /// Further keys of the request body, sent as they are, such as `ignore_eos: true`. Never
    /// within a ruleset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra: Option<Map<String, Value>>,
}
