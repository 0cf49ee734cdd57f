//! `point.yaml`.

use super::super::document::{
    Fields, Map, Problem, Value, boolean, float, int, list, map, root, text,
};

/// The load pattern of single-turn points.
pub(in crate::compliance) const CONCURRENCY: &str = "concurrency";
/// The load pattern of agentic points.
pub(in crate::compliance) const AGENTIC: &str = "agentic_inference";
/// An Offline run of its own.
pub(in crate::compliance) const DEDICATED: &str = "dedicated";
/// An ordinary point that also counts as the Offline result.
pub(in crate::compliance) const ELECTED: &str = "elected";

/// A point's disclosure.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Point {
    pub(in crate::compliance) concurrency: i128,
    pub(in crate::compliance) region: Option<String>,
    pub(in crate::compliance) dataset: String,
    pub(in crate::compliance) load_pattern: String,
    pub(in crate::compliance) stream_all_chunks: bool,
    /// Scheduler, sample index and model seed.
    pub(in crate::compliance) seeds: [Option<i128>; 3],
    /// Whether the seeds stand only under the names of version 0.7.
    pub(in crate::compliance) legacy_seed_names: bool,
    pub(in crate::compliance) warmup_salt: Option<bool>,
    pub(in crate::compliance) warmup: Option<Warmup>,
    pub(in crate::compliance) division: Option<String>,
    pub(in crate::compliance) max_supported_concurrency: Option<i128>,
    pub(in crate::compliance) model_name: Option<String>,
    pub(in crate::compliance) shared_src: Option<String>,
    pub(in crate::compliance) shared_docs: Option<String>,
    pub(in crate::compliance) seed_set: Option<String>,
    pub(in crate::compliance) target_cohort: Option<String>,
    /// Disclosure fields that are absent, null or empty.
    pub(in crate::compliance) undisclosed: Vec<&'static str>,
    pub(in crate::compliance) offline: Option<String>,
    pub(in crate::compliance) steady_state: Option<SteadyState>,
    pub(in crate::compliance) speculative_decoding: Option<Map>,
    pub(in crate::compliance) nodes_used: Option<Vec<NodesUsed>>,
    pub(in crate::compliance) dp_shortfall: Option<DpShortfall>,
}

/// The warmup as performed.
#[derive(Clone, Copy, Debug)]
pub(in crate::compliance) struct Warmup {
    /// Whether it took no time and sent nothing.
    pub(in crate::compliance) is_disabled: bool,
    pub(in crate::compliance) logs_retained: Option<bool>,
}

/// What the steady-state detector said.
#[derive(Clone, Debug, Default)]
pub(in crate::compliance) struct SteadyState {
    pub(in crate::compliance) status: Option<String>,
    pub(in crate::compliance) verdict: Option<String>,
    /// Super-passes in the window, where both ends are stated.
    pub(in crate::compliance) span: Option<i128>,
    pub(in crate::compliance) duration_s: Option<f64>,
    /// Metric and state, by metric.
    pub(in crate::compliance) state: Vec<(String, String)>,
}

/// Nodes of one kind that a point engages.
#[derive(Clone, Copy, Debug)]
pub(in crate::compliance) struct NodesUsed {
    pub(in crate::compliance) ensemble: i128,
    pub(in crate::compliance) nodes: i128,
}

/// Fewer replicas than fit, as declared.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct DpShortfall {
    pub(in crate::compliance) actual: i128,
    pub(in crate::compliance) formula: i128,
    pub(in crate::compliance) reason: String,
}

impl Point {
    /// Reads the document's value.
    pub(in crate::compliance) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        root(value, point)
    }

    /// Whether it is part of the Offline result.
    pub(in crate::compliance) fn is_offline(&self) -> bool {
        matches!(self.offline.as_deref(), Some(DEDICATED | ELECTED))
    }

    /// Whether it is an Offline run of its own, which the rules of fixed concurrency spare.
    pub(in crate::compliance) fn is_dedicated(&self) -> bool {
        self.offline.as_deref() == Some(DEDICATED)
    }

    /// Whether its load pattern is the agentic one.
    pub(in crate::compliance) fn is_agentic(&self) -> bool {
        self.load_pattern == AGENTIC
    }
}

