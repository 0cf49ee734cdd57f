//! Jinja2's tests, where minijinja's differ or are missing.

#![expect(clippy::needless_pass_by_value, reason = "minijinja calls with owned values")]

use minijinja::Value;
use minijinja::value::ValueKind;

use super::iterators;

/// `value is sequence`: whatever has a length and items, texts and maps among them.
pub(super) fn is_sequence(value: Value) -> bool {
    if let Some(name) = iterators::type_name(&value) {
        return name == "range";
    }
    match value.kind() {
        ValueKind::Undefined | ValueKind::String | ValueKind::Seq | ValueKind::Map => true,
        ValueKind::Iterable => value.len().is_some(),
        _ => false,
    }
}

/// `value is iterable`; minijinja takes `none` for an empty list.
pub(super) fn is_iterable(value: Value) -> bool {
    iterators::lazy(&value).is_some() || (!value.is_none() && value.try_iter().is_ok())
}

/// `value is escaped`: a text that is marked safe.
pub(super) fn is_escaped(value: Value) -> bool {
    value.is_safe()
}

/// `value is callable`.
pub(super) fn is_callable(value: Value) -> bool {
    value.as_object().is_some_and(|object| {
        let name = object.type_name();
        ["Function", "Macro", "BoundMethod", "Joiner", "Loop"]
            .iter()
            .any(|kind| name.contains(kind))
    })
}
