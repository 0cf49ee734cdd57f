//! Jinja2's filters that are generators, and those that a generator refuses.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use minijinja::value::{Kwargs, Rest, ValueOrKwargs};
use minijinja::{Error, ErrorKind, State, Value};

use super::arguments::type_error;
use super::filters::path;
use super::iterators::{self, Lazy};
use super::pytypes;
use super::work::{self, charge};

/// What a filter's argument list holds: the positional ones, then the named ones.
fn split(rest: Rest<ValueOrKwargs>) -> Result<(Vec<Value>, Kwargs), Error> {
    let values: Vec<Value> = rest.0.into_iter().map(ValueOrKwargs::into_value).collect();
    let (positional, named): (&[Value], Kwargs) = minijinja::value::from_args(&values)?;
    Ok((positional.to_vec(), named))
}

/// `value|map(attribute=…, default=…)`, `value|map("filter", …)`.
pub(super) fn map(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut mapped = Vec::new();
    // Nothing is looked at where there is nothing to iterate over, not even the arguments.
    if value.is_true() {
        let (mut positional, named) = split(rest)?;
        let attribute: Option<Value> = named.get("attribute")?;
        let default: Option<Value> = named.get("default")?;
        let filter = match (&attribute, positional.is_empty()) {
            (Some(_), true) => {
                named.assert_all_used()?;
                None
            }
            (Some(_), false) => return Err(Error::from(ErrorKind::TooManyArguments)),
            (None, true) => return Err(type_error("map requires a filter argument")),
            (None, false) => Some(positional.remove(0)),
        };
        for item in work::iterable(state, value)?.try_iter()? {
            charge(state, 4)?;
            let Some(filter) = &filter else {
                let found = path(&item, attribute.as_ref().unwrap_or(&Value::UNDEFINED))?;
                let default = default.clone().filter(|default| !default.is_none());
                mapped.push(default.filter(|_| found.is_undefined()).unwrap_or(found));
                continue;
            };
            let mut arguments = vec![item];
            arguments.extend(positional.iter().cloned());
            if named.args().next().is_some() {
                arguments.push(Value::from(named.clone()));
            }
            mapped.push(state.apply_filter(filter.as_str().unwrap_or_default(), &arguments)?);
        }
    }
    work::nest(state, Lazy::generator(mapped))
}

/// `value|select("test", …)`.
pub(super) fn select(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    choose(state, value, rest, false, true)
}

/// `value|reject("test", …)`.
pub(super) fn reject(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    choose(state, value, rest, false, false)
}

/// `value|selectattr("attribute", "test", …)`.
pub(super) fn selectattr(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    choose(state, value, rest, true, true)
}

/// `value|rejectattr("attribute", "test", …)`.
pub(super) fn rejectattr(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    choose(state, value, rest, true, false)
}

/// The items whose test gives `wanted`; without a test their truth is taken.
fn choose(
    state: &mut State<'_, '_>,
    value: Value,
    rest: Rest<ValueOrKwargs>,
    of_attribute: bool,
    wanted: bool,
) -> Result<Value, Error> {
    let mut chosen = Vec::new();
    if value.is_true() {
        let (mut positional, named) = split(rest)?;
        let attribute = match (of_attribute, positional.is_empty()) {
            (true, true) => return Err(type_error("Missing parameter for attribute name")),
            (true, false) => Some(positional.remove(0)),
            (false, _) => None,
        };
        let test = (!positional.is_empty()).then(|| positional.remove(0));
        for item in work::iterable(state, value)?.try_iter()? {
            charge(state, 4)?;
            let subject = match &attribute {
                Some(attribute) => path(&item, attribute)?,
                None => item.clone(),
            };
            let holds = match &test {
                None => subject.is_true(),
                Some(test) => {
                    let mut arguments = vec![subject];
                    arguments.extend(positional.iter().cloned());
                    if named.args().next().is_some() {
                        arguments.push(Value::from(named.clone()));
                    }
                    state.perform_test(test.as_str().unwrap_or_default(), &arguments)?
                }
            };
            if holds == wanted {
                chosen.push(item);
            }
        }
    }
    Ok(Lazy::generator(chosen))
}

/// `value|items`: the pairs of a mapping.
pub(super) fn items(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if !value.is_undefined() && !pytypes::is_dict(&value) {
        return Err(type_error("Can only get item pairs from a mapping."));
    }
    let pairs = pytypes::pairs(&value);
    charge(state, pairs.len())?;
    Ok(Lazy::generator(pairs.into_iter().map(pytypes::pair).collect()))
}

/// `value|length`.
pub(super) fn length(value: Value) -> Result<usize, Error> {
    if iterators::lazy(&value).is_some() {
        let found = pytypes::type_name(&value);
        return Err(type_error(format!("object of type '{found}' has no len()")));
    }
    minijinja::filters::length(&value)
}

/// `value|last`.
pub(super) fn last(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    if iterators::lazy(&value).is_some() {
        let found = pytypes::type_name(&value);
        return Err(type_error(format!("'{found}' object is not reversible")));
    }
    charge(state, value.len().unwrap_or(0) / 8)?;
    minijinja::filters::last(value)
}
