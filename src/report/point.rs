//! report.txt of a point.

use std::fmt::Write as _;

use crate::metrics::{Metrics, SelfCheckReport, Stats, TokenCounts};
use crate::results::{PointState, RunFacts};

pub(super) const SIMULATED: &str =
    "SIMULATED: the endpoint was simulated; these numbers measure no real system.";
pub(super) const SERVER_REPORTED: &str =
    "Token counts are server-reported, not official: the rules count with the reference tokenizer.";
pub(super) const NO_TOKENS: &str =
    "No token numbers where no turn completed or a completed turn carried no usage.";

/// The report of a point, in the reference client's arrangement with what it lacks added.
pub fn point_report(facts: &RunFacts, metrics: &Metrics, self_check: &SelfCheckReport) -> String {
    let mut text = String::new();
    summary(&mut text, facts, metrics, self_check)
        .and_then(|()| breakdowns(&mut text, metrics))
        .expect("writing to a string cannot fail");
    text
}

fn summary(
    text: &mut String,
    facts: &RunFacts,
    metrics: &Metrics,
    self_check: &SelfCheckReport,
) -> std::fmt::Result {
    writeln!(text, "----------------- Summary -----------------")?;
    if facts.simulated {
        writeln!(text, "{SIMULATED}")?;
    }
    match metrics.token_counts {
        TokenCounts::ServerReported => writeln!(text, "{SERVER_REPORTED}")?,
        TokenCounts::Missing { .. } => writeln!(text, "{NO_TOKENS}")?,
    }
    match facts.state {
        PointState::Complete => {}
        PointState::Interrupted => {
            writeln!(text, "WARNING: the run was interrupted; the numbers are partial.")?;
        }
        state => writeln!(text, "WARNING: the point is {}.", state.name())?,
    }
    writeln!(text, "Version: {}", facts.version)?;
    if let Some(commit) = &facts.commit {
        writeln!(text, "Git SHA: {commit}")?;
    }
    writeln!(text, "Concurrency: {}", facts.concurrency)?;
    if let Some(region) = &facts.region {
        writeln!(text, "Region: {region}")?;
    }
    writeln!(text, "Total samples issued: {}", metrics.tracked.issued)?;
    writeln!(text, "Total samples completed: {}", metrics.tracked.completed)?;
    writeln!(text, "Total samples failed: {}", metrics.tracked.failed)?;
    let total = metrics.total;
    writeln!(
        text,
        "With the tail after the performance window: {} issued, {} completed, {} failed, {} skipped",
        total.issued, total.completed, total.failed, self_check.skipped
    )?;
    for (kind, turns) in &metrics.failures_by_kind {
        writeln!(text, "  {}: {turns}", kind.name())?;
    }
    rate(text, "Duration", metrics.duration_seconds(), " seconds")?;
    rate(text, "QPS", metrics.qps(), "")?;
    rate(text, "TPS", metrics.system_tps(), "")?;
    rate(text, "TPS per user", metrics.tps_per_user(), "")?;
    rate(
        text,
        "E2E interactivity",
        metrics.e2e_avg_interactivity(),
        " tokens/second of turn time",
    )?;
    writeln!(text, "Self-check: {}", if self_check.passed() { "passed" } else { "FAILED" })?;
    for violation in &self_check.violations {
        writeln!(text, "  {}: {}", violation.check, violation.message)?;
    }
    writeln!(text)
}

fn rate(text: &mut String, name: &str, value: Option<f64>, unit: &str) -> std::fmt::Result {
    match value {
        Some(value) => writeln!(text, "{name}: {value:.2}{unit}"),
        None => writeln!(text, "{name}: N/A"),
    }
}

fn breakdowns(text: &mut String, metrics: &Metrics) -> std::fmt::Result {
    let window = &metrics.window;
    let millis = Unit { scale: 1e6, name: "ms" };
    let tokens = Unit { scale: 1.0, name: "tokens" };
    writeln!(text, "------------------- Latency Breakdowns -------------------")?;
    block(text, "TTFT", window.ttft.as_ref(), millis)?;
    block(text, "TPOT", window.tpot.as_ref(), millis)?;
    block(text, "Latency", window.latency.as_ref(), millis)?;
    block(text, "Input sequence lengths", window.input_tokens.as_ref(), tokens)?;
    block(text, "Output sequence lengths", window.output_tokens.as_ref(), tokens)?;
    let full_run = metrics.full_run_output_tokens.as_ref();
    block(text, "Output sequence lengths, full run", full_run, tokens)?;
    writeln!(text, "----------------- End of Report -----------------")
}

