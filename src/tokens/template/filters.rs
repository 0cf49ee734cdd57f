//! Jinja2's filters on numbers and lists, where minijinja's differ or are missing.

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Error, State, Value};

use super::arguments::{Arguments, type_error};
use super::methods::BoundMethod;
use super::work::{charge, items};
use super::{pytypes, tojson};

/// `value|tojson(…)`.
pub(super) fn to_json(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    tojson::tojson(state, &value, Arguments::of(rest))
}

/// `value|join(d="", attribute=none)`: the printed items.
pub(super) fn join(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<String, Error> {
    let mut arguments = Arguments::of(rest);
    let separator =
        arguments.take("d").map_or_else(|| Ok(String::new()), |d| pytypes::to_str(&d))?;
    let attribute = arguments.take("attribute").filter(|attribute| !attribute.is_none());
    arguments.finish()?;
    let mut out = String::new();
    for (index, item) in value.try_iter()?.enumerate() {
        charge(state, separator.len() / 64 + 1)?;
        pytypes::fits(&out)?;
        if index > 0 {
            out.push_str(&separator);
        }
        match &attribute {
            Some(attribute) => pytypes::write_str(&mut out, &path(&item, attribute)?)?,
            None => pytypes::write_str(&mut out, &item)?,
        }
    }
    Ok(out)
}

/// The attribute `a.b.0` of an item, as Jinja2's filters look attributes up.
fn path(item: &Value, attribute: &Value) -> Result<Value, Error> {
    let Some(text) = attribute.as_str() else { return item.get_item(attribute) };
    let mut value = item.clone();
    for part in text.split('.') {
        value = match part.parse::<usize>() {
            Ok(index) => value.get_item(&Value::from(index))?,
            Err(_) => value.get_attr(part)?,
        };
    }
    Ok(value)
}

/// `value|unique(case_sensitive=false, attribute=none)`.
pub(super) fn unique(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let case_sensitive = arguments.flag("case_sensitive");
    let attribute = arguments.take("attribute").filter(|attribute| !attribute.is_none());
    arguments.finish()?;
    let mut seen: Vec<Value> = Vec::new();
    let mut kept: Vec<Value> = Vec::new();
    for item in value.try_iter()? {
        charge(state, seen.len() / 8 + 1)?;
        let key = match &attribute {
            Some(attribute) => path(&item, attribute)?,
            None => item.clone(),
        };
        let key = match key.as_str() {
            Some(text) if !case_sensitive => Value::from(text.to_lowercase()),
            _ => key,
        };
        if !seen.contains(&key) {
            seen.push(key);
            kept.push(item);
        }
    }
    Ok(Value::from(kept))
}

/// `value|reverse`: the characters of a text, the items of anything else, at once.
pub(super) fn reverse(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Value::from(text.chars().rev().collect::<String>()));
    }
    let mut items = items(state, &value)?;
    items.reverse();
    Ok(Value::from(items))
}

/// `value|sum(attribute=none, start=0)`.
pub(super) fn sum(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let attribute = arguments.take("attribute").filter(|attribute| !attribute.is_none());
    let mut total = arguments.take("start").unwrap_or_else(|| Value::from(0));
    arguments.finish()?;
    if total.as_str().is_some() {
        return Err(type_error("sum() can't sum strings [use ''.join(seq) instead]"));
    }
    for item in value.try_iter()? {
        charge(state, 1)?;
        let item = match &attribute {
            Some(attribute) => path(&item, attribute)?,
            None => item,
        };
        if item.as_str().is_some() {
            return Err(type_error("unsupported operand type(s) for +: 'int' and 'str'"));
        }
        total = super::operators::add(state, total, item)?;
    }
    Ok(total)
}

/// `value|int(default=0, base=10)`.
pub(super) fn int(value: Value, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let default = arguments.take("default").unwrap_or_else(|| Value::from(0));
    let base = arguments.integer("base")?.unwrap_or(10);
    arguments.finish()?;
    let number = match value.kind() {
        ValueKind::Bool => Some(Value::from(i64::from(value.is_true()))),
        ValueKind::Number if value.is_integer() => Some(value.clone()),
        ValueKind::Number => f64::try_from(value.clone()).ok().and_then(truncated),
        ValueKind::String => {
            let text = pytypes::to_str(&value)?;
            integer_text(&text, base).or_else(|| float_text(&text).and_then(truncated))
        }
        _ => None,
    };
    Ok(number.unwrap_or(default))
}

/// `int(float)`; none for infinities and NaN.
fn truncated(float: f64) -> Option<Value> {
    let whole = float.trunc();
    if !whole.is_finite() || whole.abs() >= 1.7e38 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked against i128's range")]
    let number = whole as i128;
    Some(i64::try_from(number).map_or_else(|_| Value::from(number), Value::from))
}

/// Python's `int(text, base)`.
fn integer_text(text: &str, base: i64) -> Option<Value> {
    let text = text.trim_matches(pytypes::is_space);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let radix = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let prefix = match radix {
        16 => ["0x", "0X"],
        8 => ["0o", "0O"],
        2 => ["0b", "0B"],
        _ => ["", ""],
    };
    let digits = prefix.iter().find_map(|prefix| digits.strip_prefix(prefix)).unwrap_or(digits);
    if digits.starts_with(['_', '+', '-']) || digits.ends_with('_') || digits.contains("__") {
        return None;
    }
    let number = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    let number = if negative { -number } else { number };
    Some(i64::try_from(number).map_or_else(|_| Value::from(number), Value::from))
}

/// Python's `float(text)`.
fn float_text(text: &str) -> Option<f64> {
    let text = text.trim_matches(pytypes::is_space);
    if text.is_empty() || text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    text.replace('_', "").parse().ok()
}

/// `value|float(default=0.0)`.
pub(super) fn float(value: Value, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let default = arguments.take("default").unwrap_or_else(|| Value::from(0.0));
    arguments.finish()?;
    let number = match value.kind() {
        ValueKind::Bool => Some(f64::from(u8::from(value.is_true()))),
        ValueKind::Number => f64::try_from(value.clone()).ok(),
        ValueKind::String => float_text(&pytypes::to_str(&value)?),
        _ => None,
    };
    Ok(number.map_or(default, Value::from))
}

/// `value|attr(name)`: attributes only, never items.
pub(super) fn attr(value: Value, name: &str) -> Result<Value, Error> {
    if pytypes::has_method(&value, name) {
        return Ok(Value::from_object(BoundMethod { object: value, name: name.to_owned() }));
    }
    if value.kind() == ValueKind::Plain {
        return value.get_attr(name);
    }
    Ok(Value::UNDEFINED)
}
