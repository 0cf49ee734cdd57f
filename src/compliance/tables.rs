//! Vocabularies of the official checker. Numbers stand in the ruleset.

/// The words of `region`.
pub(super) const REGIONS: [&str; 6] = [
    "low_latency",
    "low_concurrency",
    "med_concurrency",
    "high_concurrency",
    "margin",
    "submitters_choice",
];
/// The words of a steady state's `status`.
pub(super) const STATUSES: [&str; 4] =
    ["windowable", "insufficient_duration", "insufficient_passes", "partial_dataset"];
/// The words of a steady state's `verdict`.
pub(super) const VERDICTS: [&str; 5] =
    ["STEADY STATE", "drifting_up", "drifting_down", "anomaly", "not found"];
/// The words of a steady state's metrics.
pub(super) const STATES: [&str; 3] = ["Plateau", "Drifting Up", "Drifting Down"];

/// Fields of `system_desc.json` that describe how a point uses the system, and may differ between the
/// points of a curve (submission format, §6).
pub const EXEMPT_FIELDS: [&str; 9] = [
    "tps_utilization",
    "tensor_parallel",
    "pipeline_parallel",
    "expert_parallel",
    "data_parallel",
    "disaggregated",
    "batch",
    "config_summary",
    "config_summary_notes",
];
