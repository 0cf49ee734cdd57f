//! The operations that [`super::dialect`] turns into calls, with Python's meaning.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use std::cmp::Ordering;
use std::sync::LazyLock;

use minijinja::value::{Rest, Tuple, ValueKind};
use minijinja::{Environment, Error, State, Value};

use super::arguments::{integer, type_error};
use super::methods::BoundMethod;
use super::work::{charge, charge_bytes, items, weigh};
use super::{format, iterators, pytypes};

/// `left % right`: formatting for texts, else the remainder.
pub(super) fn modulo(left: Value, right: Value) -> Result<Value, Error> {
    if let Some(text) = left.as_str() {
        return format::percent(text, &right).map(Value::from);
    }
    arithmetic(&left, "%", &right)
}

/// `left + right`: numbers, texts (a safe text makes the other one safe by escaping), lists.
pub(super) fn add(state: &State<'_, '_>, left: Value, right: Value) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (left.as_i64(), right.as_i64())
        && left.is_integer()
        && right.is_integer()
        && let Some(sum) = a.checked_add(b)
    {
        return Ok(Value::from(sum));
    }
    if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
        charge_bytes(state, a.len() + b.len())?;
        if !left.is_safe() && !right.is_safe() {
            return Ok(Value::from([a, b].concat()));
        }
        let part = |value: &Value, text: &str| {
            if value.is_safe() { text.to_owned() } else { super::filters_text::escaped(text) }
        };
        return Ok(Value::from_safe_string(part(&left, a) + &part(&right, b)));
    }
    if let Some(name) = iterators::type_name(&left).or(iterators::type_name(&right)) {
        return Err(type_error(format!("unsupported operand type for +: '{name}'")));
    }
    let sequence = pytypes::is_list;
    if sequence(&left) && sequence(&right) && left.is_tuple() == right.is_tuple() {
        let mut joined = items(state, &left)?;
        joined.extend(items(state, &right)?);
        return Ok(if left.is_tuple() {
            Value::from(Tuple::from(joined))
        } else {
            Value::from(joined)
        });
    }
    arithmetic(&left, "+", &right)
}

/// Leaves an operation to minijinja.
fn arithmetic(left: &Value, operator: &str, right: &Value) -> Result<Value, Error> {
    static PLAIN: LazyLock<Environment<'static>> = LazyLock::new(Environment::new);
    let expression = PLAIN.compile_expression(match operator {
        "%" => "a % b",
        "*" => "a * b",
        _ => "a + b",
    })?;
    expression.eval(minijinja::context! { a => left, b => right })
}

/// `left * right`; minijinja repeats lists without making them, which nests without end.
pub(super) fn multiply(state: &State<'_, '_>, left: Value, right: Value) -> Result<Value, Error> {
    if let Some(name) = iterators::type_name(&left).or(iterators::type_name(&right)) {
        return Err(type_error(format!("unsupported operand type for *: '{name}'")));
    }
    let sequence = pytypes::is_list;
    let (list, count) = match (sequence(&left), sequence(&right)) {
        (true, false) => (&left, &right),
        (false, true) => (&right, &left),
        _ => {
            let longest =
                [&left, &right].into_iter().filter_map(|value| value.as_str()).map(str::len);
            let count = integer(&left).or_else(|| integer(&right)).unwrap_or(0).max(0);
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            charge_bytes(state, longest.max().unwrap_or(0).saturating_mul(count))?;
            return arithmetic(&left, "*", &right);
        }
    };
    let count = integer(count).ok_or_else(|| {
        type_error(format!(
            "can't multiply sequence by non-int of type '{}'",
            pytypes::type_name(count)
        ))
    })?;
    let count = usize::try_from(count).unwrap_or(0);
    let part = items(state, list)?;
    charge(state, part.len().saturating_mul(count))?;
    let repeated: Vec<Value> =
        std::iter::repeat_n(&part, count).flat_map(|part| part.iter().cloned()).collect();
    Ok(if list.is_tuple() { Value::from(Tuple::from(repeated)) } else { Value::from(repeated) })
}

