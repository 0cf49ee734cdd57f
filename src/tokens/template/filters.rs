//! Jinja2's filters on numbers and lists, where minijinja's differ or are missing.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use std::cmp::Ordering;

use minijinja::value::{Rest, Tuple, ValueKind, ValueOrKwargs};
use minijinja::{Error, State, Value};

use super::arguments::{Arguments, type_error};
use super::iterators::{self, Lazy};
use super::methods::BoundMethod;
use super::work::{charge, items, nest};
use super::{operators, pytypes, tojson};

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
pub(super) fn path(item: &Value, attribute: &Value) -> Result<Value, Error> {
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
    Ok(Lazy::generator(kept))
}

/// `value|reverse`: the characters of a text, an iterator over anything else; a generator, which
/// cannot be reversed, becomes a list before.
pub(super) fn reverse(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Value::from(text.chars().rev().collect::<String>()));
    }
    let mut items = items(state, &value)?;
    items.reverse();
    if iterators::lazy(&value).is_some() {
        return Ok(Value::from(items));
    }
    Ok(Lazy::reversed(items))
}

/// `value|round(precision=0, method="common")`.
pub(super) fn round(value: Value, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let precision = arguments.integer("precision")?.unwrap_or(0).clamp(-300, 300);
    let method = arguments.text("method")?.unwrap_or_else(|| "common".to_owned());
    arguments.finish()?;
    if value.kind() != ValueKind::Number && value.kind() != ValueKind::Bool {
        return Err(super::arguments::wrong("value", "a number", &value));
    }
    let whole = super::arguments::integer(&value);
    #[expect(clippy::cast_precision_loss, reason = "Python rounds the same way")]
    let number = whole.map_or_else(|| f64::try_from(value.clone()), |whole| Ok(whole as f64))?;
    let scale = 10_f64.powi(i32::try_from(precision).unwrap_or(0));
    let scaled = number * scale;
    match method.as_str() {
        "ceil" => Ok(Value::from(scaled.ceil() / scale)),
        "floor" => Ok(Value::from(scaled.floor() / scale)),
        "common" => match (whole, usize::try_from(precision)) {
            (Some(whole), Ok(_)) => Ok(Value::from(whole)),
            (Some(_), Err(_)) => Ok(truncated(scaled.round_ties_even() / scale).unwrap_or(value)),
            // Printing rounds the exact value, half to even, which is what Python does.
            (None, Ok(digits)) => {
                Ok(format!("{number:.digits$}").parse::<f64>().map_or(value, Value::from))
            }
            (None, Err(_)) => Ok(Value::from(scaled.round_ties_even() / scale)),
        },
        _ => Err(type_error("method must be common, ceil or floor")),
    }
}

/// `value|batch(linecount, fill_with=none)`: lists of so many items.
pub(super) fn batch(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let count = usize::try_from(arguments.integer("linecount")?.unwrap_or(0)).unwrap_or(0);
    let fill = arguments.take("fill_with").filter(|fill| !fill.is_none());
    arguments.finish()?;
    if count == 0 {
        return Err(type_error("'linecount' must be a positive integer"));
    }
    let items = items(state, &value)?;
    let mut batches: Vec<Vec<Value>> = items.chunks(count).map(<[Value]>::to_vec).collect();
    if let (Some(fill), Some(last)) = (fill, batches.last_mut()) {
        charge(state, count)?;
        last.resize(count, fill);
    }
    nest(state, Lazy::generator(batches.into_iter().map(Value::from).collect()))
}

/// `value|slice(slices, fill_with=none)`: so many lists, the first ones longer by one.
pub(super) fn slice(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let count = usize::try_from(arguments.integer("slices")?.unwrap_or(0)).unwrap_or(0);
    let fill = arguments.take("fill_with").filter(|fill| !fill.is_none());
    arguments.finish()?;
    if count == 0 {
        return Err(type_error("'slices' must be a positive integer"));
    }
    charge(state, count)?;
    let items = items(state, &value)?;
    let (each, longer) = (items.len() / count, items.len() % count);
    let mut rest = items.as_slice();
    let mut slices = Vec::new();
    for index in 0..count {
        let (slice, after) = rest.split_at(each + usize::from(index < longer));
        rest = after;
        let mut slice = slice.to_vec();
        if index >= longer {
            slice.extend(fill.clone());
        }
        slices.push(Value::from(slice));
    }
    nest(state, Lazy::generator(slices))
}

