//! The numbers of a window.

use serde::Serialize;

use super::plateau::{Plateau, issue_span};
use super::series::{SuperPass, count, float, mean, percentile, squares};

/// A mean with its 95 % interval by batch means: each super-pass's mean is one observation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The mean of all samples of the window.
    pub mean: f64,
    /// Percentile 50 of all samples.
    pub p50: f64,
    /// Percentile 90 of all samples.
    pub p90: f64,
    /// The mean of the super-passes' means, the middle of the interval.
    pub batch_mean: f64,
    /// The lower end; none with fewer than two super-passes.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The numbers of a window, over all its samples; times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Numbers {
    /// Turns issued in it.
    pub n_samples: u64,
    /// First to last issue.
    pub issue_span_ns: u64,
    /// Issue to first fragment.
    pub ttft: Option<Interval>,
    /// Time per output token after the first chunk.
    pub tpot: Option<Interval>,
    /// Output tokens per turn.
    pub osl: Option<Interval>,
    /// Issue to the end of the reply.
    pub latency: Option<Interval>,
    /// Output tokens per second of the issue span.
    pub system_tps: Option<f64>,
    /// 10^9 / mean TPOT.
    pub tps_per_user: Option<f64>,
}

pub(super) fn numbers(passes: &[SuperPass], window: Plateau) -> Numbers {
    let window = window.of(passes);
    let span = issue_span(window);
    let tpot = interval(window, |pass| &pass.tpot);
    let tokens: f64 = window.iter().flat_map(|pass| &pass.output).sum();
    Numbers {
        n_samples: window.iter().map(|pass| pass.turns).sum(),
        issue_span_ns: span,
        ttft: interval(window, |pass| &pass.ttft),
        osl: interval(window, |pass| &pass.output),
        latency: interval(window, |pass| &pass.latency),
        system_tps: (tokens > 0.0 && span > 0).then(|| tokens / (float(span) / 1e9)),
        tps_per_user: tpot.filter(|tpot| tpot.mean > 0.0).map(|tpot| 1e9 / tpot.mean),
        tpot,
    }
}

fn interval(window: &[SuperPass], of: fn(&SuperPass) -> &Vec<f64>) -> Option<Interval> {
    let mut pooled: Vec<f64> = window.iter().flat_map(|pass| of(pass).iter().copied()).collect();
    pooled.sort_unstable_by(f64::total_cmp);
    let batches: Vec<f64> = window.iter().filter_map(|pass| mean(of(pass))).collect();
    let batch_mean = mean(&batches)?;
    let half = batches.len().checked_sub(1).filter(|&freedom| freedom > 0).map(|freedom| {
        let deviation = (squares(&batches) / count(freedom)).sqrt();
        student(freedom) * deviation / count(batches.len()).sqrt()
    });
    Some(Interval {
        mean: mean(&pooled)?,
        p50: percentile(&pooled, 0.5)?,
        p90: percentile(&pooled, 0.9)?,
        batch_mean,
        low: half.map(|half| batch_mean - half),
        high: half.map(|half| batch_mean + half),
    })
}

/// Student's t for a two-sided 95 % interval, by degrees of freedom from 1; beyond 30 the normal
/// distribution's value.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

fn student(freedom: usize) -> f64 {
    freedom.checked_sub(1).and_then(|at| STUDENT.get(at)).copied().unwrap_or(1.96)
}
