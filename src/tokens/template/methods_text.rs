//! Methods of Python's str.
//!
//! Those not listed here (`upper`, `islower`, `find` and the like) mean the same in
//! `minijinja-contrib`'s pycompat, which is asked next.

use minijinja::value::Tuple;
use minijinja::{Error, ErrorKind, State, Value};

use super::arguments::{Arguments, type_error};
use super::work::charge;
use super::{format, pytypes};

/// Calls `text.name(…)`.
///
/// # Errors
/// `UnknownMethod` for methods that are not handled here, else what Python would raise.
pub(super) fn call(
    state: &State<'_, '_>,
    text: &str,
    name: &str,
    mut arguments: Arguments,
) -> Result<Value, Error> {
    let value = match name {
        "strip" | "lstrip" | "rstrip" => strip(text, name, &mut arguments)?,
        "split" | "rsplit" => split(text, name == "rsplit", &mut arguments)?,
        "partition" | "rpartition" => partition(text, name == "rpartition", &mut arguments)?,
        "splitlines" => Value::from(lines(text, arguments.flag("keepends"))),
        "join" => join(state, text, &mut arguments)?,
        "format" => Value::from(format::braces(text, &mut arguments)?),
        "startswith" | "endswith" => affix(text, name == "endswith", &mut arguments)?,
        "removeprefix" => {
            let prefix = needed(&mut arguments, "prefix")?;
            Value::from(text.strip_prefix(&prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let suffix = needed(&mut arguments, "suffix")?;
            Value::from(text.strip_suffix(&suffix).unwrap_or(text))
        }
        "index" | "rindex" | "find" | "rfind" => {
            find(text, name.starts_with('r'), name.ends_with("index"), &mut arguments)?
        }
        "count" => count(text, &mut arguments)?,
        "ljust" | "rjust" | "center" => pad(text, name, &mut arguments)?,
        "zfill" => zfill(text, &mut arguments)?,
        "expandtabs" => expand_tabs(text, &mut arguments)?,
        "encode" => return Err(Error::from(ErrorKind::UnknownMethod)),
        _ => return plain(text, name, arguments),
    };
    arguments.finish()?;
    Ok(value)
}

/// Methods without arguments.
fn plain(text: &str, name: &str, arguments: Arguments) -> Result<Value, Error> {
    let all = |test: fn(char) -> bool| Value::from(!text.is_empty() && text.chars().all(test));
    let value = match name {
        "swapcase" => Value::from(swap_case(text)),
        "casefold" => Value::from(text.to_lowercase().replace('ß', "ss").replace('ς', "σ")),
        "capitalize" => Value::from(capitalize(text)),
        "title" => Value::from(title(text)),
        "isspace" => all(pytypes::is_space),
        "isdecimal" => all(is_decimal),
        "isprintable" => Value::from(text.chars().all(pytypes::is_printable)),
        "isidentifier" => Value::from(is_identifier(text)),
        "istitle" => Value::from(text.chars().any(char::is_alphabetic) && title(text) == text),
        _ => return Err(Error::from(ErrorKind::UnknownMethod)),
    };
    arguments.finish()?;
    Ok(value)
}

fn needed(arguments: &mut Arguments, name: &str) -> Result<String, Error> {
    arguments
        .text(name)?
        .ok_or_else(|| Error::new(ErrorKind::MissingArgument, format!("'{name}' must be a text")))
}

fn strip(text: &str, name: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let chars: Option<Vec<char>> = arguments.text("chars")?.map(|chars| chars.chars().collect());
    let drop = |char: char| match &chars {
        Some(chars) => chars.contains(&char),
        None => pytypes::is_space(char),
    };
    Ok(Value::from(match name {
        "strip" => text.trim_matches(drop),
        "lstrip" => text.trim_start_matches(drop),
        _ => text.trim_end_matches(drop),
    }))
}

fn split(text: &str, from_end: bool, arguments: &mut Arguments) -> Result<Value, Error> {
    let separator = arguments.text("sep")?;
    let most = arguments.integer("maxsplit")?.unwrap_or(-1);
    let most = usize::try_from(most).ok();
    let mut parts: Vec<&str> = match (&separator, most) {
        (Some(separator), _) if separator.is_empty() => return Err(type_error("empty separator")),
        (Some(separator), None) => text.split(separator.as_str()).collect(),
        (Some(separator), Some(most)) if from_end => {
            text.rsplitn(most.saturating_add(1), separator.as_str()).collect()
        }
        (Some(separator), Some(most)) => {
            text.splitn(most.saturating_add(1), separator.as_str()).collect()
        }
        (None, most) => split_spaces(text, from_end, most),
    };
    if from_end && separator.is_some() && most.is_some() {
        parts.reverse();
    }
    Ok(parts.into_iter().map(Value::from).collect())
}

/// Splits at runs of white space; the rest keeps its inner and outer far end.
fn split_spaces(text: &str, from_end: bool, most: Option<usize>) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        rest = if from_end {
            rest.trim_end_matches(pytypes::is_space)
        } else {
            rest.trim_start_matches(pytypes::is_space)
        };
        if rest.is_empty() {
            break;
        }
        let cut =
            if from_end { rest.rfind(pytypes::is_space) } else { rest.find(pytypes::is_space) };
        let full = most.is_some_and(|most| parts.len() >= most);
        let Some(cut) = cut.filter(|_| !full) else {
            parts.push(rest);
            break;
        };
        if from_end {
            let space = rest[cut..].chars().next().map_or(1, char::len_utf8);
            parts.push(&rest[cut + space..]);
            rest = &rest[..cut];
        } else {
            parts.push(&rest[..cut]);
            rest = &rest[cut..];
        }
    }
    if from_end {
        parts.reverse();
    }
    parts
}

