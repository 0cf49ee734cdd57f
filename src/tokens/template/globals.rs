//! Functions and objects that every template finds.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use minijinja::value::{Object, ObjectRepr, Rest, ValueOrKwargs};
use minijinja::{Error, ErrorKind, State, Value};

use super::arguments::{Arguments, type_error};
use super::{pytypes, work};

/// What `raise_exception` was given; the source of the error that it raises.
#[derive(Debug)]
pub(super) struct Raised(pub(super) String);

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Raised {}

/// What a namespace costs in fuel: namespaces nest too, and are not walked through.
const NAMESPACE: usize = 500;

/// `raise_exception(message)`.
pub(super) fn raise_exception(message: Value) -> Result<Value, Error> {
    let message = pytypes::to_str(&message)?;
    Err(Error::new(ErrorKind::InvalidOperation, message.clone()).with_source(Raised(message)))
}

/// The pairs of `dict(…)` and `namespace(…)`: a map or pairs, then names.
fn pairs(rest: Rest<ValueOrKwargs>) -> Result<Vec<(Value, Value)>, Error> {
    let mut arguments = Arguments::of(rest);
    let mut pairs = match arguments.take("") {
        None => Vec::new(),
        Some(map) if pytypes::is_dict(&map) => pytypes::pairs(&map),
        Some(list) => list
            .try_iter()?
            .map(|pair| Ok((pair.get_item_by_index(0)?, pair.get_item_by_index(1)?)))
            .collect::<Result<_, Error>>()?,
    };
    for (name, value) in arguments.named() {
        let name = Value::from(name);
        pairs.retain(|(key, _)| *key != name);
        pairs.push((name, value));
    }
    arguments.finish()?;
    Ok(pairs)
}

/// `dict(…)`.
pub(super) fn dict(state: &State<'_, '_>, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    work::nest(state, Value::from_pairs(pairs(rest)?))
}

/// `namespace(…)`; names with an underscore in front are refused, as transformers refuses them.
pub(super) fn namespace(state: &State<'_, '_>, rest: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    work::charge(state, NAMESPACE)?;
    let pairs = pairs(rest)?;
    if let Some((name, _)) = pairs.iter().find(|(key, _)| key.to_string().starts_with('_')) {
        return Err(type_error(format!(
            "Chat templates cannot store underscore-prefixed attributes on a namespace, but got {}",
            pytypes::repr(name)?
        )));
    }
    minijinja::functions::namespace(Some(ValueOrKwargs::from(Value::from_pairs(pairs))))
}

/// The object of `cycler(…)`.
#[derive(Debug)]
struct Cycler {
    items: Vec<Value>,
    at: AtomicUsize,
}

impl Object for Cycler {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = self.at.load(Ordering::Relaxed) % self.items.len().max(1);
        (key.as_str() == Some("current")).then(|| self.items.get(at).cloned()).flatten()
    }

    fn call_method(
        self: &Arc<Self>,
        _state: &mut State<'_, '_>,
        method: &str,
        args: &[Value],
    ) -> Result<Value, Error> {
        if !args.is_empty() {
            return Err(Error::from(ErrorKind::TooManyArguments));
        }
        match method {
            "next" => {
                let at = self.at.fetch_add(1, Ordering::Relaxed);
                Ok(self.items[at % self.items.len()].clone())
            }
            "reset" => {
                self.at.store(0, Ordering::Relaxed);
                Ok(Value::from(()))
            }
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}

/// `cycler(…)`.
pub(super) fn cycler(state: &State<'_, '_>, items: Rest<Value>) -> Result<Value, Error> {
    work::charge(state, NAMESPACE)?;
    if items.is_empty() {
        return Err(type_error("at least one item has to be provided"));
    }
    Ok(Value::from_object(Cycler { items: items.0, at: AtomicUsize::new(0) }))
}

/// The object of `joiner(…)`.
#[derive(Debug)]
struct Joiner {
    separator: String,
    used: AtomicBool,
}

impl Object for Joiner {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, _state: &mut State<'_, '_>, _args: &[Value]) -> Result<Value, Error> {
        let first = !self.used.swap(true, Ordering::Relaxed);
        Ok(Value::from(if first { "" } else { self.separator.as_str() }))
    }
}

/// `joiner(sep=", ")`.
pub(super) fn joiner(separator: Option<&str>) -> Value {
    let separator = separator.unwrap_or(", ").to_owned();
    Value::from_object(Joiner { separator, used: AtomicBool::new(false) })
}

/// The mark of a macro parameter that was not given.
#[derive(Debug)]
pub(super) struct Unset;

impl Object for Unset {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }
}
