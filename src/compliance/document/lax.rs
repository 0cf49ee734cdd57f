//! Conversions and field-by-field reading with the tolerance of the official checker's schemas:
//! `"48"`, `48.0` and `true` are whole numbers, numbers are no texts, unknown keys are passed over.

use super::value::{Map, Value, cut, real};

/// One thing wrong with a value: where in the document and which of the shared messages it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::compliance) struct Problem {
    /// Dotted path, empty for the document itself.
    pub(in crate::compliance) at: String,
    /// The key of the message.
    pub(in crate::compliance) key: &'static str,
    /// What was found.
    pub(in crate::compliance) found: String,
}

type Lax<T> = Result<T, &'static str>;

/// A whole number.
pub(in crate::compliance) fn int(value: &Value) -> Lax<i128> {
    match value {
        Value::Bool(value) => Ok(i128::from(*value)),
        Value::Int(value) => Ok(*value),
        Value::Float(value) if !value.is_finite() => Err("finite_number"),
        Value::Float(value) if value.fract() == 0.0 => Ok(cut(*value)),
        Value::Float(_) => Err("int_from_float"),
        Value::Text(text) => int_text(text, true).ok_or("int_parsing"),
        _ => Err("int_type"),
    }
}

/// A number.
pub(in crate::compliance) fn float(value: &Value) -> Lax<f64> {
    match value {
        Value::Bool(value) => Ok(f64::from(u8::from(*value))),
        Value::Int(value) => Ok(real(*value)),
        Value::Float(value) => Ok(*value),
        Value::Text(text) => float_text(text).ok_or("float_parsing"),
        _ => Err("float_type"),
    }
}

/// A text.
pub(in crate::compliance) fn text(value: &Value) -> Lax<String> {
    value.as_text().map(str::to_owned).ok_or("string_type")
}

/// A boolean.
pub(in crate::compliance) fn boolean(value: &Value) -> Lax<bool> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::Int(0) => Ok(false),
        Value::Int(1) => Ok(true),
        Value::Int(_) => Err("bool_parsing"),
        Value::Float(value) if *value == 0.0 => Ok(false),
        Value::Float(value) if (*value - 1.0).abs() < f64::EPSILON => Ok(true),
        Value::Float(value) if value.fract() == 0.0 => Err("bool_parsing"),
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "off" | "f" | "false" | "n" | "no" => Ok(false),
            "1" | "on" | "t" | "true" | "y" | "yes" => Ok(true),
            _ => Err("bool_parsing"),
        },
        _ => Err("bool_type"),
    }
}

/// A list, with its items as they are.
pub(in crate::compliance) fn list(value: &Value) -> Lax<&[Value]> {
    value.as_list().ok_or("list_type")
}

/// A mapping, with its values as they are.
pub(in crate::compliance) fn map(value: &Value) -> Lax<&Map> {
    value.as_map().ok_or("dict_type")
}

/// One of a few words.
pub(in crate::compliance) fn choice(
    words: &'static [&'static str],
) -> impl Fn(&Value) -> Lax<&'static str> {
    move |value| {
        let found = value.as_text().and_then(|text| words.iter().find(|word| **word == text));
        found.copied().ok_or("literal_error")
    }
}

/// A whole number written as text; `fraction` allows `.0` behind it.
pub(super) fn int_text(text: &str, fraction: bool) -> Option<i128> {
    let text = text.trim();
    let text = match text.split_once('.') {
        Some((whole, zeros)) if fraction && zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    plain_digits(text)?.parse().ok()
}

/// A number written as text.
pub(super) fn float_text(text: &str) -> Option<f64> {
    let text = plain_digits(text.trim())?;
    text.trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || ".iInN".contains(c))
        .then(|| text.parse().ok())?
}

/// Without the underscores that Python allows between digits.
fn plain_digits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let misplaced = |(at, byte): (usize, &u8)| {
        *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1)))
    };
    (!bytes.iter().enumerate().any(misplaced)).then(|| text.replace('_', ""))
}

/// Reads the fields of one mapping and collects what is wrong with them.
pub(in crate::compliance) struct Fields<'a> {
    map: &'a Map,
    at: String,
    problems: &'a mut Vec<Problem>,
    before: usize,
}

/// Reads a document's value as a mapping.
pub(in crate::compliance) fn root<T>(
    value: &Value,
    read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
) -> Result<T, Vec<Problem>> {
    let mut problems = Vec::new();
    let read = match value {
        Value::Map(map) => {
            let before = 0;
            read(&mut Fields { map, at: String::new(), problems: &mut problems, before })
        }
        other => {
            problems.push(Problem { at: String::new(), key: "model_type", found: other.show() });
            None
        }
    };
    match read {
        Some(read) if problems.is_empty() => Ok(read),
        _ => Err(problems),
    }
}