fn partition(text: &str, from_end: bool, arguments: &mut Arguments) -> Result<Value, Error> {
    let separator = needed(arguments, "sep")?;
    if separator.is_empty() {
        return Err(type_error("empty separator"));
    }
    let found = if from_end { text.rsplit_once(&separator) } else { text.split_once(&separator) };
    let parts = match found {
        Some((before, after)) => [before, &separator, after],
        None if from_end => ["", "", text],
        None => [text, "", ""],
    };
    Ok(Value::from(Tuple::from(parts.map(Value::from).to_vec())))
}

/// Lines at Python's line boundaries.
pub(super) fn lines(text: &str, keep: bool) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if !matches!(
            char,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        ) {
            continue;
        }
        let mut end = at + char.len_utf8();
        if char == '\r' && chars.next_if(|(_, next)| *next == '\n').is_some() {
            end += 1;
        }
        lines.push(Value::from(&text[start..if keep { end } else { at }]));
        start = end;
    }
    if start < text.len() {
        lines.push(Value::from(&text[start..]));
    }
    lines
}

fn join(state: &State<'_, '_>, text: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let items = arguments.required("iterable")?;
    let mut out = String::new();
    for (index, item) in items.try_iter()?.enumerate() {
        let part = item.as_str().ok_or_else(|| {
            type_error(format!(
                "sequence item {index}: expected str instance, {} found",
                pytypes::type_name(&item)
            ))
        })?;
        charge(state, (text.len() + part.len()) / 64 + 1)?;
        pytypes::fits(&out)?;
        if index > 0 {
            out.push_str(text);
        }
        out.push_str(part);
    }
    Ok(Value::from(out))
}

fn affix(text: &str, at_end: bool, arguments: &mut Arguments) -> Result<Value, Error> {
    let affix = arguments.required("prefix")?;
    let start = arguments.integer("start")?;
    let end = arguments.integer("end")?;
    let text = if start.is_some() || end.is_some() { window(text, start, end) } else { text };
    let holds = |affix: &Value| match affix.as_str() {
        Some(affix) if at_end => Ok(text.ends_with(affix)),
        Some(affix) => Ok(text.starts_with(affix)),
        None => Err(type_error(format!(
            "the argument must be str or a tuple of str, not {}",
            pytypes::type_name(affix)
        ))),
    };
    if affix.is_tuple() {
        for one in affix.try_iter()? {
            if holds(&one)? {
                return Ok(Value::from(true));
            }
        }
        return Ok(Value::from(false));
    }
    holds(&affix).map(Value::from)
}

/// `text[start:end]`.
fn window(text: &str, start: Option<i64>, end: Option<i64>) -> &str {
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let clamp = |bound: i64| {
        let bound = if bound < 0 { bound.saturating_add(count).max(0) } else { bound.min(count) };
        usize::try_from(bound).unwrap_or(0)
    };
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let (start, end) = (byte(clamp(start.unwrap_or(0))), byte(clamp(end.unwrap_or(count))));
    if start <= end { &text[start..end] } else { "" }
}

