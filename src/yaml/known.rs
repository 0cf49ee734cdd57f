//! What a schema knows about a place in a document.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::units::HumanDuration;

use super::pointer::Pointer;

/// Longest chain of `$ref`s and alternatives that is followed.
const MAX_STEPS: usize = 16;

/// A schema, to be asked about places in a document.
#[derive(Debug)]
pub(super) struct Known {
    schema: Value,
    /// Every key of the schema with the one place where it belongs; keys that occur at several
    /// places are left out.
    homes: BTreeMap<String, Option<String>>,
}

impl Known {
    /// Wraps a schema.
    pub(super) fn new(schema: Value) -> Self {
        let mut known = Self { schema, homes: BTreeMap::new() };
        let mut homes = BTreeMap::new();
        known.collect_homes(&Pointer::root(), &mut homes);
        known.homes = homes;
        known
    }

    /// The keys that the mapping at a place may hold.
    pub(super) fn keys(&self, pointer: &Pointer) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for schema in self.schemas(pointer) {
            for key in properties(schema).into_iter().flat_map(Map::keys) {
                if !keys.contains(key) {
                    keys.push(key.clone());
                }
            }
        }
        keys
    }

    /// Where a key belongs that is unknown where it stands, dotted; only if there is one place.
    pub(super) fn home(&self, key: &str) -> Option<&str> {
        self.homes.get(key)?.as_deref()
    }

    /// Whether a place must hold a duration.
    pub(super) fn is_duration(&self, pointer: &Pointer) -> bool {
        let is_pattern = |schema: &&Value| schema["pattern"] == HumanDuration::PATTERN;
        self.schemas(pointer).iter().any(is_pattern)
    }

    /// The first sentence that the schema says about a place.
    pub(super) fn description(&self, pointer: &Pointer) -> Option<String> {
        // What stands beside a `$ref` is about this use of it and says more.
        let schemas = self.schemas(pointer);
        let text = schemas.iter().find_map(|schema| schema.get("description")?.as_str())?;
        let sentence = text.split_inclusive(". ").next().unwrap_or(text).trim();
        Some(sentence.replace('\n', " "))
    }

    /// The schemas that apply to a place, references resolved and alternatives side by side.
    fn schemas(&self, pointer: &Pointer) -> Vec<&Value> {
        let mut current = self.expand(&self.schema);
        for segment in pointer.segments() {
            current = current
                .iter()
                .filter_map(|schema| {
                    properties(schema)
                        .and_then(|properties| properties.get(segment))
                        .or_else(|| schema.get("items").filter(|items| items.is_object()))
                        .or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()))
                })
                .flat_map(|schema| self.expand(schema))
                .collect();
        }
        current
    }

    /// A schema with what it refers to and its alternatives.
    fn expand<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let mut all = vec![schema];
        let mut next = 0;
        while next < all.len() && all.len() < MAX_STEPS {
            let schema = all[next];
            next += 1;
            let target = schema.get("$ref").and_then(Value::as_str);
            all.extend(target.and_then(|r| self.schema.pointer(r.strip_prefix('#')?)));
            for keyword in ["oneOf", "anyOf", "allOf"] {
                all.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten());
            }
        }
        all
    }

    /// Notes where every key below a place belongs.
    fn collect_homes(&self, pointer: &Pointer, homes: &mut BTreeMap<String, Option<String>>) {
        if pointer.segments().len() > 4 {
            return;
        }
        for key in self.keys(pointer) {
            let place = pointer.join(&key);
            let home = Some(place.dotted()).filter(|_| !homes.contains_key(&key));
            homes.insert(key, home);
            self.collect_homes(&place, homes);
            if self.schemas(&place).iter().any(|schema| schema.get("items").is_some()) {
                self.collect_homes(&place.join(0), homes);
            }
        }
    }
}

/// The properties of a schema.
fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}
