//! `compliance`: the rules that the results are held to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rules that the results are held to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Compliance {
    /// The benchmark's rules, such as `mlperf-endpoints-agentic/v1.0`, or a `.json` file with rules
    /// of your own, relative to this file; absent means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// The author's own rules, evaluated over each point's results at the end of a run and by
    /// `scenario audit`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1000))]
    pub checks: Vec<Check>,
}

/// One rule of the author's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Names the rule in reports.
    #[schemars(length(min = 1, max = 100))]
    pub id: String,
    /// An expression that says at which points the rule holds, such as `concurrency <= 32`;
    /// absent means everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// An expression that must be true, such as `ttft.p90_ms <= 2000`. Times are `ttft`, `tpot` and
    /// `latency` with `.p50_ms` to `.p99_9_ms`, `.min_ms`, `.max_ms`, `.avg_ms`; tokens are `isl`,
    /// `osl` and `osl_full_run` with `.p50` and so on, and `.total`; further `concurrency`, `region`,
    /// `duration_s`, `turns.failed`, `system_tps`, `tps_per_user`, `e2e_avg_interactivity`,
    /// `accuracy.inline_percent` and more (docs/audit.md). A point without the value breaks the rule,
    /// unless the expression asks `is defined`.
    #[schemars(length(min = 1))]
    pub require: String,
    /// What a point that breaks the rule means.
    #[serde(default)]
    pub severity: CheckSeverity,
}

/// What a point that breaks a rule means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckSeverity {
    /// The run has findings: exit code 1.
    #[default]
    Error,
    /// It is reported.
    Warning,
    /// It is mentioned.
    Note,
}