impl SteadyState {
    /// Metrics that drift.
    pub(in crate::compliance) fn drifting(&self) -> Vec<&str> {
        let drifts = self.state.iter().filter(|(_, state)| state.starts_with("Drifting"));
        drifts.map(|(metric, _)| metric.as_str()).collect()
    }
}

fn point(fields: &mut Fields<'_>) -> Option<Point> {
    let concurrency = fields.required("concurrency", int);
    let region = fields.optional("region", text);
    let dataset = fields.present("dataset", text).unwrap_or_default();
    let settings = fields.required_nested("runtime_settings", settings);
    let warmup = fields.nested("warmup", warmup);
    let mut undisclosed = Vec::new();
    let mut disclosed = |fields: &mut Fields<'_>, field: &'static str| {
        let value = fields.optional(field, text).filter(|value| !value.is_empty());
        if value.is_none() {
            undisclosed.push(field);
        }
        fields.optional(field, |value| Ok(value.as_text().unwrap_or_default().to_owned()))
    };
    let division = disclosed(fields, "division");
    let model_name = disclosed(fields, "model_name");
    disclosed(fields, "model_precision");
    disclosed(fields, "link_to_model");
    disclosed(fields, "dataset_name");
    disclosed(fields, "dataset_type");
    disclosed(fields, "dataset_link");
    let shared_src = disclosed(fields, "shared_src");
    let shared_docs = disclosed(fields, "shared_docs");
    let seed_set = disclosed(fields, "seed_set");
    let target_cohort = disclosed(fields, "target_cohort");
    let max_supported_concurrency = fields.optional("max_supported_concurrency", int);
    if max_supported_concurrency.is_none() {
        undisclosed.insert(1.min(undisclosed.len()), "max_supported_concurrency");
    }
    fields.ignored(&["link_to_model_transformation", "model_notes"], text);
    let offline = fields.optional("offline", text);
    let steady_state = fields.nested("steady_state", |fields| Some(steady_state(fields)));
    let speculative_decoding = fields.optional("speculative_decoding", |value| map(value).cloned());
    let nodes_used = fields.optional("nodes_used", |value| list(value).map(<[Value]>::to_vec));
    let nodes_used = nodes_used.map(|items| {
        fields.each("nodes_used", &items, |fields| {
            let ensemble = fields.required("system_node_ensemble_id", int);
            let nodes = fields.required("nodes", int);
            Some(NodesUsed { ensemble: ensemble?, nodes: nodes? })
        })
    });
    let dp_shortfall = fields.nested("dp_shortfall", dp_shortfall);
    let settings = settings?;
    Some(Point {
        concurrency: concurrency?,
        region,
        dataset,
        load_pattern: settings.load_pattern,
        stream_all_chunks: settings.stream_all_chunks,
        seeds: settings.seeds,
        legacy_seed_names: settings.legacy_seed_names,
        warmup_salt: settings.warmup_salt,
        warmup,
        division,
        max_supported_concurrency,
        model_name,
        shared_src,
        shared_docs,
        seed_set,
        target_cohort,
        undisclosed,
        offline,
        steady_state,
        speculative_decoding,
        nodes_used,
        dp_shortfall,
    })
}

struct Settings {
    load_pattern: String,
    stream_all_chunks: bool,
    seeds: [Option<i128>; 3],
    legacy_seed_names: bool,
    warmup_salt: Option<bool>,
}

