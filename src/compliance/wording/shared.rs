//! Messages that several rules share: files that give no value, and fields that do not fit.

use super::{Message, Severity};

const fn error(key: &'static str, found: &'static str, required: &'static str) -> Message {
    Message { key, severity: Severity::Error, found, required }
}

/// The shared messages. The keys of fields that do not fit are pydantic's.
pub(in super::super) const SHARED: &[Message] = &[
    Message { key: "pass", severity: Severity::Note, found: "passed", required: "" },
    error("parse-error", "the file cannot be parsed: {reason}", "a well-formed file"),
    error(
        "io-error",
        "the file cannot be read: {reason}",
        "a readable regular file inside the tree",
    ),
    error("not-a-mapping", "the file is no mapping", "a mapping of fields"),
    error("missing", "{field} is missing", "the field"),
    error(
        "extra_forbidden",
        "{field} is no known field here",
        "only the fields of a sourced value",
    ),
    error("model_type", "{field} is {found}", "a mapping"),
    error("dict_type", "{field} is {found}", "a mapping"),
    error("list_type", "{field} is {found}", "a list"),
    error("too_short", "{field} is {found}", "at least one entry"),
    error("string_type", "{field} is {found}", "a text"),
    error("string_too_short", "{field} is {found}", "a longer text"),
    error("int_type", "{field} is {found}", "a whole number"),
    error("int_parsing", "{field} is {found}", "a whole number"),
    error("int_from_float", "{field} is {found}", "a whole number"),
    error("finite_number", "{field} is {found}", "a finite number"),
    error("float_type", "{field} is {found}", "a number"),
    error("float_parsing", "{field} is {found}", "a number"),
    error("bool_type", "{field} is {found}", "true or false"),
    error("bool_parsing", "{field} is {found}", "true or false"),
    error("greater_than", "{field} is {found}", "a number above 0"),
    error("greater_than_equal", "{field} is {found}", "a number that is not negative"),
    error("less_than_equal", "{field} is {found}", "at most 86400 seconds"),
    error("literal_error", "{field} is {found}", "one of the words that the format knows"),
    error("enum", "{field} is {found}", "one of the words that the format knows"),
];
