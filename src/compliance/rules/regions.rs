//! The regions of a curve.

use super::super::finding::Sink;
use super::super::view::View;

const COMPUTATION: &str = "region-computation";

/// Computes the regions from `C_max` and the lowest point, or the declared lower boundary.
pub(in super::super) fn derive(view: &mut View<'_>, declared: Option<i128>, sink: &mut Sink) {
    const BASIS: &str = "region-basis";
    let curve = view.curve.path.as_path();
    let place = view.description.unwrap_or(curve);
    let Some(c_max) = view.c_max else {
        sink.add(BASIS, "warn", place);
        return;
    };
    sink.add("max-concurrency-declared", "pass", place).with("c_max", c_max);
    let concurrencies = view.concurrencies();
    let ultra_low_max = i128::from(view.ruleset.ultra_low_max);
    let c_min = match declared {
        Some(c_min) => {
            let fixed = view.voters().map(|point| point.concurrency);
            let borrowed = view.unparsed.iter().filter_map(|files| files.concurrency());
            if !fixed.chain(borrowed).any(|concurrency| concurrency == c_min) {
                sink.add("c-min-override", "missing-point", curve).with("found", c_min);
                return;
            }
            c_min
        }
        None => concurrencies.into_iter().min().unwrap_or(ultra_low_max).min(ultra_low_max),
    };
    if declared.is_none() {
        sink.add(BASIS, "pass", curve).with("c_min", c_min);
    }
    if c_min < 1 {
        sink.add(COMPUTATION, "c-min-range", place).with("found", c_min);
        return;
    }
    // Nothing changes for boundaries beyond 32 bits.
    let small = |value: i128| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
    let Some(mut regions) = view.ruleset.regions(small(c_min), small(c_max)) else {
        sink.add(COMPUTATION, "c-max-too-low", place).with("found", c_max);
        return;
    };
    if declared.is_some() {
        regions.ultra_low_max = regions.c_min;
        sink.add(BASIS, "override", curve).with("c_min", c_min);
    }
    view.regions = Some(regions);
}
