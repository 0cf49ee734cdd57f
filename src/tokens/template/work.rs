//! Paying for work that minijinja does not see, so that no template runs without end.
//!
//! minijinja's fuel counts instructions, bytes and items of its own operations. Ours pay here.
//! Values that share their parts (`[x, x]` again and again) are tiny in memory and endless to walk
//! through, and deep ones overflow the stack when they are dropped; so that a value's whole size
//! is paid for when it is put together ([`nest`]), which bounds both.

use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};

use super::{iterators, pytypes};

/// What each part of a value that is put together costs: the fuel allows some 100,000 parts, and
/// nesting of little more than a thousand levels.
const PART: usize = 16;

/// What an item of a list costs that is copied.
const ITEM: usize = 8;

/// Takes `fuel` from what the rendering may use.
///
/// # Errors
/// When the fuel is used up.
pub(super) fn charge(state: &State<'_, '_>, fuel: usize) -> Result<(), Error> {
    if fuel == 0 { Ok(()) } else { state.consume_fuel(fuel as u64) }
}

/// Pays for bytes at minijinja's price.
pub(super) fn charge_bytes(state: &State<'_, '_>, bytes: usize) -> Result<(), Error> {
    charge(state, bytes / 64)
}

fn is_container(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable)
        || (value.kind() == ValueKind::Map && pytypes::is_dict(value))
}

/// Pays `price` for every part of `value`, however deep.
pub(super) fn weigh(state: &State<'_, '_>, value: &Value, price: usize) -> Result<(), Error> {
    if !is_container(value) {
        return Ok(());
    }
    let mut stack = vec![value.clone()];
    while let Some(value) = stack.pop() {
        if let Some(lazy) = iterators::lazy(&value) {
            // Its items must stay in it.
            let items = lazy.left();
            charge(state, items.len() * price + 1)?;
            stack.extend(items.as_slice().iter().filter(|item| is_container(item)).cloned());
        } else if value.kind() == ValueKind::Map {
            let pairs = pytypes::pairs(&value);
            charge(state, pairs.len() * price + 1)?;
            stack.extend(pairs.into_iter().map(|(_, item)| item).filter(is_container));
        } else {
            charge(state, 1)?;
            for item in value.try_iter()? {
                charge(state, price)?;
                if is_container(&item) {
                    stack.push(item);
                }
            }
        }
    }
    Ok(())
}

/// A list, tuple or map that was just put together from other values, paid for.
pub(super) fn nest(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    weigh(state, &value, PART)?;
    Ok(value)
}

/// What a filter iterates over; minijinja would take `none` for an empty list.
pub(super) fn iterable(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    charge(state, 1)?;
    if value.is_none() {
        return Err(super::arguments::type_error("'NoneType' object is not iterable"));
    }
    Ok(value)
}

/// What a `for` loop iterates over; minijinja's loops over texts do not know their length.
pub(super) fn looped(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    match value.as_str() {
        Some(text) => {
            charge(state, text.len())?;
            Ok(text.chars().map(Value::from).collect())
        }
        None => iterable(state, value),
    }
}

/// What a filter compares the items of with each other.
pub(super) fn comparable(state: &State<'_, '_>, value: Value) -> Result<Value, Error> {
    weigh(state, &value, PART)?;
    iterable(state, value)
}

/// The items of a list, paid for one by one.
pub(super) fn items(state: &State<'_, '_>, value: &Value) -> Result<Vec<Value>, Error> {
    let mut items = Vec::new();
    for item in value.try_iter()? {
        if items.len().is_multiple_of(64) {
            charge(state, 64 * ITEM)?;
        }
        items.push(item);
    }
    Ok(items)
}
