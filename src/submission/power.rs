//! `system_power.json`: what the user states, completed by what it adds up to.

use serde_json::{Map, Value, json};

use super::names;
use crate::compliance::{FieldFault, Power};

/// The descriptor with its arithmetic done.
///
/// # Errors
/// What is wrong with it; figures that it states itself and that are not ours included.
pub(super) fn complete(
    stated: &Map<String, Value>,
    description: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<FieldFault>> {
    let mut whole = Map::new();
    if !stated.contains_key("system_desc_id") {
        let name = description.get("system_name").and_then(Value::as_str).unwrap_or_default();
        whole.insert("system_desc_id".to_owned(), names::system(name).unwrap_or_default().into());
    }
    whole.extend(stated.clone());
    let text = |map: &Map<String, Value>| Value::Object(map.clone()).to_string();
    let power = Power::of(&text(&whole), &text(description))?;
    for (key, value) in [
        ("computed", json!(power.sums())),
        ("provisioned_power_kw", json!(power.kw())),
        ("mlc_estimated_power", json!(power.is_estimated())),
    ] {
        whole.insert(key.to_owned(), value);
    }
    Ok(whole)
}
