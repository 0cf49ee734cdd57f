//! What is printed.

use std::fmt::{self, Write as _};

use crate::host::OpenFiles;
use crate::results::{Calibration, Step};

/// The calibration as JSON, without a line end.
pub(super) fn json(made: &Calibration) -> String {
    serde_json::to_string_pretty(made).expect("our own types have only text keys and no errors")
}

/// Conclusions, limits with the commands that raise them, and the ladder, for people.
pub(super) fn text(made: &Calibration, files: OpenFiles, ports: Option<(u16, u16)>) -> String {
    let mut text = String::new();
    write(&mut text, made, files, ports).expect("writing to a string cannot fail");
    text.trim_end().to_owned()
}

fn write(
    text: &mut String,
    made: &Calibration,
    files: OpenFiles,
    ports: Option<(u16, u16)>,
) -> fmt::Result {
    let host = &made.host;
    let cpus = host.cpus.map_or("?".to_owned(), |cpus| cpus.to_string());
    let model = host.cpu_model.as_deref().unwrap_or(&host.architecture);
    writeln!(text, "{}: {cpus} CPUs ({model}), {}", host.hostname, host.kernel)?;
    if made.quick {
        writeln!(text, "QUICK: measured for seconds only; do not rely on these numbers.")?;
    }
    writeln!(text, "SIMULATED: the endpoint was simulated, on this machine.\n")?;
    let best = made.throughput.iter().max_by(|a, b| a.turns_per_s.total_cmp(&b.turns_per_s));
    if let Some(best) = best {
        let micros = micros(best.cpu_ns_per_turn);
        let (rate, slots) = (best.turns_per_s, best.slots);
        writeln!(
            text,
            "turns a second             {rate:.0} ({slots} slots, {micros} of CPU each)"
        )?;
    }
    writeln!(text, "added TTFT p99 below 1 ms  up to {}", slots(made, made.slots_below_1ms))?;
    writeln!(text, "added TTFT p99 below 5 ms  up to {}", slots(made, made.slots_below_5ms))?;
    if let Some(alone) = made.throughput.first() {
        let (p50, p99) = (millis(alone.ttft_p50_ns), millis(alone.ttft_p99_ns));
        writeln!(text, "loopback, one slot         TTFT p50 {p50}, p99 {p99}")?;
    }
    writeln!(text, "clock                      steps of {} ns", made.clock_resolution_ns)?;
    limits(text, made, files, ports)?;
    ladder(text, "Against an endpoint that answers at once (TTFT)", &made.throughput)?;
    ladder(text, "Against 20 ms + 16 × 5 ms (TTFT on top of the endpoint's)", &made.latency)
}

fn slots(made: &Calibration, slots: u32) -> String {
    let last = made.latency.last().is_some_and(|step| step.slots == slots);
    let more = if last && made.ladder_exhausted { " or more" } else { "" };
    let noun = if slots == 1 { "slot" } else { "slots" };
    format!("{slots} {noun}{more}")
}

fn limits(
    text: &mut String,
    made: &Calibration,
    files: OpenFiles,
    ports: Option<(u16, u16)>,
) -> fmt::Result {
    match (files.now, made.connections_by_files) {
        (Some(limit), Some(slots)) => {
            writeln!(text, "open files                 {limit}: up to {slots} slots")?;
            writeln!(
                text,
                "                           raise: ulimit -n {}, as root; for good in \
                 /etc/security/limits.conf or LimitNOFILE=",
                limit.saturating_mul(4)
            )?;
        }
        _ => writeln!(text, "open files                 no limit")?,
    }
    if let (Some((first, last)), Some(connections)) = (ports, made.connections_by_ports) {
        writeln!(
            text,
            "local ports                {first} to {last}: up to {connections} connections to one \
             address"
        )?;
        writeln!(
            text,
            "                           raise: sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\""
        )?;
    }
    Ok(())
}

fn ladder(text: &mut String, title: &str, steps: &[Step]) -> fmt::Result {
    writeln!(text, "\n{title}\n")?;
    writeln!(
        text,
        "{:>6}  {:>8}  {:>6}  {:>9}  {:>9}  {:>9}  {:>9}  {:>9}",
        "slots", "turns", "failed", "turns/s", "CPU/turn", "p50", "p99", "lag p99"
    )?;
    for step in steps {
        writeln!(
            text,
            "{:>6}  {:>8}  {:>6}  {:>9.0}  {:>9}  {:>9}  {:>9}  {:>9}",
            step.slots,
            step.turns,
            step.failed,
            step.turns_per_s,
            micros(step.cpu_ns_per_turn),
            millis(step.ttft_p50_ns),
            millis(step.ttft_p99_ns),
            millis(step.loop_lag_p99_ns)
        )?;
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn millis(nanos: u64) -> String {
    format!("{:.3} ms", nanos as f64 / 1e6)
}

#[expect(clippy::cast_precision_loss, reason = "shown with few digits")]
fn micros(nanos: u64) -> String {
    format!("{:.1} µs", nanos as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;

    #[test]
    fn conclusions_limits_and_ladder_are_shown() {
        let host = Host {
            hostname: "box".to_owned(),
            os: "Linux".to_owned(),
            kernel: "Linux 6.1".to_owned(),
            architecture: "x86_64".to_owned(),
            cpu_model: None,
            cpus: Some(2),
            memory_bytes: None,
            open_files: Some(1024),
        };
        let mut made = Calibration::new("0.1.0".to_owned(), "then".to_owned(), true, host);
        let step = |slots, turns_per_s, ttft_p99_ns| Step {
            slots,
            turns: 700,
            turns_per_s,
            cpu_ns_per_turn: 30_400,
            ttft_p50_ns: 61_000,
            ttft_p99_ns,
            loop_lag_p99_ns: 90_000,
            failed: 0,
        };
        made.clock_resolution_ns = 25;
        made.throughput = vec![step(1, 9_000.4, 120_000), step(8, 30_000.0, 300_000)];
        made.latency = vec![step(1, 9.6, 200_000), step(8, 77.0, 2_500_000)];
        made.connections_by_files = Some(960);
        made.connections_by_ports = Some(28_232);
        made.conclude();
        let files = OpenFiles { before: Some(256), now: Some(1024) };
        insta::assert_snapshot!(super::text(&made, files, Some((32_768, 60_999))));
    }
}