impl Fields<'_> {
    /// The mapping itself.
    pub(in crate::compliance) fn map(&self) -> &Map {
        self.map
    }

    /// Whether nothing was wrong so far in this mapping and below.
    pub(in crate::compliance) fn is_clean(&self) -> bool {
        self.problems.len() == self.before
    }

    /// Notes a problem with a field, or with the mapping itself where the field is empty.
    pub(in crate::compliance) fn problem(&mut self, field: &str, key: &'static str, found: String) {
        let at = self.path(field);
        self.problems.push(Problem { at, key, found });
    }

    fn path(&self, field: &str) -> String {
        match (self.at.is_empty(), field.is_empty()) {
            (true, _) => field.to_owned(),
            (false, true) => self.at.clone(),
            (false, false) => format!("{}.{field}", self.at),
        }
    }

    /// A field that must be there.
    pub(in crate::compliance) fn required<T>(
        &mut self,
        field: &str,
        convert: impl Fn(&Value) -> Lax<T>,
    ) -> Option<T> {
        if !self.map.has(field) {
            self.problem(field, "missing", "nothing".to_owned());
        }
        self.present(field, convert)
    }

    /// A field that may be absent, but not null.
    pub(in crate::compliance) fn present<T>(
        &mut self,
        field: &str,
        convert: impl Fn(&Value) -> Lax<T>,
    ) -> Option<T> {
        let map = self.map;
        let value = map.get(field)?;
        match convert(value) {
            Ok(converted) => Some(converted),
            Err(key) => {
                self.problem(field, key, value.show());
                None
            }
        }
    }

    /// A field that may be absent or null.
    pub(in crate::compliance) fn optional<T>(
        &mut self,
        field: &str,
        convert: impl Fn(&Value) -> Lax<T>,
    ) -> Option<T> {
        self.map.given(field)?;
        self.present(field, convert)
    }

    /// Reads several fields that may be absent or null and that nothing looks at.
    pub(in crate::compliance) fn ignored<T>(
        &mut self,
        fields: &[&str],
        convert: impl Fn(&Value) -> Lax<T>,
    ) {
        for field in fields {
            let _ = self.optional(field, &convert);
        }
    }

    /// A mapping below, where there is one under this field and it is not null.
    pub(in crate::compliance) fn nested<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let map = self.map;
        self.below(field, map.given(field)?, read)
    }

    /// A mapping below that must be there.
    pub(in crate::compliance) fn required_nested<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let map = self.map;
        if let Some(value) = map.get(field) {
            return self.below(field, value, read);
        }
        self.problem(field, "missing", "nothing".to_owned());
        None
    }

    /// A mapping below that may be absent, but not null.
    pub(in crate::compliance) fn present_nested<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let map = self.map;
        self.below(field, map.get(field)?, read)
    }

    /// The mappings of a list.
    pub(in crate::compliance) fn each<T>(
        &mut self,
        field: &str,
        items: &[Value],
        read: impl Fn(&mut Fields<'_>) -> Option<T>,
    ) -> Vec<T> {
        let below = |(i, item)| self.below(&format!("{field}.{i}"), item, &read);
        items.iter().enumerate().filter_map(below).collect()
    }

    /// A value as a mapping below this one.
    pub(in crate::compliance) fn below<T>(
        &mut self,
        field: &str,
        value: &Value,
        read: impl FnOnce(&mut Fields<'_>) -> Option<T>,
    ) -> Option<T> {
        let Value::Map(map) = value else {
            self.problem(field, "model_type", value.show());
            return None;
        };
        let (at, before) = (self.path(field), self.problems.len());
        read(&mut Fields { map, at, problems: self.problems, before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_the_official_tolerance() {
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!([int(&text(" 48 ")), int(&text("+4_8")), int(&text("48.0"))], [Ok(48); 3]);
        assert_eq!(int(&text("4__8")), Err("int_parsing"));
        assert_eq!([int(&Value::Float(48.0)), int(&Value::Bool(true))], [Ok(48), Ok(1)]);
        assert_eq!(int(&Value::Float(48.5)), Err("int_from_float"));
        assert_eq!(int(&Value::Float(f64::NAN)), Err("finite_number"));
        assert_eq!(int(&Value::Null), Err("int_type"));
        assert_eq!(float(&text("1e3")), Ok(1000.0));
        assert_eq!(float(&text("x")), Err("float_parsing"));
        assert_eq!(super::text(&Value::Int(1)), Err("string_type"));
        assert_eq!([boolean(&text("Yes")), boolean(&Value::Int(1))], [Ok(true); 2]);
        assert_eq!(boolean(&Value::Int(2)), Err("bool_parsing"));
        assert_eq!(choice(&["air"])(&text("Air")), Err("literal_error"));
    }
}
