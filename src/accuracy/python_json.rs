//! JSON in the bytes of Python's `json.dumps(value, indent=2)`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// The one ASCII character that Python escapes and `serde_json` does not.
const DELETE: char = '\u{7f}';

/// The bytes, without a final line break.
pub(super) fn to_vec(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, PythonFormatter::new());
    value.serialize(&mut serializer).expect("our own types have only text keys and no errors");
    bytes
}

/// Two blanks of indent, and only ASCII inside strings.
struct PythonFormatter(PrettyFormatter<'static>);

impl PythonFormatter {
    fn new() -> Self {
        Self(PrettyFormatter::new())
    }
}

impl Formatter for PythonFormatter {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        if text.is_ascii() && !text.contains(DELETE) {
            return CompactFormatter.write_string_fragment(out, text);
        }
        let mut units = [0; 2];
        for c in text.chars() {
            if c.is_ascii() && c != DELETE {
                CompactFormatter.write_string_fragment(out, c.encode_utf8(&mut [0; 4]))?;
            } else {
                for unit in c.encode_utf16(&mut units) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_python_writes() {
        let value = serde_json::json!({ "a": [], "b": {}, "c": [1, 0.5, 1.0, null], "é😀": "\n\"\\/\u{7f}" });
        let text = String::from_utf8(to_vec(&value)).unwrap();
        let expected = r#"{
  "a": [],
  "b": {},
  "c": [
    1,
    0.5,
    1.0,
    null
  ],
  "\u00e9\ud83d\ude00": "\n\"\\/\u007f"
}"#;
        assert_eq!(text, expected);
    }
}
