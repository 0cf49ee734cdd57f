//! Python's generators, dict views and ranges: what can be iterated and is no list.
//!
//! Many of Jinja2's filters are generators. They are always true, have no length, cannot be
//! indexed or written as JSON, and give their items once; templates were written (and mis-written)
//! against that.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr};
use minijinja::{Error, State, Value};

use super::arguments::{Arguments, type_error};
use super::{pytypes, work};

/// The longest range that Jinja2's sandbox makes.
const MAX_RANGE: usize = 100_000;

/// A generator, or the iterator that `reversed` gives.
pub(super) struct Lazy {
    type_name: &'static str,
    items: Mutex<std::vec::IntoIter<Value>>,
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} object>", self.type_name)
    }
}

impl Lazy {
    /// A generator of `items`.
    pub(super) fn generator(items: Vec<Value>) -> Value {
        Self::value("generator", items)
    }

    /// The iterator that `reversed` makes of a list; `items` are in its order.
    pub(super) fn reversed(items: Vec<Value>) -> Value {
        Self::value("list_reverseiterator", items)
    }

    fn value(type_name: &'static str, items: Vec<Value>) -> Value {
        Value::from_object(Self { type_name, items: Mutex::new(items.into_iter()) })
    }

    /// The items that were not taken yet.
    pub(super) fn left(&self) -> std::sync::MutexGuard<'_, std::vec::IntoIter<Value>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Object for Lazy {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Iter(Box::new(Taking(Arc::clone(self))))
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Takes items out of an iterator, so that whoever iterates next goes on behind them. Knows how
/// many are left, as Jinja2's loops do.
struct Taking(Arc<Lazy>);

impl Iterator for Taking {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.0.left().next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.left().size_hint()
    }
}

/// What `keys()`, `values()` and `items()` of a dict give.
#[derive(Debug)]
pub(super) struct View {
    type_name: &'static str,
    items: Vec<Value>,
}

impl View {
    /// The view that the dict's method `method` gives; none for other methods.
    pub(super) fn of(dict: &Value, method: &str) -> Option<Value> {
        let pairs = || pytypes::pairs(dict).into_iter();
        let (type_name, items) = match method {
            "keys" => ("dict_keys", pairs().map(|(key, _)| key).collect()),
            "values" => ("dict_values", pairs().map(|(_, item)| item).collect()),
            "items" => ("dict_items", pairs().map(pytypes::pair).collect()),
            _ => return None,
        };
        Some(Value::from_object(Self { type_name, items }))
    }
}

impl Object for View {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.items.clone())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.items.len())
    }
}

/// What `range(…)` gives.
#[derive(Debug)]
pub(super) struct Range {
    start: i64,
    stop: i64,
    step: i64,
    len: usize,
}

impl Object for Range {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = key.as_usize().filter(|at| *at < self.len)?;
        Some(Value::from(self.start + self.step * i64::try_from(at).ok()?))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.len)
    }
}

/// `range(stop)`, `range(start, stop, step=1)`.
pub(super) fn range(
    state: &State<'_, '_>,
    rest: minijinja::value::Rest<minijinja::value::ValueOrKwargs>,
) -> Result<Value, Error> {
    let mut arguments = Arguments::of(rest);
    let missing = || type_error("range expected at least 1 argument, got 0");
    let first = arguments.integer("start")?.ok_or_else(missing)?;
    let second = arguments.integer("stop")?;
    let step = arguments.integer("step")?.unwrap_or(1);
    arguments.finish()?;
    let (start, stop) = second.map_or((0, first), |stop| (first, stop));
    if step == 0 {
        return Err(type_error("range() arg 3 must not be zero"));
    }
    let (low, high) = if step > 0 { (start, stop) } else { (stop, start) };
    let len = i128::from(high) - i128::from(low);
    let len = usize::try_from(
        (len + i128::from(step.unsigned_abs()) - 1) / i128::from(step.unsigned_abs()),
    );
    let len = len.unwrap_or(0);
    if low < high && len > MAX_RANGE {
        return Err(type_error(format!("a range of more than {MAX_RANGE} numbers")));
    }
    work::charge(state, 1)?;
    Ok(Value::from_object(Range { start, stop, step, len: if low < high { len } else { 0 } }))
}

/// The Python type of an iterator, view or range; none for other values.
pub(super) fn type_name(value: &Value) -> Option<&'static str> {
    if let Some(lazy) = value.downcast_object_ref::<Lazy>() {
        return Some(lazy.type_name);
    }
    if let Some(view) = value.downcast_object_ref::<View>() {
        return Some(view.type_name);
    }
    value.downcast_object_ref::<Range>().map(|_| "range")
}

/// The iterator behind a value, whose items must not be taken by looking at it.
pub(super) fn lazy(value: &Value) -> Option<&Lazy> {
    value.downcast_object_ref::<Lazy>()
}

/// Whether two values are the same where one is an iterator; none where none is.
pub(super) fn same(left: &Value, right: &Value) -> Option<bool> {
    let at = |value: &Value| lazy(value).map(std::ptr::from_ref);
    match (at(left), at(right)) {
        (None, None) => None,
        (left, right) => Some(left == right),
    }
}

/// The text of an iterator, view or range; `depth` is how deep it stands.
///
/// # Errors
/// Items that cannot be printed.
pub(super) fn write_repr(out: &mut String, value: &Value, depth: usize) -> Result<bool, Error> {
    use std::fmt::Write as _;
    if let Some(view) = value.downcast_object_ref::<View>() {
        let _ = write!(out, "{}(", view.type_name);
        pytypes::write_items(out, &Value::from(view.items.clone()), depth)?;
        out.push(')');
    } else if let Some(Range { start, stop, step, .. }) = value.downcast_object_ref::<Range>() {
        let _ = match step {
            1 => write!(out, "range({start}, {stop})"),
            _ => write!(out, "range({start}, {stop}, {step})"),
        };
    } else if let Some(lazy) = lazy(value) {
        let _ = write!(out, "{lazy:?}");
    } else {
        return Ok(false);
    }
    Ok(true)
}
