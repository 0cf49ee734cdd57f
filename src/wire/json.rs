//! Compact JSON text, kept as it was written.
//!
//! A data set's JSON (tools, tool calls) goes onto the wire without a round trip through values,
//! so that key order, duplicate keys and the spelling of numbers stay the author's.

use serde::de::Error as _;
use serde_json::value::RawValue;

/// How deeply arrays and objects may nest.
const MAX_DEPTH: usize = 128;

/// One JSON document without whitespace outside strings, strings escaped no more than necessary
/// and UTF-8 left as it is (the form that Python's `json.dumps(…, ensure_ascii=False,
/// separators=(",", ":"))` writes). Number text, key order and duplicate keys stay.
///
/// # Errors
/// Text that is not JSON, nests deeper than 128 levels, or holds a lone surrogate escape (which
/// has no UTF-8 form).
pub fn compact(raw: &str) -> Result<String, serde_json::Error> {
    // Syntax is settled here, without recursion; the pass below only has to tell strings from
    // everything else.
    let raw = serde_json::from_str::<&RawValue>(raw)?.get();
    let bytes = raw.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = copy_string(raw, at, &mut out)?;
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(serde_json::Error::custom(format_args!(
                        "nested deeper than {MAX_DEPTH} levels"
                    )));
                }
                out.push(byte);
            }
            b'}' | b']' => {
                depth -= 1;
                out.push(byte);
            }
            _ => out.push(byte),
        }
        at += 1;
    }
    // Only whole UTF-8 strings and ASCII were copied.
    String::from_utf8(out).map_err(serde_json::Error::custom)
}

/// Copies the string literal that starts at `start`, minimally escaped; returns where it ends.
fn copy_string(raw: &str, start: usize, out: &mut Vec<u8>) -> Result<usize, serde_json::Error> {
    let bytes = raw.as_bytes();
    // Whether an escape is spelled in another way than this module would.
    let mut other_spelling = false;
    let mut at = start + 1;
    let end = loop {
        match memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
            Some(offset) if bytes[at + offset] == b'"' => break at + offset + 1,
            Some(offset) => {
                // Solidus and \u escapes; most of the latter need none, the rest are rare.
                other_spelling |= matches!(bytes.get(at + offset + 1), Some(b'/' | b'u'));
                at += offset + 2;
            }
            None => return Err(serde_json::Error::custom("a string has no end")),
        }
    };
    let literal = &raw[start..end];
    if other_spelling {
        let text: String = serde_json::from_str(literal)?;
        push_string(out, &text);
    } else {
        out.extend_from_slice(literal.as_bytes());
    }
    Ok(end)
}

/// Appends `text` as a JSON string literal, exactly as `serde_json` writes it.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("writing a string to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn keeps_numbers_order_and_duplicate_keys() {
        let raw = " { \"b\" : 1.0e+02 , \"a\" : [ -0 , 1E3, 123456789012345678901234567890.10 ],\n\
                   \t\"b\":null } \r\n";
        assert_eq!(
            compact(raw).unwrap(),
            r#"{"b":1.0e+02,"a":[-0,1E3,123456789012345678901234567890.10],"b":null}"#
        );
    }

    #[test]
    fn escapes_as_little_as_possible() {
        let raw =
            r#"["\u00e9\/\u4e2d \ud83d\ude00", "\u0007\u001F\b\f\n\r\t\"\\", "\u007f<\u2028"]"#;
        assert_eq!(
            compact(raw).unwrap(),
            "[\"é/中 😀\",\"\\u0007\\u001f\\b\\f\\n\\r\\t\\\"\\\\\",\"\u{7f}<\u{2028}\"]"
        );
    }

    #[test]
    fn whitespace_and_quotes_inside_strings_stay() {
        assert_eq!(compact(r#"{"a b" : " , \"} "}"#).unwrap(), r#"{"a b":" , \"} "}"#);
        assert_eq!(compact(r#" "\\" "#).unwrap(), r#""\\""#);
    }

    #[test]
    fn refuses_what_is_not_json() {
        for raw in
            ["", "{", "[1,]", "{} {}", "nul", "01", "\"\\x\"", "\"a\nb\"", "\"\\ud800\"", "\""]
        {
            assert!(compact(raw).is_err(), "{raw}");
        }
    }

    #[test]
    fn bounds_nesting() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(compact(&nested(128)).is_ok());
        let error = compact(&nested(129)).unwrap_err();
        assert_eq!(error.to_string(), "nested deeper than 128 levels");
        assert!(compact(&nested(1_000_000)).is_err());
    }

    /// Any JSON value, numbers of every kind included.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    /// `text` with every character of its strings spelled as a `\u` escape.
    fn escape_all(text: &str) -> String {
        let mut out = String::new();
        let mut units = [0; 2];
        let value: String = serde_json::from_str(text).unwrap();
        for c in value.chars() {
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04X}").unwrap();
            }
        }
        format!("\"{out}\"")
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(value in value()) {
            let compacted = compact(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            prop_assert_eq!(&compacted, &serde_json::to_string(&value).unwrap());
            prop_assert_eq!(&compact(&compacted).unwrap(), &compacted);
        }

        #[test]
        fn strings_do_not_depend_on_their_spelling(text in any::<String>()) {
            let mut plain = Vec::new();
            push_string(&mut plain, &text);
            let plain = String::from_utf8(plain).unwrap();
            prop_assert_eq!(compact(&escape_all(&plain)).unwrap(), plain);
        }

        #[test]
        fn number_text_is_untouched(text in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?") {
            prop_assert_eq!(compact(&format!("[ {text}\n]")).unwrap(), format!("[{text}]"));
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = compact(&text);
        }

        #[test]
        fn never_panics_on_almost_json(text in "[\\[\\]{}\",:\\\\u0-9a-f \\n-]{0,40}") {
            let _ = compact(&text);
        }
    }
}