/// `left == right` where neither is a literal.
pub(super) fn equal(state: &State<'_, '_>, left: Value, right: Value) -> Result<bool, Error> {
    if let Some(same) = iterators::same(&left, &right) {
        return Ok(same);
    }
    weigh(state, &left, 1)?;
    Ok(left == right && iterators::type_name(&left) == iterators::type_name(&right))
}

/// `a ~ b ~ …`: the joined texts.
pub(super) fn concat(state: &State<'_, '_>, items: Rest<Value>) -> Result<Value, Error> {
    let mut out = String::new();
    for item in items.iter() {
        pytypes::write_str(&mut out, item)?;
    }
    charge_bytes(state, out.len())?;
    Ok(Value::from(out))
}

/// `a < b <= c`: operands and operators alternate.
pub(super) fn compare(state: &State<'_, '_>, items: Rest<Value>) -> Result<bool, Error> {
    for item in items.iter() {
        weigh(state, item, 1)?;
    }
    let mut left = items.first().cloned().unwrap_or_default();
    for pair in items.get(1..).unwrap_or_default().chunks_exact(2) {
        let operator = pair[0].as_str().unwrap_or_default();
        let right = &pair[1];
        if !holds(&left, operator, right)? {
            return Ok(false);
        }
        left = right.clone();
    }
    Ok(true)
}

fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, Error> {
    let equal = || iterators::same(left, right).unwrap_or_else(|| left == right);
    match operator {
        "==" => Ok(equal()),
        "!=" => Ok(!equal()),
        "in" => contains(right, left),
        "not in" => Ok(!contains(right, left)?),
        _ => {
            let ordering = order(left, operator, right)?;
            Ok(match operator {
                "<" => ordering == Some(Ordering::Less),
                "<=" => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
                ">" => ordering == Some(Ordering::Greater),
                _ => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
            })
        }
    }
}

/// `item in container`, as a function.
pub(super) fn is_in(state: &State<'_, '_>, item: Value, container: Value) -> Result<bool, Error> {
    weigh(state, &item, 1)?;
    if item.as_str().is_none() {
        weigh(state, &container, 1)?;
    } else if let Some(len) = container.len() {
        charge(state, len / 64)?;
    }
    contains(&container, &item)
}

/// `item in container`.
fn contains(container: &Value, item: &Value) -> Result<bool, Error> {
    if let Some(text) = container.as_str() {
        return item.as_str().map(|part| text.contains(part)).ok_or_else(|| {
            type_error(format!(
                "'in <string>' requires string as left operand, not {}",
                pytypes::type_name(item)
            ))
        });
    }
    match container.kind() {
        ValueKind::Undefined => Ok(false),
        ValueKind::None => Err(type_error("argument of type 'NoneType' is not iterable")),
        ValueKind::Map => {
            Ok(container.as_object().is_some_and(|map| map.get_value(item).is_some()))
        }
        _ => Ok(container.try_iter()?.any(|other| other == *item)),
    }
}

/// The order of two values of the same Python type; none for numbers that have none (NaN).
///
/// # Errors
/// Types that Python does not order, undefined values among them.
pub(super) fn order(
    left: &Value,
    operator: &str,
    right: &Value,
) -> Result<Option<Ordering>, Error> {
    let numeric = |value: &Value| matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    let sequence = pytypes::is_list;
    if left.is_undefined() || right.is_undefined() {
        return Err(type_error("an undefined value cannot be ordered"));
    }
    if numeric(left) && numeric(right) {
        if let (Some(a), Some(b)) = (integer(left), integer(right)) {
            return Ok(Some(a.cmp(&b)));
        }
        let (a, b) = (number(left)?, number(right)?);
        return Ok(a.partial_cmp(&b));
    }
    if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
        return Ok(Some(a.cmp(b)));
    }
    if sequence(left) && sequence(right) && left.is_tuple() == right.is_tuple() {
        let mut others = right.try_iter()?;
        for a in left.try_iter()? {
            let Some(b) = others.next() else { return Ok(Some(Ordering::Greater)) };
            if a != b {
                return order(&a, operator, &b);
            }
        }
        return Ok(Some(if others.next().is_some() { Ordering::Less } else { Ordering::Equal }));
    }
    Err(type_error(format!(
        "'{operator}' not supported between instances of '{}' and '{}'",
        pytypes::type_name(left),
        pytypes::type_name(right)
    )))
}

