//! The statistics of one series, as the reference client defines them.

use super::{early_stopping, histogram};

/// The percentiles of every block, greatest first, with the keys they have in files.
pub const PERCENTILES: [(&str, f64); 12] = [
    ("99.9", 99.9),
    ("99.0", 99.0),
    ("97.0", 97.0),
    ("95.0", 95.0),
    ("90.0", 90.0),
    ("80.0", 80.0),
    ("75.0", 75.0),
    ("50.0", 50.0),
    ("25.0", 25.0),
    ("10.0", 10.0),
    ("5.0", 5.0),
    ("1.0", 1.0),
];

/// A number that stays an integer where the series holds integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Nanoseconds or tokens.
    Int(u128),
    /// Nanoseconds per token.
    Float(f64),
}

impl Number {
    /// The nearest float.
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }
}

impl serde::Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            // Readers of JSON expect 64 bits; a sum beyond them would be 584 years.
            Self::Int(int) => serializer.serialize_u64(u64::try_from(int).unwrap_or(u64::MAX)),
            Self::Float(float) => serializer.serialize_f64(float),
        }
    }
}

/// A percentile's key, such as `"90.0"`, and its value.
pub type Percentile<T> = (&'static str, T);

/// A bucket's edges (the upper one exclusive but in the last bucket) and how many values it holds.
pub type Bucket = ((f64, f64), u64);

/// The statistics of a series that is not empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub total: Number,
    /// The smallest.
    pub min: Number,
    /// The greatest.
    pub max: Number,
    /// The sum of squares.
    pub sum_sq: f64,
    /// The mean.
    pub avg: f64,
    /// The sample standard deviation; 0 for one value.
    pub std_dev: f64,
    /// Percentile p is the value at index `floor(p/100 * (count - 1))` of the sorted series, an
    /// observed value, never an interpolated one.
    pub percentiles: Vec<Percentile<f64>>,
    /// For tail latencies: the value below which the true percentile lies with 99 % confidence;
    /// none where there are too few values.
    pub early_stopping: Option<Vec<Percentile<Option<f64>>>>,
    /// 30 buckets of equal width on a logarithmic scale.
    pub histogram: Vec<Bucket>,
}

impl Stats {
    /// The statistics of integers, in any order; none of none.
    pub fn of_ints(mut values: Vec<u64>, tail_latency: bool) -> Option<Self> {
        values.sort_unstable();
        let (min, max) = (*values.first()?, *values.last()?);
        let count = values.len() as u64;
        let total: u128 = values.iter().map(|&value| u128::from(value)).sum();
        let sum_sq = values.iter().map(|&value| Number::Int(square(value)).as_f64());
        let (sum_sq, avg) = (sum(sum_sq), Number::Int(total).as_f64() / float(count));
        let std_dev =
            deviation(values.iter().map(|&value| Number::Int(value.into()).as_f64()), avg);
        let at = |index: usize| Number::Int(values[index].into()).as_f64();
        let total = Number::Int(total);
        let (min, max) = (Number::Int(min.into()), Number::Int(max.into()));
        let totals = Totals { count, total, min, max, sum_sq, avg, std_dev };
        Some(Self::from_sorted(&totals, at, tail_latency))
    }

    /// The statistics of floats, in any order; none of none. Values must be finite.
    pub fn of_floats(mut values: Vec<f64>, tail_latency: bool) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);
        let count = values.len() as u64;
        let total = sum(values.iter().copied());
        let sum_sq = sum(values.iter().map(|value| value * value));
        let avg = total / float(count);
        let std_dev = deviation(values.iter().copied(), avg);
        let total = Number::Float(total);
        let (min, max) = (Number::Float(min), Number::Float(max));
        let totals = Totals { count, total, min, max, sum_sq, avg, std_dev };
        Some(Self::from_sorted(&totals, |index| values[index], tail_latency))
    }

    /// The value of percentile `p`, one of [`PERCENTILES`].
    pub fn percentile(&self, p: f64) -> Option<f64> {
        let at = PERCENTILES.iter().position(|&(_, known)| known.total_cmp(&p).is_eq())?;
        self.percentiles.get(at).map(|&(_, value)| value)
    }

    /// The median: percentile 50.
    pub fn median(&self) -> f64 {
        self.percentile(50.0).unwrap_or(self.avg)
    }

    fn from_sorted(totals: &Totals, at: impl Fn(usize) -> f64, tail_latency: bool) -> Self {
        let &Totals { count, total, min, max, sum_sq, avg, std_dev } = totals;
        let percentiles =
            PERCENTILES.iter().map(|&(key, p)| (key, at(lower_index(p, count)))).collect();
        let early_stopping = tail_latency.then(|| {
            let estimate = |p| early_stopping::index(p / 100.0, count).map(&at);
            let tail = PERCENTILES.iter().filter(|&&(_, p)| p >= 50.0);
            tail.map(|&(key, p)| (key, estimate(p))).collect()
        });
        let edges = histogram::edges(min.as_f64(), max.as_f64());
        let counts = histogram::counts(&edges, (0..usize_of(count)).map(&at));
        let histogram = edges.windows(2).map(|pair| (pair[0], pair[1])).zip(counts).collect();
        Self {
            count,
            total,
            min,
            max,
            sum_sq,
            avg,
            std_dev,
            percentiles,
            early_stopping,
            histogram,
        }
    }
}

struct Totals {
    count: u64,
    total: Number,
    min: Number,
    max: Number,
    sum_sq: f64,
    avg: f64,
    std_dev: f64,
}

/// The index of percentile `p` among `count` sorted values: the lower neighbour.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product lies in 0..count"
)]
fn lower_index(p: f64, count: u64) -> usize {
    let last = count.saturating_sub(1);
    let index = (p / 100.0 * float(last)).floor() as usize;
    index.min(usize_of(last))
}

/// Sample standard deviation in two passes, which keeps the digits that `sum_sq - total²/n` loses.
fn deviation(values: impl ExactSizeIterator<Item = f64>, avg: f64) -> f64 {
    let count = values.len() as u64;
    if count < 2 {
        return 0.0;
    }
    let squares = sum(values.map(|value| (value - avg) * (value - avg)));
    (squares / float(count - 1)).max(0.0).sqrt()
}

/// Neumaier's compensated sum: with sorted values the result does not depend on their first order.
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() {
            (total - next) + value
        } else {
            (value - next) + total
        };
        total = next;
    }
    total + lost
}

fn square(value: u64) -> u128 {
    u128::from(value) * u128::from(value)
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

fn usize_of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
