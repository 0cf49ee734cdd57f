//! Methods of Python's dict and list, and methods as values.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, ValueKind};
use minijinja::{Error, ErrorKind, State, Value};

use super::arguments::{Arguments, type_error};
use super::iterators::{self, View};
use super::{methods_text, pytypes};

/// A method that a template took without calling it, as in `d.items is defined`.
#[derive(Debug)]
pub(super) struct BoundMethod {
    /// Whose method.
    pub(super) object: Value,
    /// Its name.
    pub(super) name: String,
}

impl Object for BoundMethod {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        call(state, &self.object, &self.name, args)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = pytypes::type_name(&self.object);
        write!(f, "<built-in method {} of {owner} object>", self.name)
    }
}

/// Calls a Python method; the callback for everything that minijinja does not know.
pub(super) fn call(
    state: &mut State<'_, '_>,
    object: &Value,
    name: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let unknown = || Error::from(ErrorKind::UnknownMethod);
    if name.starts_with("__") {
        return Err(type_error(format!("access to attribute '{name}' is unsafe")));
    }
    match object.kind() {
        ValueKind::String => {
            let text = object.as_str().unwrap_or_default();
            let result =
                methods_text::call(state, text, name, Arguments::new(args.iter().cloned()));
            match result {
                Err(error) if error.kind() == ErrorKind::UnknownMethod => {
                    minijinja_contrib::pycompat::unknown_method_callback(state, object, name, args)
                }
                Ok(value) if object.is_safe() => Ok(keep_safe(value)),
                other => other,
            }
        }
        ValueKind::Map if pytypes::is_dict(object) => match name {
            "copy" => {
                Arguments::new(args.iter().cloned()).finish()?;
                Ok(Value::from_pairs(pytypes::pairs(object)))
            }
            "items" | "keys" | "values" => {
                Arguments::new(args.iter().cloned()).finish()?;
                View::of(object, name).ok_or_else(unknown)
            }
            _ if pytypes::UNSAFE.contains(&name) => Err(hidden(name)),
            _ => minijinja_contrib::pycompat::unknown_method_callback(state, object, name, args),
        },
        _ if iterators::lazy(object).is_some() => Err(unknown()),
        ValueKind::Seq | ValueKind::Iterable => list(object, name, args),
        ValueKind::Number => number(object, name, args),
        _ => Err(unknown()),
    }
}

/// Texts made from a safe text are safe.
fn keep_safe(value: Value) -> Value {
    match value.as_str() {
        Some(text) => Value::from_safe_string(text.to_owned()),
        None => value,
    }
}

/// The sandbox's refusal of methods that change their object.
fn hidden(name: &str) -> Error {
    type_error(format!("access to attribute '{name}' is unsafe"))
}

fn list(object: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    let mut arguments = Arguments::new(args.iter().cloned());
    match name {
        "copy" => {
            arguments.finish()?;
            Ok(object.try_iter()?.collect())
        }
        "count" => {
            let item = arguments.required("value")?;
            arguments.finish()?;
            Ok(Value::from(object.try_iter()?.filter(|other| *other == item).count()))
        }
        "index" => {
            let item = arguments.required("value")?;
            let start = arguments.integer("start")?.unwrap_or(0);
            arguments.finish()?;
            let start = usize::try_from(start.max(0)).unwrap_or(usize::MAX);
            let shown = pytypes::repr(&item)?;
            object
                .try_iter()?
                .enumerate()
                .skip(start)
                .find(|(_, other)| *other == item)
                .map(|(at, _)| Value::from(at))
                .ok_or_else(|| type_error(format!("{shown} is not in list")))
        }
        _ if pytypes::UNSAFE.contains(&name) => Err(hidden(name)),
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}

fn number(object: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if !args.is_empty() {
        return Err(Error::from(ErrorKind::UnknownMethod));
    }
    let float = f64::try_from(object.clone());
    match name {
        "is_integer" => Ok(Value::from(float?.fract() == 0.0)),
        "bit_length" if object.is_integer() => {
            let number = i128::try_from(object.clone())?.unsigned_abs();
            Ok(Value::from(u128::BITS - number.leading_zeros()))
        }
        _ => Err(Error::from(ErrorKind::UnknownMethod)),
    }
}
