//! Sizes for people.

/// A number of bytes for people, with three digits that count: `12.3 MB`. Units are decimal.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if count < 1000 {
        return format!("{count} B");
    }
    #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
    let mut value = count as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let sizes = [0, 999, 1000, 99_940, 99_960, 999_499, 999_500, 12_345_678, u64::MAX];
        insta::assert_snapshot!(sizes.map(bytes).join(" | "), @"0 B | 999 B | 1.00 kB | 99.9 kB | 100 kB | 999 kB | 1.00 MB | 12.3 MB | 18446744 TB");
    }
}
