//! The verdict over a curve as text.

use std::fmt::Write as _;

use super::inline::percent;
use super::table::table;
use crate::accuracy::{AccuracyVerdict, GateOutcome, Judged, PointAccuracy, PointVerdict};
use crate::ruleset::Region;

/// Every gate with its threshold and margin; no trailing newline.
pub fn verdict_text(verdict: &AccuracyVerdict) -> String {
    let mut text = format!("Accuracy gates of {} by {}", verdict.title, verdict.ruleset);
    if !verdict.thresholds_published {
        text.push_str(": none published");
    }
    let _ = write!(text, "\n\n{}", points(verdict));
    let _ = write!(text, "\n\n{}", swe_bench(verdict));
    for problem in &verdict.swe_bench.problems {
        let _ = write!(text, "\n  {problem}");
    }
    let outcome = match verdict.outcome {
        GateOutcome::NonePublished => "none published, nothing judged",
        GateOutcome::NotMeasured => "not everything was measured; what was, passes",
        GateOutcome::Missing => "incomplete: something that was asked for is missing",
        GateOutcome::Pass => "pass",
        GateOutcome::Fail => "FAIL",
    };
    let _ = write!(text, "\nVerdict: {outcome}");
    text
}

/// Scores without gates, one row per point; no trailing newline.
pub fn scores_text(points: &[PointAccuracy]) -> String {
    let row = |point: &PointAccuracy| {
        vec![
            point.concurrency.to_string(),
            percent(point.inline),
            number(point.output_length, 1),
            percent(point.swe_bench),
        ]
    };
    let header = ["concurrency", "inline %", "OSL mean", "SWE-bench %"];
    table(&header, points.iter().map(row).collect(), &[])
}

/// A column: its header in two lines, and what it shows of a point.
type Column = (&'static str, fn(&PointVerdict) -> String);

const REGION: &str = "\nregion";
const INLINE: &str = "inline\nverdict";
const LENGTH: &str = "OSL\nverdict";

/// The table of the points. What no point has is left out.
fn points(verdict: &AccuracyVerdict) -> String {
    let any = |has: fn(&PointVerdict) -> bool| verdict.points.iter().any(has);
    let mut columns: Vec<Column> = vec![("\nconcurrency", |point| point.concurrency.to_string())];
    if any(|point| point.region.is_some()) {
        columns.push((REGION, |point| point.region.map_or("-", Region::name).to_owned()));
    }
    columns.extend::<[Column; 4]>([
        ("inline\n%", |point| number(point.inline.value, 2)),
        ("inline\nfloor", |point| number(point.inline.min, 2)),
        ("inline\nmargin", |point| margin(&point.inline, 2)),
        (INLINE, |point| point.inline.outcome.name().to_owned()),
    ]);
    columns.extend::<[Column; 4]>([
        ("OSL\nmean", |point| number(point.output_length.value, 1)),
        ("OSL\nrange", |point| range(&point.output_length)),
        ("OSL\nmargin", |point| margin(&point.output_length, 1)),
        (LENGTH, |point| point.output_length.outcome.name().to_owned()),
    ]);
    if any(|point| point.swe_bench.is_some()) {
        columns.push(("SWE-bench\n%", |point| number(point.swe_bench, 2)));
    }
    let header: Vec<&str> = columns.iter().map(|(header, _)| *header).collect();
    let row = |point| columns.iter().map(|(_, cell)| cell(point)).collect();
    table(&header, verdict.points.iter().map(row).collect(), &[REGION, INLINE, LENGTH])
}

fn range(judged: &Judged) -> String {
    match (judged.min, judged.max) {
        (Some(min), Some(max)) => format!("{min:.0}-{max:.0}"),
        _ => "-".to_owned(),
    }
}

fn swe_bench(verdict: &AccuracyVerdict) -> String {
    let judged = &verdict.swe_bench.judged;
    let with = verdict.swe_bench.bands.iter().filter(|band| band.score.is_some()).count();
    let Some(mean) = judged.value else {
        return format!("SWE-bench: {}", judged.outcome.name());
    };
    let mut text = format!("SWE-bench: mean of {with} regions {mean:.2} %");
    if let Some(floor) = judged.min {
        let _ = write!(text, ", floor {floor:.2} %, margin {}", margin(judged, 2));
    }
    let _ = write!(text, ": {}", judged.outcome.name());
    text
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn margin(judged: &Judged, digits: usize) -> String {
    judged.margin.map_or_else(|| "-".to_owned(), |margin| format!("{margin:+.digits$}"))
}
