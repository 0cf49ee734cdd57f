//! Tables, medians, and the file of raw figures.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use serde_json::Value;

use crate::directory;

/// A table that is printed as it grows.
pub(crate) struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// Prints the title and the header.
    pub(crate) fn new(title: &str, header: &[&str]) -> Self {
        println!("\n{title}\n");
        let table =
            Self { widths: header.iter().map(|name| name.chars().count().max(8)).collect() };
        table.row(&header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        table
    }

    /// Prints a row.
    pub(crate) fn row(&self, cells: &[String]) {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&self.widths) {
            let _ = write!(line, "{cell:>width$}  ");
        }
        println!("{}", line.trim_end());
    }
}

/// Appends figures to the raw file.
pub(crate) fn raw(figures: &Value) {
    let path = directory().join("raw.jsonl");
    let file = File::options().create(true).append(true).open(path);
    writeln!(file.expect("the raw file opens"), "{figures}").expect("the raw file is written");
}

/// The median; zero of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(&mut values.into_iter().collect::<Vec<_>>(), 0.5)
}

/// The nearest-rank quantile; zero of nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
pub(crate) fn quantile(values: &mut [f64], q: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let rank = (values.len() as f64 * q).ceil() as usize;
    values[rank.clamp(1, values.len()) - 1]
}

/// A number with the digits that count.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
