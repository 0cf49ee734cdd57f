//! YAML of version 1.1, as `PyYAML`'s safe loader takes it, on top of the located tree.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::value::{Map, Oddity, OddityKind, Value};
use crate::diagnostics::{Diagnostic, Place, Position};
use crate::yaml::{self, Kind, Node};

/// Parses a text; the error says what is wrong, and on which line.
pub(super) fn parse(
    file: &Path,
    text: &str,
) -> Result<(Value, Vec<Oddity>), (String, Option<u64>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = yaml::parse(&Arc::from(file), text);
    let Some(root) = parsed.root else {
        let empty = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if text.lines().all(empty) {
            return Ok((Value::Null, Vec::new()));
        }
        return Err(match parsed.diagnostics.into_iter().next() {
            Some(finding) => (finding.message.clone(), line(&finding, text)),
            None => ("no YAML document".to_owned(), None),
        });
    };
    let duplicate = parsed.diagnostics.iter().filter(|finding| finding.code.contains("duplicate"));
    let odd = duplicate.map(|finding| Oddity {
        kind: OddityKind::DuplicateKey,
        name: finding.message.clone(),
        line: line(finding, text),
    });
    Ok((value(&root, text), odd.collect()))
}

/// The line of a parser's finding.
fn line(finding: &Diagnostic, text: &str) -> Option<u64> {
    match &finding.labels.first()?.place {
        Place::Span(span) => Some(Position::of(text, span.start).line),
        Place::Line(line) => Some(*line),
        Place::File => None,
    }
}

/// The value of a node; recursion is bounded by the parser's depth.
fn value(node: &Node, text: &str) -> Value {
    match &node.kind {
        Kind::List(items) => Value::List(items.iter().map(|item| value(item, text)).collect()),
        Kind::Map(entries) => {
            let entries = entries.iter().map(|e| (e.key.clone(), value(&e.value, text)));
            Value::Map(Map(entries.collect()))
        }
        scalar => {
            let raw = text.get(node.origin.span.clone()).unwrap_or_default().trim();
            let plain = !raw.is_empty() && !raw.starts_with(['"', '\'', '|', '>', '!', '&', '*']);
            if plain { resolve(raw) } else { as_read(scalar) }
        }
    }
}

/// A value whose text tells nothing about its type.
fn as_read(kind: &Kind) -> Value {
    match kind {
        Kind::Bool(value) => Value::Bool(*value),
        Kind::String(text) => Value::Text(text.clone()),
        Kind::Number(number) => match number.as_i128() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        _ => Value::Null,
    }
}

/// The type that version 1.1 gives a scalar without quotes.
fn resolve(raw: &str) -> Value {
    static INT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^[-+]?(?:0b[01_]+|0[0-7_]+|0x[0-9a-fA-F_]+|(?:0|[1-9][0-9_]*)(?::[0-5]?[0-9])*)$")
    });
    static FLOAT: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?",
            r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
        ))
    });
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"^[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)",
            r"[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?",
            r"(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?)$"
        ))
    });
    match raw {
        "~" | "null" | "Null" | "NULL" => return Value::Null,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Value::Bool(true);
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Value::Bool(false);
        }
        _ => {}
    }
    if INT.is_match(raw) {
        return int(&raw.replace('_', ""));
    }
    if FLOAT.is_match(raw) {
        return Value::Float(float(&raw.replace('_', "").to_ascii_lowercase()));
    }
    if DATE.is_match(raw) {
        return Value::Date(raw.to_owned());
    }
    // Line breaks inside a plain scalar are folded.
    Value::Text(raw.split('\n').map(str::trim).collect::<Vec<_>>().join(" "))
}

/// A whole number with its sign: binary, octal, hexadecimal, decimal, or in base 60.
fn int(text: &str) -> Value {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let radix = |digits: &str, radix| i128::from_str_radix(digits, radix).ok();
    let parsed = if let Some(digits) = digits.strip_prefix("0b") {
        radix(digits, 2)
    } else if let Some(digits) = digits.strip_prefix("0x") {
        radix(digits, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        radix(digits, 8)
    } else {
        digits
            .split(':')
            .try_fold(0_i128, |sum, part| sum.checked_mul(60)?.checked_add(radix(part, 10)?))
    };
    match parsed {
        Some(value) => Value::Int(if negative { -value } else { value }),
        None => Value::Float(text.parse().unwrap_or(f64::NAN)),
    }
}

fn float(text: &str) -> f64 {
    match text.trim_start_matches('+') {
        ".inf" => f64::INFINITY,
        "-.inf" => f64::NEG_INFINITY,
        ".nan" => f64::NAN,
        text if text.contains(':') => {
            let (sign, text) =
                text.strip_prefix('-').map_or((1.0, text), |positive| (-1.0, positive));
            let parts = text.split(':').map(|part| part.parse::<f64>().unwrap_or(f64::NAN));
            sign * parts.fold(0.0, |sum, part| sum * 60.0 + part)
        }
        text => text.parse().unwrap_or(f64::NAN),
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern that tests compile")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        parse(Path::new("point.yaml"), text).unwrap().0
    }

    #[test]
    fn scalars_have_the_types_of_version_1_1() {
        let shown: Vec<String> = [
            "a: yes",
            "a: 'yes'",
            "a: 010",
            "a: 1_000",
            "a: 1:30",
            "a: 1e3",
            "a: 1.0e+3",
            "a: 2026-10-01",
            "a: ~",
            "a:",
            "a: .nan",
            "a: -.inf",
            "a: 0x1F",
            "a: A",
            "a: 10487924139932647040",
            "a: 99999999999999999999999",
            "a: \"48\"",
            "a: 48 # c",
        ]
        .iter()
        .map(|text| read(text).as_map().unwrap().get("a").unwrap().show())
        .collect();
        assert_eq!(
            shown,
            [
                "true",
                "\"yes\"",
                "8",
                "1000",
                "90",
                "\"1e3\"",
                "1000.0",
                "the date 2026-10-01",
                "null",
                "null",
                "NaN",
                "-inf",
                "31",
                "\"A\"",
                "10487924139932647040",
                "99999999999999999999999",
                "\"48\"",
                "48",
            ]
        );
    }

    #[test]
    fn nothing_is_null_and_nonsense_an_error() {
        assert!(matches!(read(""), Value::Null));
        assert!(matches!(read("# only a comment\n"), Value::Null));
        assert!(parse(Path::new("x"), "a: [1\nb: }").is_err());
        let (value, odd) = parse(Path::new("x"), "a: 1\na: 2").unwrap();
        assert_eq!((value.as_map().unwrap().iter().count(), odd.len()), (1, 1));
    }
}
