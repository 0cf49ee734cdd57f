//! What `plan` says, as text.

use std::fmt::Write as _;
use std::time::Duration;

use super::summary::{PointSummary, Summary, TurnTime};
use crate::cli::progress::clock_text;
use crate::report::table;
use crate::units::bytes;

/// The whole plan, ending in a newline.
pub(super) fn render(summary: &Summary) -> String {
    let mut out = String::new();
    head(&mut out, summary);
    datasets(&mut out, summary);
    volume(&mut out, summary);
    out.push('\n');
    values(&mut out, summary);
    out.push('\n');
    out.push_str(&points(summary));
    out.push('\n');
    let assumption = match summary.turn_time {
        TurnTime::Assumed { seconds } => {
            format!("Expected times assume {} a turn; --turn-time changes that.", time(seconds))
        }
        TurnTime::Simulated => "Expected times are the simulated endpoint's own model.".to_owned(),
    };
    let all = time(summary.expected_s);
    let _ = writeln!(out, "{assumption} All points together: about {all}.");
    too_short(&mut out, summary);
    out
}

/// Every value with its origin, and what the ruleset binds.
fn values(out: &mut String, summary: &Summary) {
    let text = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows = summary
        .values
        .iter()
        .map(|value| vec![value.path.clone(), text(&value.value), value.from.to_string()])
        .collect();
    let header = ["value", "is", "from"];
    out.push_str(&table(&header, rows, &header));
    out.push('\n');
    if let Some(ruleset) = &summary.ruleset {
        let _ = writeln!(out, "\n{} binds:", ruleset.name);
        for bound in &ruleset.binds {
            let _ = writeln!(out, "  {bound}");
        }
    }
}

/// Says which points are expected to be too short for the ruleset.
fn too_short(out: &mut String, summary: &Summary) {
    let short: Vec<String> = summary
        .points
        .iter()
        .filter(|point| {
            let least = point.min_duration_s.map(Duration::from_secs);
            least.is_some_and(|least| point.window_s < least.as_secs_f64())
        })
        .map(|point| point.concurrency.to_string())
        .collect();
    if !short.is_empty() {
        let _ = writeln!(
            out,
            "Expected to end before the ruleset's least duration: {}. More passes (mix.passes) \
             take longer.",
            short.join(", ")
        );
    }
}

fn head(out: &mut String, summary: &Summary) {
    let _ = write!(out, "scenario  {}", summary.scenario);
    if !summary.description.is_empty() {
        let _ = write!(out, ": {}", summary.description);
    }
    let endpoint = if summary.endpoints.is_empty() {
        "simulated, inside this program: its numbers measure no real system".to_owned()
    } else {
        summary.endpoints.join(", ")
    };
    let _ = writeln!(out, "\ndigest    {}", summary.digest);
    let _ = writeln!(out, "model     {}", summary.model);
    let _ = writeln!(out, "endpoint  {endpoint}");
}

fn datasets(out: &mut String, summary: &Summary) {
    for dataset in &summary.datasets {
        let _ = writeln!(
            out,
            "data set  {}: {} of {} trajectories, {} client turns, {} of delays, {}\n          \
             {} sha256 {}",
            dataset.name,
            dataset.taken,
            dataset.trajectories,
            dataset.client_turns,
            time(dataset.delay_s),
            bytes(dataset.bytes),
            dataset.path,
            dataset.sha256.get(..16).unwrap_or(&dataset.sha256),
        );
    }
}

fn volume(out: &mut String, summary: &Summary) {
    let passes = summary.trajectories / u64::from(summary.trajectories_per_pass.max(1));
    let amount = if summary.whole_passes {
        let word = if passes == 1 { "pass" } else { "passes" };
        format!("{passes} {word}")
    } else {
        "no whole number of passes".to_owned()
    };
    let _ = writeln!(
        out,
        "mix       {}, {} trajectories ({amount} over {})",
        summary.order, summary.trajectories, summary.trajectories_per_pass
    );
    let volume = &summary.per_point;
    let _ = writeln!(
        out,
        "a point   {} requests, {} of bodies (longest {}), {:.0} % of it a prefix that a server \
         may share,\n          {} of recorded replies, {} of delays",
        volume.requests,
        bytes(volume.request_bytes),
        bytes(volume.longest_request_bytes),
        volume.shareable_prefix_percent,
        bytes(volume.recorded_reply_bytes),
        time(volume.delay_s),
    );
}

fn points(summary: &Summary) -> String {
    let regions = summary.points.iter().any(|point| point.region.is_some());
    let least = summary.points.iter().any(|point| point.min_duration_s.is_some());
    let mut header = vec!["concurrency", "active", "delays alone", "window", "whole replay"];
    if regions {
        header.insert(1, "region");
    }
    if least {
        header.push("at least");
    }
    let rows = summary.points.iter().map(|point| row(point, regions, least)).collect();
    table(&header, rows, &["region"]) + "\n"
}

fn row(point: &PointSummary, regions: bool, least: bool) -> Vec<String> {
    let mut row = vec![
        point.concurrency.to_string(),
        point.active.to_string(),
        time(point.delays_only_s),
        time(point.window_s),
        time(point.expected_s),
    ];
    if regions {
        row.insert(1, point.region.unwrap_or("-").to_owned());
    }
    if least {
        row.push(
            point
                .min_duration_s
                .map_or_else(|| "-".to_owned(), |s| clock_text(Duration::from_secs(s))),
        );
    }
    row
}

/// A time with two or three digits that count.
fn time(seconds: f64) -> String {
    match seconds {
        0.0 => "0s".to_owned(),
        s if s < 1.0 => format!("{:.0}ms", s * 1000.0),
        s if s < 60.0 => format!("{s:.1}s"),
        s => clock_text(Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_few_digits() {
        let times = [0.0, 0.0201, 1.26, 59.9, 61.0, 7_260.0];
        insta::assert_snapshot!(times.map(time).join(" | "), @"0s | 20ms | 1.3s | 59.9s | 1m01s | 2h01m");
    }
}
