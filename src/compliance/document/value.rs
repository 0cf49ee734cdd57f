//! Values, and what became of the file that holds one.

use std::path::PathBuf;

/// A value of a JSON or YAML document.
#[derive(Clone, Debug)]
pub(in crate::compliance) enum Value {
    Null,
    Bool(bool),
    /// Saturates beyond 128 bits.
    Int(i128),
    Float(f64),
    Text(String),
    /// A YAML date or time, which is no text.
    Date(String),
    List(Vec<Value>),
    Map(Map),
}

/// A mapping in the order written; keys are unique.
#[derive(Clone, Debug, Default)]
pub(in crate::compliance) struct Map(pub(super) Vec<(String, Value)>);

/// Something odd that a tolerant parser passes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::compliance) struct Oddity {
    pub(in crate::compliance) kind: OddityKind,
    /// The field, or a text that names it.
    pub(in crate::compliance) name: String,
    /// The 1-based line, where it is known.
    pub(in crate::compliance) line: Option<u64>,
}

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::compliance) enum OddityKind {
    /// A key stands twice; the last one counts.
    DuplicateKey,
    /// `NaN` or an infinity, which JSON does not have.
    NotFinite,
}

/// What became of a file.
#[derive(Clone, Debug)]
pub(in crate::compliance) enum State {
    /// There is none.
    Absent,
    /// It is there and gives no value: the key of the shared message and the reason.
    Unusable(&'static str, String),
    /// Its value.
    Parsed(Value),
}

/// A file with its value.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Document {
    pub(in crate::compliance) path: PathBuf,
    pub(in crate::compliance) state: State,
    pub(in crate::compliance) oddities: Vec<Oddity>,
    /// Whether it is a regular file, or a link to one inside the tree.
    pub(in crate::compliance) is_file: bool,
    /// The 1-based line on which it breaks off, where that is known.
    pub(in crate::compliance) line: Option<u64>,
}

impl Document {
    /// Whether there is something under its name.
    pub(in crate::compliance) fn exists(&self) -> bool {
        !matches!(self.state, State::Absent)
    }

    /// The value, when it is a mapping.
    pub(in crate::compliance) fn map(&self) -> Option<&Map> {
        match &self.state {
            State::Parsed(Value::Map(map)) => Some(map),
            _ => None,
        }
    }
}

impl Map {
    /// The value under a key.
    pub(in crate::compliance) fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The value under a key, where `null` counts as absent.
    pub(in crate::compliance) fn given(&self, key: &str) -> Option<&Value> {
        self.get(key).filter(|value| !matches!(value, Value::Null))
    }

    /// Whether a key stands there.
    pub(in crate::compliance) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Keys and values in the order written.
    pub(in crate::compliance) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether it has no key.
    pub(in crate::compliance) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets a key.
    pub(in crate::compliance) fn set(&mut self, key: &str, value: Value) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }
}

impl Value {
    /// The text of a text.
    pub(in crate::compliance) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The mapping of a mapping.
    pub(in crate::compliance) fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items of a list.
    pub(in crate::compliance) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// A whole number that is no boolean.
    pub(in crate::compliance) fn strict_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// A whole number, where booleans count as 0 and 1.
    pub(in crate::compliance) fn loose_int(&self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some(i128::from(*value)),
            other => other.strict_int(),
        }
    }

    /// A number that is no boolean.
    pub(in crate::compliance) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(real(*value)),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// `float(value)` of Python: numbers, booleans, and texts that read as numbers.
    pub(in crate::compliance) fn to_float(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Text(text) => super::lax::float_text(text),
            other => other.number(),
        }
    }

    /// `int(value)` of Python: floats are cut.
    pub(in crate::compliance) fn to_int(&self) -> Option<i128> {
        match self {
            Self::Float(value) if value.is_finite() => Some(cut(*value)),
            Self::Text(text) => super::lax::int_text(text, false),
            other => other.loose_int(),
        }
    }

    /// Whether Python takes it for true.
    pub(in crate::compliance) fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Date(_) => true,
            Self::List(items) => !items.is_empty(),
            Self::Map(map) => !map.is_empty(),
        }
    }

    /// Equality as Python has it: `1`, `1.0` and `true` are one value; the order of keys does not
    /// matter.
    pub(in crate::compliance) fn equals(&self, other: &Self) -> bool {
        let as_number = |value: &Self| match value {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            other => other.number(),
        };
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Text(a), Self::Text(b)) | (Self::Date(a), Self::Date(b)) => a == b,
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b))
            }
            (Self::Map(a), Self::Map(b)) => a.equals(b),
            (Self::Int(a), Self::Int(b)) => a == b,
            _ => match (as_number(self), as_number(other)) {
                #[expect(clippy::float_cmp, reason = "equality of stored values is meant")]
                (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan()),
                _ => false,
            },
        }
    }

    /// The value for a message, cut to a readable length.
    pub(in crate::compliance) fn show(&self) -> String {
        const MAX: usize = 60;
        let text = match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Float(value) => format!("{value:?}"),
            Self::Text(text) => format!("{text:?}"),
            Self::Date(text) => format!("the date {text}"),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Map(map) => format!("a mapping of {}", map.0.len()),
        };
        if text.chars().count() <= MAX {
            return text;
        }
        text.chars().take(MAX - 1).chain(['…']).collect()
    }
}

impl Map {
    /// Equality as Python has it.
    pub(in crate::compliance) fn equals(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().all(|(key, a)| other.get(key).is_some_and(|b| a.equals(b)))
    }
}

/// A whole number as the nearest float.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is meant")]
pub(in crate::compliance) fn real(value: i128) -> f64 {
    value as f64
}

/// A float without its fraction, saturating.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
pub(in crate::compliance) fn cut(value: f64) -> i128 {
    value as i128
}
