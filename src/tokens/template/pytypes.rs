//! How Python prints values, and which names are methods of its types.

use std::fmt::Write as _;
use std::sync::LazyLock;

use fancy_regex::Regex;
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, ErrorKind, Value};

use super::arguments::type_error;
use super::iterators;

/// How deeply printed values may nest; JSON from the wire nests at most 128 levels.
const MAX_DEPTH: usize = 200;

/// Methods of Python's dict that a sandboxed template may reach.
const DICT: [&str; 6] = ["copy", "fromkeys", "get", "items", "keys", "values"];
/// Methods of Python's list that do not change it.
const LIST: [&str; 3] = ["copy", "count", "index"];
/// Methods that change their object, which the sandbox refuses.
pub(super) const UNSAFE: [&str; 11] = [
    "append",
    "clear",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
];
/// Methods of Python's str.
const STR: [&str; 46] = [
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "format_map",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "maketrans",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
];

/// Whether some Python type that templates see has a method of this name.
pub(super) fn is_method(name: &str) -> bool {
    DICT.contains(&name) || LIST.contains(&name) || UNSAFE.contains(&name) || STR.contains(&name)
}

/// Whether `value`'s Python type has a method `name` that the sandbox lets through.
pub(super) fn has_method(value: &Value, name: &str) -> bool {
    match value.kind() {
        ValueKind::String => STR.contains(&name) || name == "zfill",
        ValueKind::Map => DICT.contains(&name) && is_dict(value),
        ValueKind::Seq => LIST.contains(&name),
        _ => false,
    }
}

/// Whether a map-like value is a dict and no namespace, loop or the like.
pub(super) fn is_dict(value: &Value) -> bool {
    value.kind() == ValueKind::Map
        && !["Namespace", "Loop", "Cycler", "Kwargs"]
            .iter()
            .any(|other| type_of(value).contains(other))
}

/// The Rust type of an object; empty for other values.
pub(super) fn type_of(value: &Value) -> &'static str {
    value.as_object().map_or("", |object| object.type_name())
}

/// Python's `type(value).__name__`, for messages.
pub(super) fn type_name(value: &Value) -> &'static str {
    if let Some(name) = iterators::type_name(value) {
        return name;
    }
    match value.kind() {
        ValueKind::Undefined => "Undefined",
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Bytes => "bytes",
        ValueKind::Seq | ValueKind::Iterable if value.is_tuple() => "tuple",
        ValueKind::Seq | ValueKind::Iterable => "list",
        ValueKind::Map => "dict",
        _ => "object",
    }
}

/// The longest text that one value may print as, in bytes.
const MAX_TEXT: usize = 64 * 1024 * 1024;

/// Python's `str(value)`.
///
/// # Errors
/// A text that is too long.
pub(super) fn to_str(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write_str(&mut out, value)?;
    Ok(out)
}

/// Appends Python's `str(value)`.
pub(super) fn write_str(out: &mut String, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) => out.push_str(text),
        None if value.is_undefined() => {}
        None => write_repr(out, value, 0)?,
    }
    fits(out)
}

/// Python's `repr(value)`.
pub(super) fn repr(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write_repr(&mut out, value, 0)?;
    Ok(out)
}

/// Fails when a text has grown too long.
pub(super) fn fits(out: &str) -> Result<(), Error> {
    if out.len() > MAX_TEXT {
        return Err(Error::new(ErrorKind::WriteFailure, "the text is too long"));
    }
    Ok(())
}

fn write_repr(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    fits(out)?;
    if depth > MAX_DEPTH {
        return Err(type_error("a value nests too deep to be printed"));
    }
    if let Some(text) = value.as_str() {
        write_text_repr(out, text);
        return Ok(());
    }
    if iterators::write_repr(out, value, depth)? {
        return Ok(());
    }
    match value.kind() {
        ValueKind::Undefined => out.push_str("Undefined"),
        ValueKind::None => out.push_str("None"),
        ValueKind::Bool => out.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number => write_number(out, value),
        ValueKind::Seq | ValueKind::Iterable => write_items(out, value, depth)?,
        ValueKind::Map if is_dict(value) => write_pairs(out, value, depth)?,
        ValueKind::Map if type_of(value).contains("Namespace") => {
            out.push_str("<Namespace ");
            write_pairs(out, value, depth)?;
            out.push('>');
        }
        _ => {
            let _ = write!(out, "{value}");
        }
    }
    Ok(())
}

