//! The summary's numbers against the log's.

use super::super::document::{Map, Value};
use super::evidence::{Evidence, Fault};
use crate::metrics::{Metrics, Stats, TokenCounts};

/// By how much two programs' sums of floats may differ, relative to the value.
const TOLERANCE: f64 = 1e-6;

/// Compares a summary with what the log gives.
pub(super) fn faults(summary: &Map, metrics: &Metrics, faults: &mut Vec<Fault>) {
    let mut compare = Comparison { summary, odd: Evidence::default() };
    compare.counters(metrics);
    let window = &metrics.window;
    compare.value("duration_ns", window.duration_ns.map(real));
    compare.block("ttft", window.ttft.as_ref());
    compare.block("latency", window.latency.as_ref());
    let stated = summary.get("token_counts").and_then(Value::as_text);
    // Official counts need the tokenizer; `scenario report` makes them again.
    if stated == Some("server-reported") && metrics.token_counts == TokenCounts::ServerReported {
        compare.block("tpot", window.tpot.as_ref());
        compare.block("output_sequence_lengths", window.output_tokens.as_ref());
        compare.block("input_sequence_lengths", window.input_tokens.as_ref());
    }
    faults.extend(compare.odd.fault("x-log-counts", "fail"));
}

struct Comparison<'a> {
    summary: &'a Map,
    odd: Evidence,
}

impl Comparison<'_> {
    fn counters(&mut self, metrics: &Metrics) {
        let tracked = metrics.tracked;
        self.value("n_samples_issued", Some(real(tracked.issued)));
        self.value("n_samples_failed", Some(real(tracked.failed)));
        // The reference client counts failed turns as completed, too.
        let all = real(tracked.completed + tracked.failed);
        let stated = self.summary.get("n_samples_completed").and_then(Value::number);
        if stated.is_none_or(|stated| differs(stated, all)) {
            self.value("n_samples_completed", Some(real(tracked.completed)));
        }
    }

    fn block(&mut self, name: &str, stats: Option<&Stats>) {
        let Some(block) = self.summary.given(name).and_then(Value::as_map) else { return };
        let Some(stats) = stats else {
            if !block.is_empty() {
                self.odd.add(None, || format!("{name} is stated, but the log gives none"));
            }
            return;
        };
        self.compare(&format!("{name}.total"), block.get("total"), stats.total.as_f64());
        let percentiles = block.get("percentiles").and_then(Value::as_map);
        for (key, value) in &stats.percentiles {
            let stated = percentiles.and_then(|stated| stated.get(key));
            self.compare(&format!("{name}.percentiles.{key}"), stated, *value);
        }
    }

    fn value(&mut self, name: &str, logged: Option<f64>) {
        let stated = self.summary.given(name);
        match logged {
            Some(logged) => self.compare(name, stated, logged),
            None if stated.is_some() => {
                self.odd.add(None, || format!("{name} is stated, but the log gives none"));
            }
            None => {}
        }
    }

    /// Compares a value that is stated; what is not stated is another rule's matter.
    fn compare(&mut self, name: &str, stated: Option<&Value>, logged: f64) {
        let Some(stated) = stated.filter(|value| !matches!(value, Value::Null)) else { return };
        if stated.number().is_none_or(|number| differs(number, logged)) {
            let stated = stated.show();
            self.odd.add(None, || format!("{name} is {stated}, {logged} in the log"));
        }
    }
}

fn differs(stated: f64, logged: f64) -> bool {
    let off = (stated - logged).abs();
    off.is_nan() || off > TOLERANCE * logged.abs()
}

/// A count or a time as a float; exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is compared with tolerance")]
fn real(value: u64) -> f64 {
    value as f64
}
