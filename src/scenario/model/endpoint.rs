//! `endpoint`: where the requests go.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{HumanDuration, Secret};

use super::Simulated;

/// Where the requests go: exactly one of `urls` and `simulated`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Endpoint {
    /// Base URLs of OpenAI-compatible servers, with or without `/v1`. A conversation keeps to one
    /// of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub urls: Vec<String>,
    /// An embedded simulated endpoint in place of a server; its numbers say nothing about any
    /// system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
    /// Bearer token; appears in no output. Empty means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// Further request headers; their values appear in no output.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Secret>,
    /// The header that carries the conversation's id, for cache-aware routers.
    #[schemars(length(min = 1))]
    pub session_header: String,
    /// Ask for token usage with `stream_options`; off, the body is exactly the reference client's.
    pub usage: bool,
    /// The key under which the history carries recorded reasoning.
    #[schemars(length(min = 1))]
    pub reasoning_field: String,
    /// Longest time to establish a connection.
    pub connect_timeout: HumanDuration,
    /// Longest time for which an idle connection is used again.
    pub max_idle: HumanDuration,
    /// PEM file with further certificate authorities, relative to this file. Empty means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
}

impl Default for Endpoint {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            simulated: None,
            api_key: None,
            headers: BTreeMap::new(),
            session_header: "X-Session-ID".to_owned(),
            usage: true,
            reasoning_field: "reasoning_content".to_owned(),
            connect_timeout: HumanDuration::from_secs(10),
            max_idle: HumanDuration::from_millis(500),
            ca_file: None,
        }
    }
}
