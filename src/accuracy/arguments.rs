//! The shell command in the arguments of a `bash` call.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The command of a call's arguments, JSON text: `command`, or `cmd` where that one is absent,
/// null, false, zero or empty. None when the text is no JSON object or the command no text.
///
/// The reference reads the arguments with Python's `json`, so lone surrogate escapes pass and the
/// last of equal keys counts. Its `NaN` and `Infinity`, which are not JSON, do not pass here.
pub(super) fn command(arguments: &str) -> Option<String> {
    let Arguments { command, cmd } = serde_json::from_str(arguments).ok()?;
    text(command.filter(|raw| is_truthy(raw)).or(cmd)?)
}

#[derive(Default)]
struct Arguments<'a> {
    command: Option<&'a RawValue>,
    cmd: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Arguments<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ArgumentsVisitor)
    }
}

struct ArgumentsVisitor;

impl<'de> Visitor<'de> for ArgumentsVisitor {
    type Value = Arguments<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the arguments of a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Arguments::default();
        while let Some(key) = map.next_key::<LooseText>()? {
            match key.0.as_str() {
                "command" => found.command = Some(map.next_value()?),
                "cmd" => found.cmd = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

/// Whether Python takes a value as true: everything but null, false, zero and what is empty.
fn is_truthy(raw: &RawValue) -> bool {
    let raw = raw.get();
    let empty = || raw.get(1..raw.len() - 1).is_some_and(|inside| inside.trim().is_empty());
    match raw.as_bytes().first() {
        Some(b'"') => raw != "\"\"",
        Some(b'{' | b'[') => !empty(),
        Some(b'n' | b'f') | None => false,
        Some(b't') => true,
        Some(_) => raw.parse::<f64>().is_ok_and(|number| number != 0.0),
    }
}

/// The text of a JSON string; none for any other value.
fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str::<LooseText>(raw.get()).ok().map(|text| text.0)
}

/// A JSON string that may hold lone surrogate escapes, which become replacement characters.
struct LooseText(String);

impl<'de> Deserialize<'de> for LooseText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(LooseTextVisitor)
    }
}

struct LooseTextVisitor;

impl Visitor<'_> for LooseTextVisitor {
    type Value = LooseText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(LooseText(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(LooseText(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn finds_the_command() {
        let cases = [
            (r#"{"command":"ls"}"#, Some("ls")),
            (r#" {"cmd" : "ls" } "#, Some("ls")),
            (r#"{"cmd":"ls","command":"cat"}"#, Some("cat")),
            (r#"{"command":"","cmd":"ls"}"#, Some("ls")),
            (r#"{"command":null,"cmd":"ls"}"#, Some("ls")),
            (r#"{"command":false,"cmd":"ls"}"#, Some("ls")),
            (r#"{"command":-0.0e9,"cmd":"ls"}"#, Some("ls")),
            (r#"{"command":[ ],"cmd":"ls"}"#, Some("ls")),
            (r#"{"command":{},"cmd":"ls"}"#, Some("ls")),
            (r#"{"command":" ","cmd":"ls"}"#, Some(" ")),
            (r#"{"command":["ls"],"cmd":"ls"}"#, None),
            (r#"{"command":true,"cmd":"ls"}"#, None),
            (r#"{"command":5,"cmd":"ls"}"#, None),
            (r#"{"command":"","cmd":""}"#, Some("")),
            (r#"{"command":""}"#, None),
            (r#"{"cmd":7}"#, None),
            (r#"{"Command":"ls"}"#, None),
            (r#"{"x":[{"command":"ls"}]}"#, None),
            (r#"{"command":"a","command":"b"}"#, Some("b")),
            (r#"{"\u0063md":"ls"}"#, Some("ls")),
            (r#"{"command":"a\nb é 😀 \ud83d\ude00"}"#, Some("a\nb é 😀 😀")),
            (r#"{"x\ud800":1,"command":"l\ud800s"}"#, Some("l\u{fffd}\u{fffd}\u{fffd}s")),
        ];
        for (arguments, expected) in cases {
            assert_eq!(command(arguments).as_deref(), expected, "{arguments}");
        }
    }

    #[test]
    fn broken_json_holds_no_command() {
        for arguments in [
            "",
            "ls",
            "{",
            r#"{"command":"ls""#,
            r#"{"command":"ls"}x"#,
            r#"["ls"]"#,
            "\"ls\"",
            "null",
            "3",
            "{'command':'ls'}",
            "{\"command\":\"a\nb\"}",
            r#"{"command":"\x"}"#,
            r#"{"command":ls}"#,
            "\u{feff}{}",
        ] {
            assert_eq!(command(arguments), None, "{arguments}");
        }
        assert_eq!(command(&"[".repeat(1_000_000)), None);
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in ".+") {
            let arguments = serde_json::json!({ "n": 1, "command": text }).to_string();
            prop_assert_eq!(command(&arguments), Some(text));
        }

        #[test]
        fn never_panics(arguments in "\\PC*|[{}\\[\\]\":,\\\\ucmd0-9e.n-]{0,60}") {
            let _ = command(&arguments);
        }
    }
}