#[derive(Clone, Copy)]
struct Unit {
    scale: f64,
    name: &'static str,
}

fn block(text: &mut String, title: &str, stats: Option<&Stats>, unit: Unit) -> std::fmt::Result {
    let Some(stats) = stats else { return Ok(()) };
    let Unit { scale, name } = unit;
    writeln!(text, "{title}:")?;
    for (label, value) in [
        ("Min", stats.min.as_f64()),
        ("Max", stats.max.as_f64()),
        ("Median", stats.median()),
        ("Avg.", stats.avg),
        ("Std Dev.", stats.std_dev),
    ] {
        writeln!(text, "  {label}: {:.2} {name}", value / scale)?;
    }
    histogram(text, stats, scale)?;
    writeln!(text, "\n  Percentiles:")?;
    for (key, value) in &stats.percentiles {
        writeln!(text, "  {key:>6}: {:.2} {name}", value / scale)?;
    }
    if let Some(estimates) = &stats.early_stopping {
        writeln!(text, "\n  Early-stopping percentile estimates (N/A = insufficient samples):")?;
        for (key, value) in estimates {
            match value {
                Some(value) => writeln!(text, "  {key:>6}: {:.2} {name}", value / scale)?,
                None => writeln!(text, "  {key:>6}: N/A {name}")?,
            }
        }
    }
    writeln!(text)
}

/// The longest bar.
const BAR: u64 = 30;