fn number(value: &Value) -> Result<f64, Error> {
    match integer(value) {
        #[expect(clippy::cast_precision_loss, reason = "Python rounds the same way")]
        Some(integer) => Ok(integer as f64),
        None => f64::try_from(value.clone()),
    }
}

/// `object.name` for a name that is a method of some Python type.
pub(super) fn attribute(object: Value, name: &str) -> Result<Value, Error> {
    if pytypes::has_method(&object, name) {
        return Ok(Value::from_object(BoundMethod { object, name: name.to_owned() }));
    }
    if name.starts_with("__") || (pytypes::is_dict(&object) && pytypes::UNSAFE.contains(&name)) {
        // The sandbox hides these.
        return if object.is_undefined() { object.get_attr(name) } else { Ok(Value::UNDEFINED) };
    }
    object.get_attr(name)
}

/// `object["name"]` for a name that is a method of some Python type: the item, else the method.
pub(super) fn item(object: Value, name: &str) -> Result<Value, Error> {
    let found = object.get_item(&Value::from(name))?;
    if found.is_undefined() && pytypes::has_method(&object, name) {
        return Ok(Value::from_object(BoundMethod { object, name: name.to_owned() }));
    }
    Ok(found)
}

/// `object[index]`; generators and dict views have no items, which minijinja would count out.
pub(super) fn index(object: Value, index: Value) -> Result<Value, Error> {
    match iterators::type_name(&object) {
        None | Some("range") => object.get_item(&index),
        Some(_) => Ok(Value::UNDEFINED),
    }
}

/// `object[start:stop:step]`.
pub(super) fn slice(
    state: &State<'_, '_>,
    object: Value,
    start: Value,
    stop: Value,
    step: Value,
) -> Result<Value, Error> {
    if object.is_undefined() {
        return Err(type_error("an undefined value cannot be sliced"));
    }
    let bounds = [bound(&start)?, bound(&stop)?, bound(&step)?];
    if let Some(text) = object.as_str() {
        charge_bytes(state, text.len())?;
        return slice_text(text, bounds).map(Value::from);
    }
    if !pytypes::is_list(&object) && iterators::type_name(&object) != Some("range") {
        return Err(type_error(format!(
            "'{}' object is not subscriptable with a slice",
            pytypes::type_name(&object)
        )));
    }
    let items = items(state, &object)?;
    let picked: Vec<Value> =
        indices(items.len(), bounds)?.into_iter().map(|at| items[at].clone()).collect();
    Ok(if object.is_tuple() { Value::from(Tuple::from(picked)) } else { Value::from(picked) })
}

fn bound(value: &Value) -> Result<Option<i64>, Error> {
    if value.is_none() {
        return Ok(None);
    }
    integer(value).map(Some).ok_or_else(|| type_error("slice indices must be integers or None"))
}

fn slice_text(text: &str, bounds: [Option<i64>; 3]) -> Result<String, Error> {
    if text.is_ascii() && bounds[2].unwrap_or(1) == 1 {
        let range = indices(text.len(), bounds)?;
        return Ok(match (range.first(), range.last()) {
            (Some(first), Some(last)) => text[*first..=*last].to_owned(),
            _ => String::new(),
        });
    }
    let chars: Vec<char> = text.chars().collect();
    Ok(indices(chars.len(), bounds)?.into_iter().map(|at| chars[at]).collect())
}

/// The indices that a slice picks (Python's `slice.indices`).
fn indices(len: usize, [start, stop, step]: [Option<i64>; 3]) -> Result<Vec<usize>, Error> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(type_error("slice step cannot be zero"));
    }
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let clamp = |bound: Option<i64>, default: i64| match bound {
        None => default,
        Some(bound) if bound < 0 => bound.saturating_add(len).max(low),
        Some(bound) => bound.min(high),
    };
    let (first, end) = if step > 0 {
        (clamp(start, low), clamp(stop, high))
    } else {
        (clamp(start, high), clamp(stop, low))
    };
    let mut at = first;
    let mut picked = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        picked.push(usize::try_from(at).unwrap_or_default());
        at = at.saturating_add(step);
    }
    Ok(picked)
}
