//! transformers' `tojson`: Python's `json.dumps` with `ensure_ascii=False` and no HTML escaping.

use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};

use super::arguments::{Arguments, integer, type_error};
use super::{format, operators, pytypes, work};

/// How deeply values may nest.
const MAX_DEPTH: usize = 200;

/// How the text is laid out.
struct Style {
    ascii: bool,
    indent: Option<String>,
    item: String,
    key: String,
    sort: bool,
}

/// `value|tojson(ensure_ascii, indent, separators, sort_keys)`.
pub(super) fn tojson(
    state: &State<'_, '_>,
    value: &Value,
    mut arguments: Arguments,
) -> Result<Value, Error> {
    let ascii = arguments.flag("ensure_ascii");
    let indent = match arguments.take("indent") {
        None => None,
        Some(indent) if indent.is_none() => None,
        Some(indent) => Some(match (indent.as_str(), integer(&indent)) {
            (Some(text), _) => text.to_owned(),
            (None, width) => " ".repeat(format::width(width)?),
        }),
    };
    let separators = arguments.take("separators").filter(|value| !value.is_none());
    let sort = arguments.flag("sort_keys");
    arguments.finish()?;
    let (item, key) = match separators {
        Some(pair) => {
            let pair: Vec<Value> = pair.try_iter()?.collect();
            let [item, key] = pair.as_slice() else {
                return Err(type_error("'separators' must be a pair of texts"));
            };
            (pytypes::to_str(item)?, pytypes::to_str(key)?)
        }
        None if indent.is_some() => (",".to_owned(), ": ".to_owned()),
        None => (", ".to_owned(), ": ".to_owned()),
    };
    let style = Style { ascii, indent, item, key, sort };
    let mut out = String::new();
    style.write(&mut out, value, 0)?;
    work::charge(state, out.len() / 4)?;
    Ok(Value::from(out))
}

impl Style {
    fn write(&self, out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(type_error(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        pytypes::fits(out)?;
        if let Some(text) = value.as_str() {
            self.write_text(out, text);
            return Ok(());
        }
        match value.kind() {
            ValueKind::None => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::Number => write_number(out, value),
            _ if pytypes::is_list(value) => self.write_items(out, value, depth)?,
            ValueKind::Map if pytypes::is_dict(value) => self.write_pairs(out, value, depth)?,
            _ => {
                return Err(type_error(format!(
                    "Object of type {} is not JSON serializable",
                    pytypes::type_name(value)
                )));
            }
        }
        Ok(())
    }

    fn write_items(&self, out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
        out.push('[');
        let mut empty = true;
        for item in value.try_iter()? {
            if !empty {
                out.push_str(&self.item);
            }
            empty = false;
            self.line(out, depth + 1);
            self.write(out, &item, depth + 1)?;
        }
        if !empty {
            self.line(out, depth);
        }
        out.push(']');
        Ok(())
    }

    fn write_pairs(&self, out: &mut String, value: &Value, depth: usize) -> Result<(), Error> {
        let mut pairs = pytypes::pairs(value);
        if self.sort {
            sort_by_key(&mut pairs)?;
        }
        out.push('{');
        let empty = pairs.is_empty();
        for (index, (key, item)) in pairs.into_iter().enumerate() {
            if index > 0 {
                out.push_str(&self.item);
            }
            self.line(out, depth + 1);
            self.write_key(out, &key)?;
            out.push_str(&self.key);
            self.write(out, &item, depth + 1)?;
        }
        if !empty {
            self.line(out, depth);
        }
        out.push('}');
        Ok(())
    }

    fn write_key(&self, out: &mut String, key: &Value) -> Result<(), Error> {
        if let Some(text) = key.as_str() {
            self.write_text(out, text);
            return Ok(());
        }
        match key.kind() {
            ValueKind::None => out.push_str("\"null\""),
            ValueKind::Bool => out.push_str(if key.is_true() { "\"true\"" } else { "\"false\"" }),
            ValueKind::Number => {
                out.push('"');
                write_number(out, key);
                out.push('"');
            }
            _ => {
                return Err(type_error(format!(
                    "keys must be str, int, float, bool or None, not {}",
                    pytypes::type_name(key)
                )));
            }
        }
        Ok(())
    }

    fn line(&self, out: &mut String, depth: usize) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            for _ in 0..depth {
                out.push_str(indent);
            }
        }
    }

    fn write_text(&self, out: &mut String, text: &str) {
        use std::fmt::Write as _;
        out.push('"');
        for char in text.chars() {
            match char {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '\0'..='\u{1f}' => {
                    let _ = write!(out, "\\u{:04x}", u32::from(char));
                }
                '\u{7f}'.. if self.ascii && char != '\u{7f}' => {
                    for unit in char.encode_utf16(&mut [0; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                other => out.push(other),
            }
        }
        out.push('"');
    }
}

fn write_number(out: &mut String, value: &Value) {
    if value.is_integer() {
        return pytypes::write_number(out, value);
    }
    match f64::try_from(value.clone()).unwrap_or(f64::NAN) {
        float if float.is_nan() => out.push_str("NaN"),
        float if float.is_infinite() => {
            out.push_str(if float > 0.0 { "Infinity" } else { "-Infinity" });
        }
        float => out.push_str(&pytypes::float(float)),
    }
}

/// Sorts pairs by key; keys of unlike types cannot be sorted.
fn sort_by_key(pairs: &mut [(Value, Value)]) -> Result<(), Error> {
    let mut failure = None;
    pairs.sort_by(|(a, _), (b, _)| {
        operators::order(a, "<", b).ok().flatten().unwrap_or_else(|| {
            failure = Some(type_error("keys of unlike types cannot be sorted"));
            std::cmp::Ordering::Equal
        })
    });
    failure.map_or(Ok(()), Err)
}