fn histogram(text: &mut String, stats: &Stats, scale: f64) -> std::fmt::Result {
    writeln!(text, "\n  Histogram:")?;
    let last = stats.histogram.len().saturating_sub(1);
    let range = |at: usize, (low, high): (f64, f64)| {
        let close = if at == last { ']' } else { ')' };
        format!("[{:.2}, {:.2}{close}", low / scale, high / scale)
    };
    let ranges: Vec<String> =
        stats.histogram.iter().enumerate().map(|(at, &(edges, _))| range(at, edges)).collect();
    let width = ranges.iter().map(String::len).max().unwrap_or(0);
    let most = stats.histogram.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
    for (range, &(_, count)) in ranges.iter().zip(&stats.histogram) {
        let bar = usize::try_from(count * BAR / most).unwrap_or(0);
        writeln!(text, "    {range:>width$} |{} {count}", "#".repeat(bar))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::events::{Event, EventKind, PromptFacts, SampleId, TurnKey};
    use crate::metrics::{Collector, Expected, SelfCheck};
    use crate::wire::{Failure, FailureKind, Reply, Usage};

    /// A turn that is answered after 2 s, one that fails, and the one behind it.
    fn events() -> Vec<Event> {
        let key = |sample| TurnKey { sample: SampleId(sample), session: "a".into(), turn: 1 };
        let prompt = || PromptFacts { digest: None, bytes: None, salt_markers: 2, body: None };
        let usage = Usage { prompt_tokens: 20, completion_tokens: 11, ..Usage::default() };
        let reply = Reply { usage: Some(usage), chunks: 5, ..Reply::default() };
        let failure = |kind| Failure::new(kind, "why");
        let kinds = [
            EventKind::StartTracking,
            EventKind::Issued(key(1), Some(prompt())),
            EventKind::FirstToken(key(1)),
            EventKind::Complete(key(1), Some(Box::new(reply))),
            EventKind::Issued(key(2), Some(prompt())),
            EventKind::Failed(key(2), failure(FailureKind::Reset)),
            EventKind::Complete(key(2), None),
            EventKind::Issued(key(3), None),
            EventKind::Failed(key(3), failure(FailureKind::PriorFailure)),
            EventKind::Complete(key(3), None),
        ];
        (0..).zip(kinds).map(|(at, kind)| Event { at: at * 1_000_000_000, kind }).collect()
    }

    #[test]
    fn a_simulated_interrupted_point_with_failures() {
        let (mut collector, mut check) = (Collector::new(), SelfCheck::new());
        for event in events() {
            collector.push(&event);
            check.push(&event);
        }
        let facts = RunFacts {
            version: "0.1.0".to_owned(),
            commit: Some("abc".to_owned()),
            started_at: UNIX_EPOCH,
            state: PointState::Interrupted,
            simulated: true,
            concurrency: 8,
            region: Some("low_latency".to_owned()),
            benchmark: None,
            seed: 42,
            warmup_requests: 0,
        };
        let expected =
            Expected { planned: 5, skipped: 0, interrupted: true, concurrency: 8, salt_markers: 0 };
        let report = check.finish(expected, String::new());
        insta::assert_snapshot!(point_report(&facts, &collector.finish(), &report), @r"
    ----------------- Summary -----------------
    SIMULATED: the endpoint was simulated; these numbers measure no real system.
    Token counts are server-reported, not official: the rules count with the reference tokenizer.
    WARNING: the run was interrupted; the numbers are partial.
    Version: 0.1.0
    Git SHA: abc
    Concurrency: 8
    Region: low_latency
    Total samples issued: 3
    Total samples completed: 1
    Total samples failed: 2
    With the tail after the performance window: 3 issued, 1 completed, 2 failed, 2 skipped
      reset: 1
      prior_failure: 1
    Duration: 9.00 seconds
    QPS: 0.11
    TPS: 1.22
    TPS per user: 10.00
    E2E interactivity: N/A
    Self-check: FAILED
      salt-markers: 2 bodies with 2 salt markers instead of 0

    ------------------- Latency Breakdowns -------------------
    TTFT:
      Min: 1000.00 ms
      Max: 1000.00 ms
      Median: 1000.00 ms
      Avg.: 1000.00 ms
      Std Dev.: 0.00 ms

      Histogram:
         [1000.00, 1079.78) |############################## 1
         [1079.78, 1165.91) | 0
         [1165.91, 1258.93) | 0
         [1258.93, 1359.36) | 0
         [1359.36, 1467.80) | 0
         [1467.80, 1584.89) | 0
         [1584.89, 1711.33) | 0
         [1711.33, 1847.85) | 0
         [1847.85, 1995.26) | 0
         [1995.26, 2154.43) | 0
         [2154.43, 2326.31) | 0
         [2326.31, 2511.89) | 0
         [2511.89, 2712.27) | 0
         [2712.27, 2928.64) | 0
         [2928.64, 3162.28) | 0
         [3162.28, 3414.55) | 0
         [3414.55, 3686.95) | 0
         [3686.95, 3981.07) | 0
         [3981.07, 4298.66) | 0
         [4298.66, 4641.59) | 0
         [4641.59, 5011.87) | 0
         [5011.87, 5411.70) | 0
         [5411.70, 5843.41) | 0
         [5843.41, 6309.57) | 0
         [6309.57, 6812.92) | 0
         [6812.92, 7356.42) | 0
         [7356.42, 7943.28) | 0
         [7943.28, 8576.96) | 0
         [8576.96, 9261.19) | 0
        [9261.19, 10000.00] | 0

      Percentiles:
        99.9: 1000.00 ms
        99.0: 1000.00 ms
        97.0: 1000.00 ms
        95.0: 1000.00 ms
        90.0: 1000.00 ms
        80.0: 1000.00 ms
        75.0: 1000.00 ms
        50.0: 1000.00 ms
        25.0: 1000.00 ms
        10.0: 1000.00 ms
         5.0: 1000.00 ms
         1.0: 1000.00 ms

      Early-stopping percentile estimates (N/A = insufficient samples):
        99.9: N/A ms
        99.0: N/A ms
        97.0: N/A ms
        95.0: N/A ms
        90.0: N/A ms
        80.0: N/A ms
        75.0: N/A ms
        50.0: N/A ms

    TPOT:
      Min: 100.00 ms
      Max: 100.00 ms
      Median: 100.00 ms
      Avg.: 100.00 ms
      Std Dev.: 0.00 ms

      Histogram:
         [100.00, 107.98) |############################## 1
         [107.98, 116.59) | 0
         [116.59, 125.89) | 0
         [125.89, 135.94) | 0
         [135.94, 146.78) | 0
         [146.78, 158.49) | 0
         [158.49, 171.13) | 0
         [171.13, 184.78) | 0
         [184.78, 199.53) | 0
         [199.53, 215.44) | 0
         [215.44, 232.63) | 0
         [232.63, 251.19) | 0
         [251.19, 271.23) | 0
         [271.23, 292.86) | 0
         [292.86, 316.23) | 0
         [316.23, 341.45) | 0
         [341.45, 368.69) | 0
         [368.69, 398.11) | 0
         [398.11, 429.87) | 0
         [429.87, 464.16) | 0
         [464.16, 501.19) | 0
         [501.19, 541.17) | 0
         [541.17, 584.34) | 0
         [584.34, 630.96) | 0
         [630.96, 681.29) | 0
         [681.29, 735.64) | 0
         [735.64, 794.33) | 0
         [794.33, 857.70) | 0
         [857.70, 926.12) | 0
        [926.12, 1000.00] | 0

      Percentiles:
        99.9: 100.00 ms
        99.0: 100.00 ms
        97.0: 100.00 ms
        95.0: 100.00 ms
        90.0: 100.00 ms
        80.0: 100.00 ms
        75.0: 100.00 ms
        50.0: 100.00 ms
        25.0: 100.00 ms
        10.0: 100.00 ms
         5.0: 100.00 ms
         1.0: 100.00 ms

      Early-stopping percentile estimates (N/A = insufficient samples):
        99.9: N/A ms
        99.0: N/A ms
        97.0: N/A ms
        95.0: N/A ms
        90.0: N/A ms
        80.0: N/A ms
        75.0: N/A ms
        50.0: N/A ms

    Latency:
      Min: 2000.00 ms
      Max: 2000.00 ms
      Median: 2000.00 ms
      Avg.: 2000.00 ms
      Std Dev.: 0.00 ms

      Histogram:
          [2000.00, 2159.55) |############################## 1
          [2159.55, 2331.83) | 0
          [2331.83, 2517.85) | 0
          [2517.85, 2718.71) | 0
          [2718.71, 2935.60) | 0
          [2935.60, 3169.79) | 0
          [3169.79, 3422.66) | 0
          [3422.66, 3695.70) | 0
          [3695.70, 3990.52) | 0
          [3990.52, 4308.87) | 0
          [4308.87, 4652.61) | 0
          [4652.61, 5023.77) | 0
          [5023.77, 5424.55) | 0
          [5424.55, 5857.29) | 0
          [5857.29, 6324.56) | 0
          [6324.56, 6829.10) | 0
          [6829.10, 7373.89) | 0
          [7373.89, 7962.14) | 0
          [7962.14, 8597.32) | 0
          [8597.32, 9283.18) | 0
         [9283.18, 10023.74) | 0
        [10023.74, 10823.39) | 0
        [10823.39, 11686.83) | 0
        [11686.83, 12619.15) | 0
        [12619.15, 13625.84) | 0
        [13625.84, 14712.85) | 0
        [14712.85, 15886.56) | 0
        [15886.56, 17153.92) | 0
        [17153.92, 18522.37) | 0
        [18522.37, 20000.00] | 0

      Percentiles:
        99.9: 2000.00 ms
        99.0: 2000.00 ms
        97.0: 2000.00 ms
        95.0: 2000.00 ms
        90.0: 2000.00 ms
        80.0: 2000.00 ms
        75.0: 2000.00 ms
        50.0: 2000.00 ms
        25.0: 2000.00 ms
        10.0: 2000.00 ms
         5.0: 2000.00 ms
         1.0: 2000.00 ms

      Early-stopping percentile estimates (N/A = insufficient samples):
        99.9: N/A ms
        99.0: N/A ms
        97.0: N/A ms
        95.0: N/A ms
        90.0: N/A ms
        80.0: N/A ms
        75.0: N/A ms
        50.0: N/A ms

    Input sequence lengths:
      Min: 20.00 tokens
      Max: 20.00 tokens
      Median: 20.00 tokens
      Avg.: 20.00 tokens
      Std Dev.: 0.00 tokens

      Histogram:
          [20.00, 21.60) |############################## 1
          [21.60, 23.32) | 0
          [23.32, 25.18) | 0
          [25.18, 27.19) | 0
          [27.19, 29.36) | 0
          [29.36, 31.70) | 0
          [31.70, 34.23) | 0
          [34.23, 36.96) | 0
          [36.96, 39.91) | 0
          [39.91, 43.09) | 0
          [43.09, 46.53) | 0
          [46.53, 50.24) | 0
          [50.24, 54.25) | 0
          [54.25, 58.57) | 0
          [58.57, 63.25) | 0
          [63.25, 68.29) | 0
          [68.29, 73.74) | 0
          [73.74, 79.62) | 0
          [79.62, 85.97) | 0
          [85.97, 92.83) | 0
         [92.83, 100.24) | 0
        [100.24, 108.23) | 0
        [108.23, 116.87) | 0
        [116.87, 126.19) | 0
        [126.19, 136.26) | 0
        [136.26, 147.13) | 0
        [147.13, 158.87) | 0
        [158.87, 171.54) | 0
        [171.54, 185.22) | 0
        [185.22, 200.00] | 0

      Percentiles:
        99.9: 20.00 tokens
        99.0: 20.00 tokens
        97.0: 20.00 tokens
        95.0: 20.00 tokens
        90.0: 20.00 tokens
        80.0: 20.00 tokens
        75.0: 20.00 tokens
        50.0: 20.00 tokens
        25.0: 20.00 tokens
        10.0: 20.00 tokens
         5.0: 20.00 tokens
         1.0: 20.00 tokens

    Output sequence lengths:
      Min: 11.00 tokens
      Max: 11.00 tokens
      Median: 11.00 tokens
      Avg.: 11.00 tokens
      Std Dev.: 0.00 tokens

      Histogram:
          [11.00, 11.88) |############################## 1
          [11.88, 12.83) | 0
          [12.83, 13.85) | 0
          [13.85, 14.95) | 0
          [14.95, 16.15) | 0
          [16.15, 17.43) | 0
          [17.43, 18.82) | 0
          [18.82, 20.33) | 0
          [20.33, 21.95) | 0
          [21.95, 23.70) | 0
          [23.70, 25.59) | 0
          [25.59, 27.63) | 0
          [27.63, 29.83) | 0
          [29.83, 32.22) | 0
          [32.22, 34.79) | 0
          [34.79, 37.56) | 0
          [37.56, 40.56) | 0
          [40.56, 43.79) | 0
          [43.79, 47.29) | 0
          [47.29, 51.06) | 0
          [51.06, 55.13) | 0
          [55.13, 59.53) | 0
          [59.53, 64.28) | 0
          [64.28, 69.41) | 0
          [69.41, 74.94) | 0
          [74.94, 80.92) | 0
          [80.92, 87.38) | 0
          [87.38, 94.35) | 0
         [94.35, 101.87) | 0
        [101.87, 110.00] | 0

      Percentiles:
        99.9: 11.00 tokens
        99.0: 11.00 tokens
        97.0: 11.00 tokens
        95.0: 11.00 tokens
        90.0: 11.00 tokens
        80.0: 11.00 tokens
        75.0: 11.00 tokens
        50.0: 11.00 tokens
        25.0: 11.00 tokens
        10.0: 11.00 tokens
         5.0: 11.00 tokens
         1.0: 11.00 tokens

    Output sequence lengths, full run:
      Min: 11.00 tokens
      Max: 11.00 tokens
      Median: 11.00 tokens
      Avg.: 11.00 tokens
      Std Dev.: 0.00 tokens

      Histogram:
          [11.00, 11.88) |############################## 1
          [11.88, 12.83) | 0
          [12.83, 13.85) | 0
          [13.85, 14.95) | 0
          [14.95, 16.15) | 0
          [16.15, 17.43) | 0
          [17.43, 18.82) | 0
          [18.82, 20.33) | 0
          [20.33, 21.95) | 0
          [21.95, 23.70) | 0
          [23.70, 25.59) | 0
          [25.59, 27.63) | 0
          [27.63, 29.83) | 0
          [29.83, 32.22) | 0
          [32.22, 34.79) | 0
          [34.79, 37.56) | 0
          [37.56, 40.56) | 0
          [40.56, 43.79) | 0
          [43.79, 47.29) | 0
          [47.29, 51.06) | 0
          [51.06, 55.13) | 0
          [55.13, 59.53) | 0
          [59.53, 64.28) | 0
          [64.28, 69.41) | 0
          [69.41, 74.94) | 0
          [74.94, 80.92) | 0
          [80.92, 87.38) | 0
          [87.38, 94.35) | 0
         [94.35, 101.87) | 0
        [101.87, 110.00] | 0

      Percentiles:
        99.9: 11.00 tokens
        99.0: 11.00 tokens
        97.0: 11.00 tokens
        95.0: 11.00 tokens
        90.0: 11.00 tokens
        80.0: 11.00 tokens
        75.0: 11.00 tokens
        50.0: 11.00 tokens
        25.0: 11.00 tokens
        10.0: 11.00 tokens
         5.0: 11.00 tokens
         1.0: 11.00 tokens

    ----------------- End of Report -----------------
    ");
    }
}