/// `value|default(default_value="", boolean=false)`.
pub(super) fn default(value: Value, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let default = arguments.take("default_value").unwrap_or_else(|| Value::from(""));
    let boolean = arguments.flag("boolean");
    arguments.finish()?;
    Ok(if value.is_undefined() || (boolean && !value.is_true()) { default } else { value })
}

/// A text in the form in which Jinja2's sorting filters compare it.
fn sort_key(value: Value, case_sensitive: bool) -> Value {
    match value.as_str() {
        Some(text) if !case_sensitive => Value::from(text.to_lowercase()),
        _ => value,
    }
}

/// Sorts by the first of each pair, stably; values that Python does not order are an error.
fn sort_pairs<T>(
    pairs: &mut [(Vec<Value>, T)],
    by_attribute: bool,
    reverse: bool,
) -> Result<(), Error> {
    // Python compares lists of keys by their first difference, single keys as they are.
    let mut failure = None;
    pairs.sort_by(|(a, _), (b, _)| {
        let mut ordering = Ordering::Equal;
        for (a, b) in a.iter().zip(b) {
            if a.is_undefined() && b.is_undefined() && by_attribute {
                continue;
            }
            match operators::order(a, "<", b) {
                Ok(found) => ordering = found.unwrap_or(Ordering::Equal),
                Err(error) => failure = Some(error),
            }
            if ordering != Ordering::Equal {
                break;
            }
        }
        if reverse { ordering.reverse() } else { ordering }
    });
    failure.map_or(Ok(()), Err)
}

/// `value|sort(reverse=false, case_sensitive=false, attribute=none)`.
pub(super) fn sort(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let reverse = arguments.flag("reverse");
    let case_sensitive = arguments.flag("case_sensitive");
    let attribute = arguments.take("attribute").filter(|attribute| !attribute.is_none());
    arguments.finish()?;
    let mut pairs = Vec::new();
    for item in items(state, &value)? {
        // Several attributes are separated by commas.
        let keys = match &attribute {
            None => vec![item.clone()],
            Some(attribute) => match attribute.as_str() {
                None => vec![path(&item, attribute)?],
                Some(names) => names
                    .split(',')
                    .map(|name| path(&item, &Value::from(name)))
                    .collect::<Result<_, _>>()?,
            },
        };
        let keys = keys.into_iter().map(|key| sort_key(key, case_sensitive)).collect();
        pairs.push((keys, item));
    }
    sort_pairs(&mut pairs, attribute.is_some(), reverse)?;
    Ok(pairs.into_iter().map(|(_, item)| item).collect())
}

/// `value|dictsort(case_sensitive=false, by="key", reverse=false)`.
pub(super) fn dictsort(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let case_sensitive = arguments.flag("case_sensitive");
    let by = arguments.text("by")?.unwrap_or_else(|| "key".to_owned());
    let reverse = arguments.flag("reverse");
    arguments.finish()?;
    if !pytypes::is_dict(&value) {
        let found = pytypes::type_name(&value);
        return Err(type_error(format!("dictsort needs a mapping, not '{found}'")));
    }
    let pairs = pytypes::pairs(&value);
    charge(state, pairs.len() * 8)?;
    let mut pairs: Vec<(Vec<Value>, (Value, Value))> = pairs
        .into_iter()
        .map(|(key, item)| {
            let by = if by == "value" { item.clone() } else { key.clone() };
            (vec![sort_key(by, case_sensitive)], (key, item))
        })
        .collect();
    if by != "key" && by != "value" {
        return Err(type_error("You can only sort by either \"key\" or \"value\""));
    }
    sort_pairs(&mut pairs, false, reverse)?;
    Ok(pairs.into_iter().map(|(_, (key, item))| Value::from(Tuple::from([key, item]))).collect())
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
        total = operators::add(state, total, item)?;
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
    if value.kind() == ValueKind::Plain
        || (value.kind() == ValueKind::Map && !pytypes::is_dict(&value))
    {
        return value.get_attr(name);
    }
    Ok(Value::UNDEFINED)
}
