//! Pieces that several formats share.

use serde_json::value::RawValue;

use super::super::json::{self, Members};
use crate::wire;

/// A text: a string, or the text parts of an array of content parts. The number of parts that
/// are no text.
pub(super) fn content(raw: &RawValue) -> Result<(String, usize), String> {
    if json::kind(raw) != "an array" {
        return json::text(raw).map(|text| (text, 0));
    }
    let (mut texts, mut others) = (Vec::new(), 0);
    for part in json::array(raw)? {
        let text = match json::kind(part) {
            "text" => Some(json::text(part)?),
            "an object" => json::object(part)?.get("text").map(json::text).transpose()?,
            _ => None,
        };
        match text {
            Some(text) => texts.push(text),
            None => others += 1,
        }
    }
    Ok((texts.join("\n"), others))
}

/// The first of these members that is a text and not empty.
pub(super) fn first_text(members: &Members<'_>, keys: &[&str]) -> Option<String> {
    let mut texts = keys.iter().filter_map(|key| json::text(members.get(key)?).ok());
    texts.find(|text| !text.is_empty())
}

/// Arguments of a call as a JSON string that holds their JSON, whether recorded as text or as a
/// value.
pub(super) fn arguments(raw: Option<&RawValue>) -> String {
    let text = raw.map_or_else(
        || "{}".to_owned(),
        |raw| {
            json::text(raw)
                .or_else(|_| wire::json::compact(raw.get()))
                .unwrap_or_else(|_| raw.get().to_owned())
        },
    );
    quoted(&text)
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    wire::json::push_string(&mut out, text);
    // Only whole characters were copied or escaped.
    String::from_utf8(out).unwrap_or_default()
}

/// Milliseconds since 1970 of an RFC 3339 time in UTC or with an offset, or of a number of
/// seconds.
pub(super) fn time(raw: &RawValue) -> Option<i64> {
    if json::kind(raw) == "a number" {
        let seconds = json::number(raw).ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "a cast saturates")]
        return seconds.is_finite().then_some((seconds * 1000.0).round() as i64);
    }
    rfc3339(&json::text(raw).ok()?)
}

fn rfc3339(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let rest = text.get(19..)?;
    let fraction = rest
        .strip_prefix('.')
        .map_or("", |rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default());
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone.as_bytes().first() {
        Some(sign @ (b'+' | b'-')) => {
            let minutes =
                zone.get(1..3)?.parse::<i64>().ok()? * 60 + zone.get(4..6)?.parse::<i64>().ok()?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => 0,
    };
    // Days since 1970 in the Gregorian calendar, with years that start in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    Some((((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_millisecond() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-03-01T12:30:05.25Z", Some(1_772_368_205_250)),
            ("2026-03-01T13:30:05.250123+01:00", Some(1_772_368_205_250)),
            ("2024-02-29 00:00:00", Some(1_709_164_800_000)),
            ("2024-13-01T00:00:00Z", None),
            ("yesterday", None),
            ("2024-02-2é 00:00:00", None),
        ] {
            assert_eq!(rfc3339(text), expected, "{text}");
        }
    }
}
