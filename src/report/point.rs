//! report.txt of a point.

use std::fmt::Write as _;
use std::time::Duration;

use crate::metrics::steady::{Analysis, SteadySummary};
use crate::metrics::{Metrics, SelfCheckReport, Stats, TokenCounts};
use crate::results::{PointState, RunFacts};

/// What stands under every number of a simulated endpoint.
pub const SIMULATED: &str =
    "SIMULATED: the endpoint was simulated; these numbers measure no real system.";
pub(super) const SERVER_REPORTED: &str =
    "Token counts are server-reported, not official: the rules count with the reference tokenizer.";
pub(super) const OFFICIAL: &str =
    "Token counts are official: counted with the reference tokenizer and chat template.";
pub(super) const NO_TOKENS: &str =
    "No token numbers where no turn completed or a completed turn carried no usage.";

/// The report of a point, in the reference client's arrangement with what it lacks added.
///
/// `steady` is what the steady-state detector found.
pub fn point_report(
    facts: &RunFacts,
    metrics: &Metrics,
    self_check: &SelfCheckReport,
    steady: Option<&Analysis>,
) -> String {
    let mut text = String::new();
    summary(&mut text, facts, metrics, self_check)
        .and_then(|()| steady.map_or(Ok(()), |found| steady_state(&mut text, facts, found)))
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
        TokenCounts::Official => writeln!(text, "{OFFICIAL}")?,
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
    client(text, self_check)?;
    writeln!(text, "Self-check: {}", if self_check.passed() { "passed" } else { "FAILED" })?;
    for violation in &self_check.violations {
        writeln!(text, "  {}: {}", violation.check, violation.message)?;
    }
    writeln!(text)
}

/// How punctual the client was, and whether that may have set the numbers.
fn client(text: &mut String, self_check: &SelfCheckReport) -> std::fmt::Result {
    let Some(client) = &self_check.client else { return Ok(()) };
    if let Some(summary) = client.summary() {
        writeln!(text, "Client: {summary}")?;
    }
    for limit in &client.limits {
        writeln!(text, "WARNING: client-limited: {limit}")?;
    }
    Ok(())
}

/// What the detector found; the numbers below it are those of the whole performance window.
fn steady_state(text: &mut String, facts: &RunFacts, analysis: &Analysis) -> std::fmt::Result {
    let found = SteadySummary::new(analysis, facts.min_duration.unwrap_or_default());
    writeln!(text, "----------------- Steady state -----------------")?;
    writeln!(text, "Status: {}", word(&found.status))?;
    writeln!(text, "Verdict: {}", word(&found.verdict))?;
    writeln!(text, "Reason: {}", found.reason)?;
    writeln!(
        text,
        "Super-passes: {} of {} turns, {} of them warm-up",
        found.n_super_passes, found.superpass_size, found.warmup
    )?;
    if let (Some(window), Some(numbers)) = (analysis.window, &found.numbers) {
        let (first, last) = (found.warmup + window.low, found.warmup + window.high - 1);
        let seconds = Duration::from_nanos(numbers.issue_span_ns).as_secs_f64();
        writeln!(text, "Window: super-passes {first} to {last}, {seconds:.1} s of issues")?;
        if let Some(tpot) = numbers.tpot {
            write!(text, "TPOT in the window: {:.2} ms", tpot.mean / 1e6)?;
            if let (Some(low), Some(high)) = (tpot.low, tpot.high) {
                write!(text, " (95 % interval {:.2} to {:.2} ms)", low / 1e6, high / 1e6)?;
            }
            writeln!(text)?;
        }
    }
    if !found.drifting_up.is_empty() {
        writeln!(text, "WARNING: these climb: {}", found.drifting_up.join(", "))?;
    }
    writeln!(text)
}

/// The word that stands for a value in files.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
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
            client_limited: false,
            concurrency: 8,
            region: Some("low_latency".to_owned()),
            min_duration: None,
            benchmark: None,
            seed: 42,
            warmup_requests: 0,
        };
        let expected =
            Expected { planned: 5, skipped: 0, interrupted: true, concurrency: 8, salt_markers: 0 };
        let report = check.finish(expected, String::new());
        insta::assert_snapshot!(point_report(&facts, &collector.finish(), &report, None));
    }
}