fn find(text: &str, from_end: bool, must: bool, arguments: &mut Arguments) -> Result<Value, Error> {
    let part = needed(arguments, "sub")?;
    let start = arguments.integer("start")?;
    let end = arguments.integer("end")?;
    let inside = window(text, start, end);
    let found = if from_end { inside.rfind(&part) } else { inside.find(&part) };
    match found {
        Some(at) => {
            let offset = inside.as_ptr().addr() - text.as_ptr().addr();
            Ok(Value::from(text[..offset + at].chars().count()))
        }
        None if must => Err(type_error("substring not found")),
        None => Ok(Value::from(-1)),
    }
}

fn count(text: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let part = needed(arguments, "sub")?;
    let start = arguments.integer("start")?;
    let end = arguments.integer("end")?;
    Ok(Value::from(window(text, start, end).matches(&part).count()))
}

fn pad(text: &str, name: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let width = format::width(arguments.integer("width")?)?;
    let fill = arguments.text("fillchar")?.unwrap_or_else(|| " ".to_owned());
    if fill.chars().count() != 1 {
        return Err(type_error("The fill character must be exactly one character long"));
    }
    let length = text.chars().count();
    let missing = width.saturating_sub(length);
    let left = match name {
        "ljust" => 0,
        "rjust" => missing,
        // CPython rounds towards the left only when both the padding and the width are odd.
        _ => missing / 2 + (missing & width & 1),
    };
    Ok(Value::from([fill.repeat(left), text.to_owned(), fill.repeat(missing - left)].concat()))
}

fn zfill(text: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let width = format::width(arguments.integer("width")?)?;
    let missing = width.saturating_sub(text.chars().count());
    let sign = usize::from(text.starts_with(['+', '-']));
    let (sign, digits) = text.split_at(sign);
    Ok(Value::from([sign, &"0".repeat(missing), digits].concat()))
}

fn expand_tabs(text: &str, arguments: &mut Arguments) -> Result<Value, Error> {
    let size = format::width(Some(arguments.integer("tabsize")?.unwrap_or(8)))?.min(100);
    let mut out = String::new();
    let mut column = 0;
    for char in text.chars() {
        match char {
            '\t' => {
                let fill = if size == 0 { 0 } else { size - column % size };
                out.extend(std::iter::repeat_n(' ', fill));
                column += fill;
            }
            '\n' | '\r' => {
                out.push(char);
                column = 0;
            }
            _ => {
                out.push(char);
                column += 1;
            }
        }
    }
    Ok(Value::from(out))
}

fn swap_case(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        if char.is_uppercase() {
            out.extend(char.to_lowercase());
        } else {
            out.extend(char.to_uppercase());
        }
    }
    out
}

/// First character in title case, the rest in lower case.
pub(super) fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| title_char(first) + &chars.as_str().to_lowercase())
}

/// Title case of one character: the digraphs have their own, the rest is upper case with only its
/// first letter capital.
fn title_char(char: char) -> String {
    match char {
        'Ǆ'..='ǆ' => "ǅ".to_owned(),
        'Ǉ'..='ǉ' => "ǈ".to_owned(),
        'Ǌ'..='ǌ' => "ǋ".to_owned(),
        'Ǳ'..='ǳ' => "ǲ".to_owned(),
        _ => {
            let mut upper = char.to_uppercase();
            let first = upper.next().unwrap_or(char);
            std::iter::once(first).chain(upper.flat_map(char::to_lowercase)).collect()
        }
    }
}

fn title(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for char in text.chars() {
        if inside {
            out.extend(char.to_lowercase());
        } else {
            out.push_str(&title_char(char));
        }
        inside = char.is_lowercase() || char.is_uppercase() || ('ǅ'..='ǲ').contains(&char);
    }
    out
}

fn is_decimal(char: char) -> bool {
    use std::sync::LazyLock;
    static DECIMAL: LazyLock<fancy_regex::Regex> =
        LazyLock::new(|| fancy_regex::Regex::new(r"\p{Nd}").expect("a constant pattern"));
    DECIMAL.is_match(char.encode_utf8(&mut [0; 4])).unwrap_or(false)
}

fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && chars.all(|char| char == '_' || char.is_alphanumeric())
}
