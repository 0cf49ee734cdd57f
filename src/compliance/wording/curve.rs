//! Rules about one curve: one system with one model.

use super::{Message, Rule, Scope, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

const fn warning(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Warning, found, required }
}

const fn note(key: &'static str, found: &'static str) -> Message {
    Message { key, severity: Severity::Note, found, required: "" }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "point-dirs",
        scope: Scope::Curve,
        title: "a curve has points",
        section: "§1, §8.1",
        explain: "A model directory must hold at least one directory named r and digits; nothing \
                  else of the curve is looked at otherwise.",
        fix: "name each point's directory r<concurrency>",
        messages: &[error("fail-2", "no directory r<N>", "one directory r<N> for every point")],
    },
    Rule {
        id: "system-description-present",
        scope: Scope::Curve,
        title: "every point has system_desc.json",
        section: "§8.2",
        explain: "Every point needs its own copy of system_desc.json; a curve without any usable \
                  one is a finding of its own.",
        fix: "copy the system's system_desc.json into every point",
        messages: &[
            error("fail-2", "the point has no system_desc.json", "system_desc.json in every point"),
            error(
                "fail",
                "no point has a usable system_desc.json",
                "system_desc.json in every point",
            ),
        ],
    },
    Rule {
        id: "system-description-valid",
        scope: Scope::Curve,
        title: "system_desc.json fits its schema",
        section: "§8.2",
        explain: "Every point's copy must be a JSON object; the copy of the first point must fit \
                  the schema. A copy that does not fit does not stop the other checks.",
        fix: "correct the named field in every point's system_desc.json",
        messages: &[
            error("fail", "the file is no JSON object", "a JSON object"),
            error("division-unknown", "{field} is {found}", "Standardized, Serviced or RDI"),
            error("availability-unknown", "{field} is {found}", "Available, Preview or RDI"),
            error("availability-conflict", "spellings that differ: {found}", "one availability"),
            error("availability-url-missing", "Available with {found}", "availability_url"),
            error("availability-date-missing", "Preview with {found}", "target_availability_date"),
            error("availability-date-invalid", "{field} is {found}", "a real date YYYY-MM-DD"),
            error("shortened-name-empty", "{field} is {found}", "1 to 20 characters"),
            error("shortened-name-too-long", "{field} is {found}", "1 to 20 characters"),
            error(
                "core-count-missing",
                "{field} has {found}",
                "host_processor_core_count or host_processor_vcpu_count",
            ),
            error("invalid", "{field} is {found}", "a whole number from 1 to 32"),
        ],
    },
    Rule {
        id: "system-description-consistency",
        scope: Scope::Curve,
        title: "the points describe one system",
        section: "§8.5",
        explain: "Every copy of system_desc.json must equal the first one except in \
                  tps_utilization, the four degrees of parallelism, disaggregated, batch, \
                  config_summary and config_summary_notes. Only the first differing point is told.",
        fix: "make the fields equal in every point's system_desc.json",
        messages: &[error(
            "fail",
            "differs from {first} in {fields}",
            "the same system everywhere",
        )],
    },
    Rule {
        id: "c-min-override",
        scope: Scope::Curve,
        title: "c_min_override is declared alike at every point",
        section: "§5.4",
        explain: "Where any point declares c_min_override, all must, as the same JSON integer from \
                  1 to 32 (no boolean, no 8.0), and a point that is no dedicated Offline run must \
                  stand at it. Otherwise the curve has no regions.",
        fix: "declare the same c_min_override in every system_desc.json, or in none",
        messages: &[
            error(
                "missing-declaration",
                "no c_min_override, which other points declare",
                "it at every point",
            ),
            error("invalid", "c_min_override is {found}", "a JSON integer from 1 to 32"),
            error("inconsistent", "different values: {found}", "one value"),
            error("missing-point", "no point stands at c_min_override {found}", "a point r{found}"),
        ],
    },
    Rule {
        id: "max-concurrency-declared",
        scope: Scope::Curve,
        title: "the highest supported concurrency",
        section: "§7",
        explain: "Tells max_supported_concurrency, the C_max that regions are computed from. Never \
                  a fault.",
        fix: "nothing to mend",
        messages: &[note("pass", "C_max is {c_max}")],
    },
    Rule {
        id: "region-basis",
        scope: Scope::Curve,
        title: "regions can be computed",
        section: "§5.4",
        explain: "A warning when max_supported_concurrency cannot be read: every rule about \
                  regions, coverage, durations and SWE-bench then stands down.",
        fix: "state max_supported_concurrency in system_desc.json",
        messages: &[
            warning("warn", "max_supported_concurrency cannot be read", "a whole number above 32"),
            note("pass", "C_min is {c_min}"),
            note("override", "C_min is {c_min}, as declared"),
        ],
    },
    Rule {
        id: "region-computation",
        scope: Scope::Curve,
        title: "C_max and C_min allow regions",
        section: "§5.5",
        explain: "C_max must be above 32; C_min, the lowest concurrency of the curve and at most \
                  32, must be at least 1.",
        fix: "measure up to a concurrency above 32 and declare it as max_supported_concurrency",
        messages: &[
            error("c-max-too-low", "C_max is {found}", "more than 32"),
            error("c-min-range", "C_min is {found}", "1 to 32"),
        ],
    },
    Rule {
        id: "model-name-valid",
        scope: Scope::Curve,
        title: "model_name is a model of the benchmark",
        section: "§3.2",
        explain: "Each distinct model_name of the curve must be one of the benchmark's names, \
                  exactly as written.",
        fix: "write the benchmark's own name of the model in every point.yaml",
        messages: &[
            error("fail", "model_name is {name}", "one of {allowed}"),
            error("noncanonical", "model_name is {name}", "{canonical}"),
        ],
    },
    Rule {
        id: "model-name-consistency",
        scope: Scope::Curve,
        title: "the model directory is named after model_name",
        section: "§8.1",
        explain: "The first declared model_name must equal the directory's name; a warning when no \
                  point declares one.",
        fix: "rename the model directory, or correct model_name",
        messages: &[
            error("fail", "model_name is {name}, the directory {directory}", "the same name"),
            warning("warn", "no point declares model_name", "model_name {directory}"),
        ],
    },
    Rule {
        id: "config-consistency-model",
        scope: Scope::Curve,
        title: "one curve, one model",
        section: "§9.1",
        explain: "Every declared model_name of the curve must be the same.",
        fix: "put points of different models into different model directories",
        messages: &[error("fail", "models {names}", "one model")],
    },
    Rule {
        id: "config-consistency-dataset",
        scope: Scope::Curve,
        title: "one curve, one data set",
        section: "§9.1",
        explain: "`dataset` must be the same at every point whose summary could be read.",
        fix: "write the same `dataset` in every point.yaml",
        messages: &[error("fail", "data sets {names}", "one data set")],
    },
    Rule {
        id: "benchmark-type-consistency",
        scope: Scope::Curve,
        title: "one curve, one load pattern",
        section: "§6.1, §8.5",
        explain: "Every point but dedicated Offline runs must have the same load pattern; otherwise \
                  the curve is judged as single-turn.",
        fix: "write the same runtime_settings.load_pattern in every point.yaml",
        messages: &[error("fail", "load patterns {names}", "one load pattern")],
    },
    Rule {
        id: "point-count",
        scope: Scope::Curve,
        title: "a curve has enough points",
        section: "§5.3",
        explain: "At least 7 point directories, valid or not; 8 when a point of a single-turn curve \
                  is a dedicated Offline run.",
        fix: "measure more points",
        messages: &[error("fail", "{found} points", "at least {minimum}")],
    },
    Rule {
        id: "point-cap",
        scope: Scope::Curve,
        title: "a curve has not too many points",
        section: "§5.3",
        explain: "At most 32 point directories.",
        fix: "leave points out",
        messages: &[error("fail", "{found} points", "at most {maximum}")],
    },
    Rule {
        id: "offline-point-present",
        scope: Scope::Curve,
        title: "the Offline point",
        section: "§5.7",
        explain: "An agentic curve has no point with offline dedicated or elected. Any other curve \
                  has exactly one; an elected one stands at C_max.",
        fix: "correct `offline` in point.yaml",
        messages: &[
            error("fail-3", "an agentic curve with Offline points {listed}", "none"),
            error("fail", "Offline points {listed}", "exactly one"),
            error("fail-2", "no Offline point", "exactly one on a single-turn curve"),
            error("fail-4", "the elected point stands at {found}", "C_max {c_max}"),
        ],
    },
    Rule {
        id: "offline-ordering",
        scope: Scope::Curve,
        title: "a dedicated Offline run is no worse than the C_max point",
        section: "§5.7.2",
        explain: "A warning when a dedicated Offline run has a concurrency below C_max, or less \
                  than 0.98 of the throughput of the point at exactly C_max.",
        fix: "repeat the Offline run",
        messages: &[
            warning("warn", "the Offline concurrency is {found}", "at least C_max {c_max}"),
            warning("warn-2", "the Offline throughput is {found} tokens/s", "at least {floor}"),
        ],
    },
    Rule {
        id: "ultra-low-concurrency-coverage",
        scope: Scope::Curve,
        title: "a point covers ultra-low concurrency",
        section: "§5.4",
        explain: "A point from 1 to 32 must exist, or from 1 to C_min where c_min_override is \
                  declared.",
        fix: "measure a point at a low concurrency",
        messages: &[error("fail", "the lowest point is {lowest}", "a point from 1 to {limit}")],
    },
    Rule {
        id: "low-concurrency-coverage",
        scope: Scope::Curve,
        title: "a point covers low concurrency",
        section: "§5.4, §5.5",
        explain: "A point, readable or not, must lie in C_min+1 to C_min + 2^I with I = \
                  log2(C_max - C_min) / 3, rounded half to even.",
        fix: "measure a point in the range",
        messages: &[error("fail", "no point from {from} to {to}", "at least one")],
    },
    Rule {
        id: "med-concurrency-coverage",
        scope: Scope::Curve,
        title: "a point covers medium concurrency",
        section: "§5.4, §5.5",
        explain: "A point, readable or not, must lie above the low region and up to C_min + 2^(2I).",
        fix: "measure a point in the range",
        messages: &[error("fail", "no point from {from} to {to}", "at least one")],
    },
    Rule {
        id: "high-concurrency-coverage",
        scope: Scope::Curve,
        title: "a point covers high concurrency",
        section: "§5.4, §5.5",
        explain: "A point, readable or not, must lie above the medium region and up to C_max; the \
                  margin above C_max covers nothing.",
        fix: "measure a point in the range",
        messages: &[error("fail", "no point from {from} to {to}", "at least one")],
    },
    Rule {
        id: "tps-utilization",
        scope: Scope::Curve,
        title: "tps_utilization is the share of the curve's peak",
        section: "§8.2",
        explain: "Where a point states tps_utilization and its throughput can be read, it must be \
                  within 0.1 of throughput / highest throughput of the curve.",
        fix: "write system_tps divided by the highest system_tps of the same curve",
        messages: &[error("fail", "tps_utilization is {found}", "{expected} within 0.1")],
    },
    Rule {
        id: "shared-path-resolution",
        scope: Scope::Curve,
        title: "shared_src and shared_docs lead to directories",
        section: "§8.1, §9.1",
        explain: "Each distinct value must be a relative path without `..` and `~` to an existing \
                  directory below the submission's root.",
        fix: "write a path such as src/vllm or docs, relative to the submission's root",
        messages: &[error(
            "fail",
            "{field} is {value} at {points}",
            "an existing directory below the root",
        )],
    },
    Rule {
        id: "seed-set-consistency",
        scope: Scope::Curve,
        title: "one curve, one seed set",
        section: "§4.6",
        explain: "Every declared seed_set of the curve must be the same.",
        fix: "measure every point with the same seed set",
        messages: &[error("fail", "seed sets {names}", "one seed set")],
    },
];
