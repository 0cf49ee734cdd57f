//! Python's two ways of formatting: `text % values` and `text.format(…)`.

use std::collections::BTreeMap;

use minijinja::formatting::{self, FormatStyle};
use minijinja::value::ValueKind;
use minijinja::{Error, Value};

use super::arguments::{Arguments, type_error};
use super::pytypes;

/// The widest padding that a template may ask for.
const MAX_WIDTH: usize = 10_000;

/// `text % values`.
pub(super) fn percent(text: &str, values: &Value) -> Result<String, Error> {
    let tuple: Vec<Value> =
        if values.is_tuple() { values.try_iter()?.collect() } else { vec![values.clone()] };
    let mapping = pytypes::is_dict(values);
    let mut next = tuple.iter();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let spec = Spec::parse(&rest[at + 1..])?;
        rest = &rest[at + 1 + spec.length..];
        if spec.kind == '%' {
            out.push('%');
            continue;
        }
        let value = match &spec.key {
            Some(key) if mapping => values.get_item(&Value::from(key.as_str()))?,
            Some(_) => return Err(type_error("format requires a mapping")),
            None => next
                .next()
                .cloned()
                .ok_or_else(|| type_error("not enough arguments for format string"))?,
        };
        out.push_str(&spec.apply(&value)?);
    }
    out.push_str(rest);
    if next.next().is_some() && !mapping {
        return Err(type_error("not all arguments converted during string formatting"));
    }
    Ok(out)
}

/// One `%…` of a format text.
struct Spec {
    key: Option<String>,
    flags: String,
    kind: char,
    length: usize,
}

impl Spec {
    fn parse(rest: &str) -> Result<Self, Error> {
        let mut at = 0;
        let mut key = None;
        if let Some(inner) = rest.strip_prefix('(') {
            let end = inner.find(')').ok_or_else(|| type_error("incomplete format key"))?;
            key = Some(inner[..end].to_owned());
            at = end + 2;
        }
        let flags = at;
        let kind = rest[at..]
            .char_indices()
            .find(|(_, char)| !matches!(char, '#' | '0'..='9' | '-' | ' ' | '+' | '.'))
            .ok_or_else(|| type_error("incomplete format"))?;
        at += kind.0;
        let flags = rest[flags..at].to_owned();
        if flags.split(|char: char| !char.is_ascii_digit()).any(too_wide) {
            return Err(type_error(format!("a width above {MAX_WIDTH} in a format")));
        }
        Ok(Self { key, flags, kind: kind.1, length: at + kind.1.len_utf8() })
    }

    fn apply(&self, value: &Value) -> Result<String, Error> {
        let text = |text: String| self.delegate('s', Value::from(text));
        match self.kind {
            's' => text(pytypes::to_str(value)?),
            'r' | 'a' => text(pytypes::repr(value)?),
            'd' | 'i' | 'u' => {
                let number = match value.kind() {
                    ValueKind::Number if !value.is_integer() => {
                        let float = f64::try_from(value.clone())?.trunc();
                        #[expect(
                            clippy::cast_possible_truncation,
                            reason = "saturates, as wide as minijinja's integers need"
                        )]
                        let number = float as i64;
                        Value::from(number)
                    }
                    ValueKind::Bool => Value::from(i64::from(value.is_true())),
                    ValueKind::Number => value.clone(),
                    _ => {
                        return Err(type_error(format!(
                            "%{} format: a real number is required, not {}",
                            self.kind,
                            pytypes::type_name(value)
                        )));
                    }
                };
                self.delegate('d', number)
            }
            kind => self.delegate(kind, value.clone()),
        }
    }

    fn delegate(&self, kind: char, value: Value) -> Result<String, Error> {
        formatting::format(FormatStyle::Printf, &format!("%{}{kind}", self.flags), &[value])
    }
}

fn too_wide(digits: &str) -> bool {
    !digits.is_empty() && digits.parse().map_or(true, |width: usize| width > MAX_WIDTH)
}

