//! Durations as people write them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The units, largest first, with their length in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// The shape of a duration, as a regular expression for the schema.
const PATTERN: &str = r"^([0-9]+(\.[0-9]{1,9})?(d|h|m|s|ms|us|ns))+$";

/// A duration written as a text with units: `250ms`, `30s`, `1m30s`, `4h`.
///
/// Units are `d`, `h`, `m`, `s`, `ms`, `us` and `ns`; several may follow one another, each may
/// have up to nine decimals. Whole nanoseconds, at most 584 years. Printing gives the shortest
/// text without decimals that parses back to the same duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HumanDuration(u64);

/// Why a text is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// There is no text.
    #[error("a duration is missing: write a number with a unit, such as 250ms, 30s or 4h")]
    Empty,
    /// A number without a unit.
    #[error("`{0}` has no unit: write {0}ms, {0}s, {0}m or {0}h")]
    NoUnit(String),
    /// A unit that is not known.
    #[error("`{0}` is no unit of time: use d, h, m, s, ms, us or ns")]
    UnknownUnit(String),
    /// Anything else that is no number.
    #[error("`{0}` is no duration: write a number with a unit, such as 250ms, 30s or 4h")]
    Malformed(String),
    /// More nanoseconds than fit.
    #[error("`{0}` is too long: the longest duration is 584 years")]
    TooLong(String),
}

impl HumanDuration {
    /// The shape of a duration, as a regular expression for the schema.
    pub const PATTERN: &'static str = PATTERN;
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A duration of whole seconds.
    pub const fn from_secs(secs: u32) -> Self {
        Self(secs as u64 * 1_000_000_000)
    }

    /// A duration of whole milliseconds.
    pub const fn from_millis(millis: u32) -> Self {
        Self(millis as u64 * 1_000_000)
    }

    /// The duration.
    pub const fn get(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    /// Whether it is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Duration> for HumanDuration {
    /// Saturates at 584 years.
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<HumanDuration> for Duration {
    fn from(duration: HumanDuration) -> Self {
        duration.get()
    }
}

impl fmt::Display for HumanDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (unit, nanos) in UNITS {
            if rest >= nanos {
                write!(f, "{}{unit}", rest / nanos)?;
                rest %= nanos;
            }
        }
        Ok(())
    }
}

impl FromStr for HumanDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || ParseDurationError::Malformed(text.to_owned());
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(ParseDurationError::Empty);
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let number_end =
                rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let (number, after) = rest.split_at(number_end);
            let unit_end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
            let (unit, after) = after.split_at(unit_end);
            if number.is_empty() {
                return Err(malformed());
            }
            if unit.is_empty() {
                return Err(if after.is_empty() {
                    ParseDurationError::NoUnit(number.to_owned())
                } else {
                    malformed()
                });
            }
            let scale = UNITS
                .iter()
                .find(|(name, _)| *name == unit)
                .map(|(_, nanos)| *nanos)
                .ok_or_else(|| ParseDurationError::UnknownUnit(unit.to_owned()))?;
            let part = scaled(number, scale).ok_or_else(malformed)?;
            total = u64::try_from(part)
                .ok()
                .and_then(|part| total.checked_add(part))
                .ok_or_else(|| ParseDurationError::TooLong(text.to_owned()))?;
            rest = after;
        }
        Ok(Self(total))
    }
}

/// A decimal number of at most nine decimals times `scale`, rounded down; saturates. `None` when
/// it is no such number.
fn scaled(number: &str, scale: u64) -> Option<u128> {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && fraction.len() <= 9 => (whole, fraction),
        Some(_) => return None,
        None => (number, ""),
    };
    if whole.is_empty() || fraction.contains('.') {
        return None;
    }
    // More digits than a u128 holds are still a number, only too long a duration.
    let whole: u128 = whole.parse().unwrap_or(u128::MAX);
    let billionths: u128 = format!("{fraction:0<9}").parse().ok()?;
    let scale = u128::from(scale);
    Some(whole.saturating_mul(scale).saturating_add(billionths * scale / 1_000_000_000))
}

impl Serialize for HumanDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HumanDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for HumanDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A duration with a unit (d, h, m, s, ms, us, ns): 250ms, 30s, 1m30s, 4h.",
            "pattern": PATTERN,
            "examples": ["250ms", "30s", "1m30s", "4h"],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn durations_read_as_written() {
        for (text, millis) in [
            ("0s", 0),
            ("250ms", 250),
            ("30s", 30_000),
            ("1m30s", 90_000),
            ("1.5s", 1_500),
            ("4h", 14_400_000),
            ("1d", 86_400_000),
        ] {
            assert_eq!(text.parse(), Ok(HumanDuration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_says_why() {
        let errors: Vec<String> =
            ["", "30", "1m30", "s", "5 s", "5sec", "1..5s", "1.s", "-1s", "99999999999d", "1s-"]
                .iter()
                .map(|text| text.parse::<HumanDuration>().unwrap_err().to_string())
                .collect();
        insta::assert_snapshot!(errors.join("\n"), @r"
        a duration is missing: write a number with a unit, such as 250ms, 30s or 4h
        `30` has no unit: write 30ms, 30s, 30m or 30h
        `30` has no unit: write 30ms, 30s, 30m or 30h
        `s` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        `5 s` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        `sec` is no unit of time: use d, h, m, s, ms, us or ns
        `1..5s` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        `1.s` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        `-1s` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        `99999999999d` is too long: the longest duration is 584 years
        `1s-` is no duration: write a number with a unit, such as 250ms, 30s or 4h
        ");
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(nanos: u64) {
            let duration = HumanDuration::from(Duration::from_nanos(nanos));
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            let _ = text.parse::<HumanDuration>();
        }
    }
}
