//! What a schema forbids.

use serde_json::Value;

use super::pointer::Pointer;
use super::suggest::nearest;

/// The codes of schema findings, with what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("unknown-key", "A mapping holds a key that the schema does not know."),
    ("missing-key", "A mapping lacks a key that the schema requires."),
    ("wrong-type", "A value has another type than the schema asks for."),
    ("wrong-value", "A value is none of those that are allowed."),
    ("out-of-range", "A number, length or count is outside its bounds."),
    ("wrong-format", "A text does not have the form that it must have."),
    ("schema-violation", "A value breaks another rule of the schema."),
];

/// One thing that the schema forbids.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    /// The value at fault; of an unknown or missing key, the mapping.
    pub(super) pointer: Pointer,
    /// What it breaks.
    pub(super) rule: Rule,
}

/// What a value breaks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// The mapping may not hold this key.
    UnknownKey(String),
    /// The mapping must hold this key.
    MissingKey(String),
    /// One of these JSON types.
    Type(Vec<String>),
    /// One of these values.
    OneOf(Vec<Value>),
    /// One of these values, or one of these JSON types.
    OneOfOr(Vec<Value>, Vec<String>),
    /// A number from here up.
    AtLeast(Value),
    /// A number up to here.
    AtMost(Value),
    /// A number greater than this.
    Above(Value),
    /// A number smaller than this.
    Below(Value),
    /// At least this many characters, items or keys.
    Fewer(u64),
    /// At most this many.
    More(u64),
    /// A text that matches this expression.
    Pattern(String),
    /// Another keyword of the schema.
    Other(String),
}

impl Violation {
    /// Whether another violation says the same better: a key that is missing because it is
    /// misspelt.
    pub(super) fn is_explained_by(&self, others: &[Self]) -> bool {
        let Rule::MissingKey(key) = &self.rule else { return false };
        others.iter().any(|other| {
            other.pointer == self.pointer
                && matches!(&other.rule, Rule::UnknownKey(unknown)
                    if nearest(unknown, std::iter::once(key.as_str())).is_some())
        })
    }
}
