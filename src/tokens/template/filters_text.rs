//! Jinja2's filters on texts, where minijinja's differ or are missing.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use minijinja::value::{Rest, ValueOrKwargs};
use minijinja::{Error, State, Value};

use super::arguments::{Arguments, integer, type_error};
use super::work::charge;
use super::{format, methods_text, pytypes};

/// `value|trim(chars)`: Python's `strip` of the printed value.
pub(super) fn trim(value: Value, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let chars = arguments.text("chars")?;
    arguments.finish()?;
    let text = pytypes::to_str(&value)?;
    let trimmed = match &chars {
        Some(chars) => text.trim_matches(|char| chars.contains(char)),
        None => text.trim_matches(pytypes::is_space),
    };
    Ok(same_safety(&value, trimmed))
}

/// A text that is safe when `value` was.
fn same_safety(value: &Value, text: &str) -> Value {
    if value.is_safe() { Value::from_safe_string(text.to_owned()) } else { Value::from(text) }
}

/// `value|replace(old, new, count=none)`.
pub(super) fn replace(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let old = pytypes::to_str(&arguments.required("old")?)?;
    let new = pytypes::to_str(&arguments.required("new")?)?;
    let count = arguments.integer("count")?.and_then(|count| usize::try_from(count).ok());
    arguments.finish()?;
    let text = pytypes::to_str(&value)?;
    let most = (text.len() / old.len().max(1) + 1).min(count.unwrap_or(usize::MAX));
    charge(state, text.len() / 64 + most.saturating_mul(new.len()) / 64)?;
    let replaced = match count {
        Some(count) => text.replacen(&old, &new, count),
        None => text.replace(&old, &new),
    };
    Ok(same_safety(&value, &replaced))
}

/// `value|string`.
pub(super) fn string(value: Value) -> Result<Value, Error> {
    if value.as_str().is_some() { Ok(value) } else { pytypes::to_str(&value).map(Value::from) }
}

/// `value|title`: every word (after white space, `-` or an opening bracket) capitalised.
pub(super) fn title(value: Value) -> Result<String, Error> {
    let text = pytypes::to_str(&value)?;
    let mut out = String::new();
    let mut start = true;
    for char in text.chars() {
        let separates = matches!(char, '-' | '(' | '{' | '[' | '<') || pytypes::is_space(char);
        if start && !separates {
            out.extend(char.to_uppercase());
        } else {
            out.extend(char.to_lowercase());
        }
        start = separates;
    }
    Ok(out)
}

/// `value|capitalize`.
pub(super) fn capitalize(value: Value) -> Result<String, Error> {
    Ok(methods_text::capitalize(&pytypes::to_str(&value)?))
}

/// `value|indent(width=4, first=false, blank=false)`.
pub(super) fn indent(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<String, Error> {
    let mut arguments = Arguments::of(rest);
    let indentation = match arguments.take("width") {
        None => " ".repeat(4),
        Some(width) => match (width.as_str(), integer(&width)) {
            (Some(text), _) => text.to_owned(),
            (None, Some(width)) => " ".repeat(format::width(Some(width))?),
            (None, None) => return Err(type_error("'width' must be an integer or a text")),
        },
    };
    let first = arguments.flag("first");
    let blank = arguments.flag("blank");
    arguments.finish()?;
    // The added line end is Jinja2's: `splitlines` then keeps a last empty line.
    let lines = methods_text::lines(&(pytypes::to_str(&value)? + "\n"), false);
    charge(state, (lines.len() * indentation.len()) / 64 + lines.len())?;
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let line = line.as_str().unwrap_or_default();
        let indented = if index == 0 { first } else { blank || !line.is_empty() };
        if index > 0 {
            out.push('\n');
        }
        if indented {
            out.push_str(&indentation);
        }
        out.push_str(line);
    }
    Ok(out)
}

/// `value|truncate(length=255, killwords=false, end="...", leeway=5)`.
pub(super) fn truncate(value: Value, rest: Rest<ValueOrKwargs>) -> Result<String, Error> {
    let mut arguments = Arguments::of(rest);
    let length = usize::try_from(arguments.integer("length")?.unwrap_or(255)).unwrap_or(0);
    let kill = arguments.flag("killwords");
    let end = arguments.text("end")?.unwrap_or_else(|| "...".to_owned());
    let leeway = usize::try_from(arguments.integer("leeway")?.unwrap_or(5)).unwrap_or(0);
    arguments.finish()?;
    let text = pytypes::to_str(&value)?;
    if text.chars().count() <= length.saturating_add(leeway) {
        return Ok(text);
    }
    let kept = length.checked_sub(end.chars().count()).ok_or_else(|| {
        type_error(format!("expected length >= {}, got {length}", end.chars().count()))
    })?;
    let cut: String = text.chars().take(kept).collect();
    let cut = if kill { cut.as_str() } else { cut.rsplit_once(' ').map_or(&*cut, |(cut, _)| cut) };
    Ok(cut.to_owned() + &end)
}

/// `value|wordcount`.
pub(super) fn word_count(value: Value) -> Result<usize, Error> {
    Ok(pytypes::to_str(&value)?
        .split(|char: char| !(char.is_alphanumeric() || char == '_'))
        .filter(|word| !word.is_empty())
        .count())
}

/// `value|center(width=80)`.
pub(super) fn center(
    state: &State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let width = arguments.integer("width")?.unwrap_or(80);
    arguments.finish()?;
    let arguments = Arguments::new([Value::from(width)]);
    methods_text::call(state, &pytypes::to_str(&value)?, "center", arguments)
}

/// `value|format(…)`.
pub(super) fn format_filter(value: Value, rest: Rest<ValueOrKwargs>) -> Result<String, Error> {
    format::filter(&pytypes::to_str(&value)?, &mut Arguments::of(rest))
}

/// A text with HTML's special characters escaped as markupsafe does.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            other => out.push(other),
        }
    }
    out
}

/// `value|escape`: safe texts stay.
pub(super) fn escape(value: Value) -> Result<Value, Error> {
    if value.is_safe() { Ok(value) } else { force_escape(value) }
}

/// `value|forceescape`.
pub(super) fn force_escape(value: Value) -> Result<Value, Error> {
    Ok(Value::from_safe_string(escaped(&pytypes::to_str(&value)?)))
}

/// `value|urlencode`: a text, or the pairs of a map or list.
pub(super) fn urlencode(value: Value) -> Result<String, Error> {
    let quote = |value: &Value, query: bool| {
        pytypes::to_str(value).map(|text| percent_encoded(&text, query))
    };
    let pair = |key: &Value, item: &Value| -> Result<String, Error> {
        Ok(format!("{}={}", quote(key, true)?, quote(item, true)?))
    };
    if pytypes::is_dict(&value) {
        let pairs: Vec<String> = pytypes::pairs(&value)
            .iter()
            .map(|(key, item)| pair(key, item))
            .collect::<Result<_, Error>>()?;
        return Ok(pairs.join("&"));
    }
    if value.as_str().is_some() || value.try_iter().is_err() {
        return quote(&value, false);
    }
    let mut pairs = Vec::new();
    for entry in value.try_iter()? {
        pairs.push(pair(&entry.get_item_by_index(0)?, &entry.get_item_by_index(1)?)?);
    }
    Ok(pairs.join("&"))
}

fn percent_encoded(text: &str, query: bool) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            b'/' if !query => out.push('/'),
            b' ' if query => out.push('+'),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