/// `text.format(…)`.
pub(super) fn braces(text: &str, arguments: &mut Arguments) -> Result<String, Error> {
    let fields = Fields { positional: arguments.rest(), named: arguments.named() };
    let mut out = String::new();
    let mut rest = text;
    let mut automatic = 0;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        if let Some(doubled) = after.strip_prefix(brace) {
            out.push_str(brace);
            rest = doubled;
            continue;
        }
        if brace == "}" {
            return Err(type_error("Single '}' encountered in format string"));
        }
        let end = after.find('}').ok_or_else(|| type_error("expected '}' before end of string"))?;
        out.push_str(&fields.field(&after[..end], &mut automatic)?);
        rest = &after[end + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

struct Fields {
    positional: Vec<Value>,
    named: BTreeMap<String, Value>,
}

impl Fields {
    /// One replacement field: `name!conversion:spec`.
    fn field(&self, field: &str, automatic: &mut usize) -> Result<String, Error> {
        let (head, spec) = field.split_once(':').unwrap_or((field, ""));
        let (name, conversion) = head.split_once('!').unwrap_or((head, ""));
        let value = self.value(name, automatic)?;
        let value = match conversion {
            "" => value,
            "s" => Value::from(pytypes::to_str(&value)?),
            "r" | "a" => Value::from(pytypes::repr(&value)?),
            other => return Err(type_error(format!("Unknown conversion specifier {other}"))),
        };
        if spec.is_empty() {
            return pytypes::to_str(&value);
        }
        if spec.split(|char: char| !char.is_ascii_digit()).any(too_wide) {
            return Err(type_error(format!("a width above {MAX_WIDTH} in a format")));
        }
        if matches!(
            value.kind(),
            ValueKind::Seq | ValueKind::Map | ValueKind::None | ValueKind::Undefined
        ) {
            return Err(type_error(format!(
                "unsupported format string passed to {}.__format__",
                pytypes::type_name(&value)
            )));
        }
        if let Some(spec) = spec.strip_suffix('%') {
            let percent = f64::try_from(value)? * 100.0;
            let shown = [format!("{{:{spec}f}}"), "%".to_owned()].concat();
            return formatting::format(FormatStyle::StrFormat, &shown, &[Value::from(percent)]);
        }
        formatting::format(FormatStyle::StrFormat, &format!("{{:{spec}}}"), &[value])
    }

    fn value(&self, name: &str, automatic: &mut usize) -> Result<Value, Error> {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (first, mut path) = name.split_at(end);
        let missing = || type_error(format!("format has no argument for {{{name}}}"));
        let index = if first.is_empty() {
            *automatic += 1;
            Some(*automatic - 1)
        } else {
            first.parse().ok()
        };
        let mut value = match index {
            Some(index) => self.positional.get(index).cloned(),
            None => self.named.get(first).cloned(),
        }
        .ok_or_else(missing)?;
        while !path.is_empty() {
            let key;
            if let Some(inner) = path.strip_prefix('[') {
                let (inside, after) = inner.split_once(']').ok_or_else(missing)?;
                key = inside.parse::<i64>().map_or_else(|_| Value::from(inside), Value::from);
                path = after;
            } else {
                let inner = &path[1..];
                let end = inner.find(['.', '[']).unwrap_or(inner.len());
                key = Value::from(&inner[..end]);
                path = &inner[end..];
            }
            value = value.get_item(&key)?;
        }
        Ok(value)
    }
}

/// `text|format(…)`: Jinja2's filter, which is `%` with either kind of arguments.
pub(super) fn filter(text: &str, arguments: &mut Arguments) -> Result<String, Error> {
    let positional = arguments.rest();
    let named = arguments.named();
    if !named.is_empty() && !positional.is_empty() {
        return Err(type_error("can't handle positional and keyword arguments at the same time"));
    }
    let values = if named.is_empty() {
        Value::from(minijinja::value::Tuple::from(positional))
    } else {
        Value::from_pairs(named)
    };
    percent(text, &values)
}

/// A width or count that a template asks for, bounded; negative ones are 0.
pub(super) fn width(value: Option<i64>) -> Result<usize, Error> {
    let width = value.unwrap_or_default().max(0);
    usize::try_from(width)
        .ok()
        .filter(|width| *width <= MAX_WIDTH)
        .ok_or_else(|| type_error(format!("a width above {MAX_WIDTH}")))
}
