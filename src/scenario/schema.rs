//! The JSON schema of a scenario file, generated from the types.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use crate::yaml::Schema;

use super::model::Scenario;

/// The JSON schema (draft 2020-12) of a scenario file.
pub fn json_schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<Scenario>();
    Absent.transform(&mut schema);
    let mut schema = Value::from(schema);
    schema["properties"]["extends"] = json!({
        "description": "Another scenario file, relative to this one, onto which this one is merged: \
            mappings key by key, everything else replaces, lists too. An empty value removes the \
            key.",
        "type": "string",
    });
    in_reading_order(schema)
}

/// The document with what it is before what it holds.
fn in_reading_order(schema: Value) -> Value {
    let Value::Object(mut keys) = schema else { return schema };
    let first = ["$schema", "title", "description", "type"];
    let mut ordered: Map<String, Value> =
        first.iter().filter_map(|key| keys.shift_remove_entry(*key)).collect();
    ordered.extend(keys);
    Value::Object(ordered)
}

/// The schema as the file that editors use, with a newline at its end.
pub fn json_schema_text() -> String {
    format!("{:#}\n", json_schema())
}

/// The compiled schema.
pub(super) fn compiled() -> &'static Schema {
    static COMPILED: LazyLock<Schema> =
        LazyLock::new(|| Schema::new(json_schema()).expect("a test compiles the generated schema"));
    &COMPILED
}

/// An optional key is absent, never null: takes the null out of what `Option` generates, so that
/// messages are about the value itself. Loading drops empty values before the schema sees them.
struct Absent;

impl Transform for Absent {
    fn transform(&mut self, schema: &mut schemars::Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
            branches.retain(|branch| branch["type"] != "null");
            if let [Value::Object(only)] = branches.as_slice() {
                let only = only.clone();
                object.shift_remove("anyOf");
                // What is said about this use of a type stays, before what the type says.
                for (key, value) in only {
                    object.entry(key).or_insert(value);
                }
            }
        }
        // Doc comments are wrapped; descriptions are not.
        if let Some(Value::String(text)) = object.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if object.get("default") == Some(&Value::Null) {
            object.shift_remove("default");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generated_schema_compiles() {
        assert!(compiled().keys(&crate::yaml::Pointer::root()).contains(&"model".to_owned()));
    }

    #[test]
    fn no_null_is_left() {
        assert!(!json_schema_text().contains("null"));
    }

    #[test]
    fn every_property_is_described() {
        fn undescribed(path: &str, schema: &Value, root: &Value, found: &mut Vec<String>) {
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                let target = property["$ref"].as_str().and_then(|r| root.pointer(&r[1..]));
                let described = |schema: &Value| schema["description"].is_string();
                if !described(property) && !target.is_some_and(described) {
                    found.push(format!("{path}/{key}"));
                }
                undescribed(&format!("{path}/{key}"), property, root, found);
            }
        }
        let (schema, mut found) = (json_schema(), Vec::new());
        undescribed("", &schema, &schema, &mut found);
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            undescribed(name, definition, &schema, &mut found);
        }
        assert_eq!(found, [] as [&str; 0]);
    }
}
