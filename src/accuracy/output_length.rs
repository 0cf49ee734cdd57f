//! The mean output length of a run.

use serde_json::Value;

use crate::metrics::Metrics;

/// The mean number of output tokens per turn over all turns of a run, the tail after the
/// performance window included.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputLength {
    /// Tokens per turn.
    pub mean: f64,
    /// Who counted: `server-reported` where the server did; none where the file does not say, as
    /// in the reference client's, which counts with the reference tokenizer.
    pub token_counts: Option<String>,
}

impl OutputLength {
    /// From the numbers of a replay; none without token counts.
    pub fn of_metrics(metrics: &Metrics) -> Option<Self> {
        let mean = metrics.full_run_output_tokens.as_ref()?.avg;
        Some(Self { mean, token_counts: Some(metrics.token_counts.label().to_owned()) })
    }

    /// From a `result_summary.json`: `output_sequence_lengths_full_run`, never the mean of the
    /// performance window, which stands under a similar name. None where it is absent.
    pub fn of_summary(summary: &Value) -> Option<Self> {
        let full_run = summary.get("output_sequence_lengths_full_run")?;
        let mean = full_run.get("output_sequence_lengths")?.get("avg")?.as_f64()?;
        let token_counts = summary.get("token_counts").and_then(Value::as_str);
        Some(Self { mean, token_counts: token_counts.map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_full_run_and_only_that() {
        let summary = json!({
            "output_sequence_lengths": { "avg": 1.0 },
            "output_sequence_lengths_full_run": { "output_sequence_lengths": { "avg": 383.5 } },
            "token_counts": "server-reported",
        });
        let found = OutputLength::of_summary(&summary).unwrap();
        assert_eq!((found.mean, found.token_counts.as_deref()), (383.5, Some("server-reported")));
        for without in [
            json!({ "output_sequence_lengths": { "avg": 1.0 } }),
            json!(null),
            json!({
                "output_sequence_lengths_full_run": { "output_sequence_lengths": {} }
            }),
        ] {
            assert_eq!(OutputLength::of_summary(&without), None);
        }
    }
}
