//! JSON as template values, and the beginning of a conversation without a copy.

use std::sync::Arc;

use minijinja::Value;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use serde_json::Value as Json;

/// A JSON value as templates see it.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) => {
            if let Some(number) = number.as_i64() {
                Value::from(number)
            } else if let Some(number) = number.as_u64() {
                Value::from(number)
            } else {
                Value::from(number.as_f64().unwrap_or(f64::NAN))
            }
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(value).collect(),
        Json::Object(map) => {
            Value::from_pairs(map.iter().map(|(key, item)| (key.as_str(), value(item))))
        }
    }
}

/// The first messages of a conversation, as a list that templates can index, slice and iterate.
/// All prefixes of a conversation share its messages.
#[derive(Clone, Debug)]
pub struct Prefix {
    pub(super) messages: Arc<[Value]>,
    pub(super) len: usize,
}

impl Object for Prefix {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let at = key.as_usize().filter(|at| *at < self.len)?;
        self.messages.get(at).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.len)
    }
}