/// Appends a list or tuple as Python prints it.
pub(super) fn write_items(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    let tuple = value.is_tuple();
    out.push(if tuple { '(' } else { '[' });
    let mut count = 0;
    for item in value.try_iter()? {
        if count > 0 {
            out.push_str(", ");
        }
        write_repr(out, &item, depth + 1)?;
        count += 1;
    }
    out.push_str(match (tuple, count) {
        (true, 1) => ",)",
        (true, _) => ")",
        (false, _) => "]",
    });
    Ok(())
}

fn write_pairs(out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
    out.push('{');
    for (index, (key, item)) in pairs(value).into_iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_repr(out, &key, depth + 1)?;
        out.push_str(": ");
        write_repr(out, &item, depth + 1)?;
    }
    out.push('}');
    Ok(())
}

/// The pairs of a map, in order.
pub(super) fn pairs(value: &Value) -> Vec<(Value, Value)> {
    value
        .as_object()
        .and_then(minijinja::value::DynObject::try_iter_pairs)
        .map(Iterator::collect)
        .unwrap_or_default()
}

/// A pair of a map as the tuple that Python makes of it.
pub(super) fn pair((key, item): (Value, Value)) -> Value {
    Value::from(Tuple::from([key, item]))
}

/// Whether Python has it as a list or a tuple.
pub(super) fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
        && iterators::type_name(value).is_none()
}

/// Appends a number as Python prints it.
pub(super) fn write_number(out: &mut String, value: &Value) {
    if value.is_integer() {
        let _ = write!(out, "{value}");
    } else {
        out.push_str(&float(f64::try_from(value.clone()).unwrap_or(f64::NAN)));
    }
}

/// Python's `repr` of a float: the shortest digits that read back, with an exponent below 1e-4
/// and from 1e16 on.
pub(super) fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let shown = format!("{value:?}");
    match shown.split_once('e') {
        Some((digits, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or_default();
            format!("{digits}e{exponent:+03}")
        }
        None => shown,
    }
}

/// What Python's `repr` of a text escapes beside quotes and control characters.
static UNPRINTABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}&&[^ ]]").expect("a constant pattern"));

fn write_text_repr(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char == quote => {
                out.push('\\');
                out.push(char);
            }
            ' '..='~' => out.push(char),
            _ if is_printable(char) => out.push(char),
            _ => write_escape(out, char),
        }
    }
    out.push(quote);
}

fn write_escape(out: &mut String, char: char) {
    let code = u32::from(char);
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Python's `str.isprintable` of one character.
pub(super) fn is_printable(char: char) -> bool {
    !UNPRINTABLE.is_match(char.encode_utf8(&mut [0; 4])).unwrap_or(false)
}

/// Python's `str.isspace` of one character.
pub(super) fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_like_python() {
        for (value, shown) in [
            (1.0, "1.0"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (-0.0, "-0.0"),
            (1e20, "1e+20"),
            (1.5e-7, "1.5e-07"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(float(value), shown);
        }
    }

    #[test]
    fn texts_print_like_python() {
        assert_eq!(repr(&Value::from("it's")).unwrap(), r#""it's""#);
        assert_eq!(repr(&Value::from("a'b\"c")).unwrap(), r#"'a\'b"c'"#);
        assert_eq!(
            repr(&Value::from("é日\u{a0}\u{7f}\n\u{feff}\u{1f600}")).unwrap(),
            "'é日\\xa0\\x7f\\n\\ufeff😀'"
        );
    }
}
