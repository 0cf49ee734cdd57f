//! Cohorts: two a month, `YYYY-MM-C0` and `YYYY-MM-C1`.

use std::fmt;
use std::str::FromStr;

/// A submission cohort. Ordered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cohort {
    /// Half months since year 0.
    index: u32,
}

/// A text that is no cohort.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no cohort: write YYYY-MM-C0 or YYYY-MM-C1")]
pub struct ParseCohortError(String);

impl Cohort {
    /// The cohort that many steps later.
    #[must_use]
    pub fn later(self, steps: u32) -> Self {
        Self { index: self.index.saturating_add(steps) }
    }
}

impl FromStr for Cohort {
    type Err = ParseCohortError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseCohortError(text.to_owned());
        let number = |range: std::ops::Range<usize>| {
            let digits = text.get(range).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
            digits.and_then(|digits| digits.parse::<u32>().ok()).ok_or_else(error)
        };
        let half = match text.get(7..) {
            Some("-C0") => 0,
            Some("-C1") => 1,
            _ => return Err(error()),
        };
        let (year, month) = (number(0..4)?, number(5..7)?);
        if text.get(4..5) != Some("-") || !(1..=12).contains(&month) {
            return Err(error());
        }
        Ok(Self { index: (year * 12 + month - 1) * 2 + half })
    }
}

impl fmt::Display for Cohort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (months, half) = (self.index / 2, self.index % 2);
        write!(f, "{:04}-{:02}-C{half}", months / 12, months % 12 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cohorts_follow_one_another_over_the_end_of_a_year() {
        let first: Cohort = "2026-11-C1".parse().unwrap();
        let later: Vec<String> = (0..4).map(|steps| first.later(steps).to_string()).collect();
        assert_eq!(later, ["2026-11-C1", "2026-12-C0", "2026-12-C1", "2027-01-C0"]);
    }

    #[test]
    fn what_is_no_cohort_is_refused() {
        for text in ["", "2026-13-C0", "2026-00-C1", "2026-11-C2", "2026-1-C0", "2026/11-C0", "é"]
        {
            assert!(text.parse::<Cohort>().is_err(), "{text}");
        }
    }
}
