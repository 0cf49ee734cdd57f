//! `result_summary.json`.

use super::super::document::{Fields, Map, Problem, Value, float, int, map, root};

/// What the rules read of a point's measurement. Times in nanoseconds.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Summary {
    pub(in crate::compliance) issued: i128,
    pub(in crate::compliance) completed: i128,
    pub(in crate::compliance) failed: i128,
    pub(in crate::compliance) duration_ns: f64,
    /// The 90th percentile of the time per output token.
    pub(in crate::compliance) tpot_p90_ns: Option<f64>,
    /// Tokens, as stated.
    pub(in crate::compliance) output_tokens: f64,
    pub(in crate::compliance) latency_total_ns: f64,
    /// The sums that stand in for the totals where they are named.
    pub(in crate::compliance) named_tokens: Option<f64>,
    pub(in crate::compliance) named_seconds: Option<f64>,
    /// The whole document, for stored rates.
    pub(in crate::compliance) document: Map,
}

impl Summary {
    /// Reads the document's value.
    pub(in crate::compliance) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        root(value, summary)
    }

    /// Output tokens, without a fraction.
    pub(in crate::compliance) fn whole_tokens(&self) -> f64 {
        self.output_tokens.trunc()
    }

    /// Output tokens a second over the measured span.
    pub(in crate::compliance) fn system_tps(&self) -> f64 {
        let seconds = self.duration_ns / 1e9;
        if seconds > 0.0 { self.whole_tokens() / seconds } else { 0.0 }
    }

    /// Output tokens per second of turn time, where the sums allow it: the client's totals stand
    /// for the named sums only when no turn failed, because latencies then include failed turns.
    pub(in crate::compliance) fn interactivity(&self) -> Option<f64> {
        let (mut tokens, mut seconds) = (self.named_tokens, self.named_seconds);
        if tokens.is_none() && seconds.is_none() && self.failed == 0 {
            tokens = Some(self.output_tokens);
            seconds = Some(self.latency_total_ns / 1e9);
        }
        // NaN counts as usable, as it does officially.
        let seconds = seconds.filter(|seconds| *seconds > 0.0 || seconds.is_nan())?;
        Some(tokens? / seconds)
    }

    /// The mean output length over the whole run.
    pub(in crate::compliance) fn full_run_output_length(&self) -> Option<f64> {
        let block = self.document.get("output_sequence_lengths_full_run")?.as_map()?;
        let lengths = block.get("output_sequence_lengths")?.as_map()?;
        match lengths.get("avg")? {
            Value::Bool(value) => Some(f64::from(u8::from(*value))),
            other => other.number(),
        }
    }
}

fn summary(fields: &mut Fields<'_>) -> Option<Summary> {
    let issued = fields.present("n_samples_issued", int).unwrap_or_default();
    let completed = fields.required("n_samples_completed", int);
    let failed = fields.present("n_samples_failed", int).unwrap_or_default();
    let duration_ns = fields.required("duration_ns", float);
    let _ = fields.present_nested("ttft", statistics);
    let tpot = fields.present_nested("tpot", statistics);
    let lengths = fields.present_nested("output_sequence_lengths", statistics);
    let latency = fields.present_nested("latency", statistics);
    let named_tokens = fields.optional("output_tokens_per_turn_total", float);
    let named_seconds = fields.optional("e2e_turn_time_seconds_total", float);
    Some(Summary {
        issued,
        completed: completed?,
        failed,
        duration_ns: duration_ns?,
        tpot_p90_ns: tpot.and_then(|(_, p90)| p90),
        output_tokens: lengths.map_or(0.0, |(total, _)| total),
        latency_total_ns: latency.map_or(0.0, |(total, _)| total),
        named_tokens,
        named_seconds,
        document: fields.map().clone(),
    })
}

/// Total and 90th percentile of a block.
fn statistics(fields: &mut Fields<'_>) -> Option<(f64, Option<f64>)> {
    let total = fields.present("total", float).unwrap_or_default();
    let stated = fields.present("percentiles", |value| map(value).cloned()).unwrap_or_default();
    let mut percentiles: Vec<(f64, f64)> = Vec::new();
    let mut values = Vec::new();
    for (key, value) in stated.iter() {
        match float(value) {
            Ok(value) => values.push((key, value)),
            Err(problem) => {
                fields.problem(&format!("percentiles.{key}"), problem, value.show());
            }
        }
    }
    if values.len() < stated.iter().count() {
        return None;
    }
    for (key, value) in values {
        let percentile = Value::Text(key.to_owned()).to_float();
        let Some(percentile) = percentile.filter(|p| (0.0..=100.0).contains(p)) else {
            fields.problem("percentiles", "percentile-key", format!("{key:?}"));
            return None;
        };
        #[expect(clippy::float_cmp, reason = "the same percentile, the same stored value")]
        match percentiles.iter().find(|(known, _)| *known == percentile) {
            Some((_, known)) if *known != value => {
                fields.problem("percentiles", "percentile-conflict", key.to_owned());
                return None;
            }
            Some(_) => {}
            None => percentiles.push((percentile, value)),
        }
    }
    let p90 = percentiles.iter().find(|(key, _)| (*key - 90.0).abs() < f64::EPSILON);
    Some((total, p90.map(|(_, value)| *value)))
}