fn settings(fields: &mut Fields<'_>) -> Option<Settings> {
    let load_pattern = fields.present("load_pattern", text);
    let _ = fields.present("min_duration_ms", int);
    let _ = fields.optional("min_sample_count", int);
    let stream_all_chunks = fields.present("stream_all_chunks", boolean).unwrap_or(true);
    let runtime = fields.required_nested("runtime", |fields| {
        let scheduler = fields.optional("scheduler_rng_seed", int);
        let sample_index = fields.optional("sample_index_rng_seed", int);
        let model = fields.optional("model_seed", int);
        let old_scheduler = fields.optional("scheduler_random_seed", int);
        let old_sample_index = fields.optional("dataloader_random_seed", int);
        let legacy = (old_scheduler.is_some() || old_sample_index.is_some()) && model.is_none();
        Some(([scheduler.or(old_scheduler), sample_index.or(old_sample_index), model], legacy))
    });
    let warmup_salt =
        fields.nested("warmup", |fields| Some(fields.optional("salt", boolean))).flatten();
    let (seeds, legacy_seed_names) = runtime?;
    Some(Settings {
        load_pattern: load_pattern.unwrap_or_else(|| CONCURRENCY.to_owned()),
        stream_all_chunks,
        seeds,
        legacy_seed_names,
        warmup_salt,
    })
}

fn warmup(fields: &mut Fields<'_>) -> Option<Warmup> {
    let duration = fields.required("duration_s", |value| match float(value)? {
        seconds if seconds > 86_400.0 => Err("less_than_equal"),
        seconds if seconds >= 0.0 => Ok(seconds),
        _ => Err("greater_than_equal"),
    });
    let issued = fields.required("requests_issued", not_negative);
    let completed = fields.required("requests_completed", not_negative);
    let _ = fields.required("data_source", not_empty);
    let concurrency = fields.required("concurrency", not_negative);
    let steps = fields.present("initialization_steps", |value| list(value).map(<[Value]>::to_vec));
    for (i, step) in steps.into_iter().flatten().enumerate() {
        if let Err(key) = text(&step) {
            fields.problem(&format!("initialization_steps.{i}"), key, step.show());
        }
    }
    let logs_retained = fields.optional("logs_retained", boolean);
    let _ = fields.optional("link_logs", text);
    let (duration, issued, completed) = (duration?, issued?, completed?);
    let is_disabled = duration == 0.0 && issued == 0 && completed == 0;
    if fields.is_clean() {
        if completed > issued {
            let found = format!("{completed} completed of {issued} issued");
            fields.problem("", "warmup-completed-exceeds-issued", found);
        } else if concurrency? == 0 && !is_disabled {
            fields.problem("", "warmup-concurrency-zero", "concurrency 0".to_owned());
        }
    }
    Some(Warmup { is_disabled, logs_retained })
}

fn steady_state(fields: &mut Fields<'_>) -> SteadyState {
    let status = fields.optional("status", text);
    let verdict = fields.optional("verdict", text);
    let window = fields.present_nested("window", |fields| {
        let start = fields.optional("super_pass_start", int);
        let end = fields.optional("super_pass_end", int);
        fields.ignored(&["super_pass_size", "n_samples"], int);
        let duration_s = fields.optional("duration_s", float);
        let span = start.zip(end).map(|(start, end)| end.saturating_sub(start).saturating_add(1));
        Some((span, duration_s))
    });
    let states = fields.present("state", |value| map(value).cloned()).unwrap_or_default();
    let mut state = Vec::new();
    for (metric, value) in states.iter() {
        match text(value) {
            Ok(text) => state.push((metric.to_owned(), text)),
            Err(key) => fields.problem(&format!("state.{metric}"), key, value.show()),
        }
    }
    state.sort();
    let (span, duration_s) = window.unwrap_or_default();
    SteadyState { status, verdict, span, duration_s, state }
}

fn dp_shortfall(fields: &mut Fields<'_>) -> Option<DpShortfall> {
    let actual = fields.required("dp_actual", int);
    let formula = fields.required("dp_formula", int);
    let reason = fields.required("reason", not_empty);
    Some(DpShortfall { actual: actual?, formula: formula?, reason: reason? })
}

fn not_negative(value: &Value) -> Result<i128, &'static str> {
    int(value).and_then(|value| if value < 0 { Err("greater_than_equal") } else { Ok(value) })
}

fn not_empty(value: &Value) -> Result<String, &'static str> {
    text(value).and_then(|text| if text.is_empty() { Err("string_too_short") } else { Ok(text) })
}
