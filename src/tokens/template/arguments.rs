//! Arguments that may come by position or by name, as Python functions take them.

use std::collections::{BTreeMap, VecDeque};

use minijinja::value::{Rest, ValueOrKwargs};
use minijinja::{Error, ErrorKind, Value};

use super::pytypes;

/// The arguments of one call. Parameters are taken in the order of the Python signature.
#[derive(Debug)]
pub(super) struct Arguments {
    positional: VecDeque<Value>,
    named: BTreeMap<String, Value>,
}

impl Arguments {
    /// Splits minijinja's argument list.
    pub(super) fn new(values: impl IntoIterator<Item = Value>) -> Self {
        let mut positional = VecDeque::new();
        let mut named = BTreeMap::new();
        for value in values {
            if value.is_kwargs() {
                named.extend(
                    pytypes::pairs(&value).into_iter().map(|(key, value)| (key.to_string(), value)),
                );
            } else {
                positional.push_back(value);
            }
        }
        Self { positional, named }
    }

    /// From a function's rest arguments.
    pub(super) fn of(rest: Rest<ValueOrKwargs>) -> Self {
        Self::new(rest.0.into_iter().map(ValueOrKwargs::into_value))
    }

    /// The next parameter, called `name`; none when it was not given.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.positional.pop_front().or_else(|| self.named.remove(name))
    }

    /// The next parameter, which must be given.
    pub(super) fn required(&mut self, name: &str) -> Result<Value, Error> {
        self.take(name).ok_or_else(|| {
            Error::new(ErrorKind::MissingArgument, format!("missing the argument '{name}'"))
        })
    }

    /// The next parameter as a text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Error> {
        match self.take(name) {
            None => Ok(None),
            Some(value) if value.is_none() => Ok(None),
            Some(value) => match value.as_str() {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(wrong(name, "a text", &value)),
            },
        }
    }

    /// The next parameter as an integer.
    pub(super) fn integer(&mut self, name: &str) -> Result<Option<i64>, Error> {
        match self.take(name) {
            None => Ok(None),
            Some(value) if value.is_none() => Ok(None),
            Some(value) => {
                integer(&value).map(Some).ok_or_else(|| wrong(name, "an integer", &value))
            }
        }
    }

    /// The next parameter's truth, false when it was not given.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|value| value.is_true())
    }

    /// All remaining positional parameters.
    pub(super) fn rest(&mut self) -> Vec<Value> {
        self.positional.drain(..).collect()
    }

    /// All remaining named parameters.
    pub(super) fn named(&mut self) -> BTreeMap<String, Value> {
        std::mem::take(&mut self.named)
    }

    /// Fails when parameters are left.
    pub(super) fn finish(self) -> Result<(), Error> {
        if !self.positional.is_empty() {
            return Err(Error::new(ErrorKind::TooManyArguments, "too many arguments"));
        }
        match self.named.into_keys().next() {
            Some(name) => Err(Error::new(
                ErrorKind::TooManyArguments,
                format!("got an unexpected keyword argument '{name}'"),
            )),
            None => Ok(()),
        }
    }
}

/// A Python `int` (or `bool`) as a number.
pub(super) fn integer(value: &Value) -> Option<i64> {
    if value.is_integer() {
        return value.as_i64();
    }
    matches!(value.kind(), minijinja::value::ValueKind::Bool).then(|| i64::from(value.is_true()))
}

/// The error for an argument of the wrong type.
pub(super) fn wrong(name: &str, expected: &str, found: &Value) -> Error {
    type_error(format!("'{name}' must be {expected}, not {}", pytypes::type_name(found)))
}

/// An operation that Python refuses for its types.
pub(super) fn type_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}
