//! What happens to messages before a template sees them.

use serde_json::{Map, Value as Json};

/// How message objects are prepared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// As they are, keys with null included: what the reference client counts with (its recorded
    /// input lengths hold the printed `None`s), and what a template gets from
    /// `render_jinja_template` of older transformers.
    #[default]
    AsGiven,
    /// As `apply_chat_template` of transformers 5.24 prepares them: keys whose value is null are
    /// dropped, and `reasoning_content`, `thinking` and `reasoning` stand in for each other.
    Transformers,
}

/// The names under which a message's reasoning is known, best first.
const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// One message, prepared.
pub(super) fn prepare(message: &Json, convention: Convention, parse: bool) -> Json {
    let mut message = message.clone();
    if parse {
        parse_arguments(&mut message);
    }
    match (convention, message) {
        (Convention::Transformers, Json::Object(map)) => Json::Object(normalized(map)),
        (_, message) => message,
    }
}

fn normalized(map: Map<String, Json>) -> Map<String, Json> {
    let mut message: Map<String, Json> =
        map.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let reasoning = REASONING.iter().find_map(|name| message.get(*name)).cloned();
    if let Some(reasoning) = reasoning {
        if !message.contains_key("thinking") {
            message.shift_insert(0, "thinking".to_owned(), reasoning.clone());
        }
        message.insert("reasoning_content".to_owned(), reasoning);
    }
    message
}

/// Replaces tool-call arguments that are the JSON text of an object by the object; texts that are
/// not stay as they are.
pub fn parse_arguments(message: &mut Json) {
    let Some(calls) = message.get_mut("tool_calls").and_then(Json::as_array_mut) else { return };
    for call in calls {
        let arguments = match call.get_mut("function") {
            Some(function) => function.get_mut("arguments"),
            None => call.get_mut("arguments"),
        };
        let Some(arguments) = arguments else { continue };
        let Some(text) = arguments.as_str() else { continue };
        if let Ok(object @ Json::Object(_)) = serde_json::from_str(text) {
            *arguments = object;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_become_objects_where_they_are() {
        let mut message = json!({"tool_calls": [
            {"function": {"name": "a", "arguments": "{\"b\": [1, \"é\"]}"}},
            {"function": {"name": "a", "arguments": "{\"b\": "}},
            {"function": {"name": "a", "arguments": "[1]"}},
            {"function": {"name": "a", "arguments": {"c": 1}}},
            {"name": "a", "arguments": "{}"},
        ]});
        parse_arguments(&mut message);
        assert_eq!(
            message,
            json!({"tool_calls": [
                {"function": {"name": "a", "arguments": {"b": [1, "é"]}}},
                {"function": {"name": "a", "arguments": "{\"b\": "}},
                {"function": {"name": "a", "arguments": "[1]"}},
                {"function": {"name": "a", "arguments": {"c": 1}}},
                {"name": "a", "arguments": {}},
            ]})
        );
    }

    #[test]
    fn transformers_drops_nulls_and_names_reasoning() {
        let message =
            json!({"role": "assistant", "content": null, "reasoning": "r", "tool_calls": []});
        assert_eq!(
            prepare(&message, Convention::Transformers, true).to_string(),
            r#"{"thinking":"r","role":"assistant","reasoning":"r","tool_calls":[],"reasoning_content":"r"}"#
        );
        assert_eq!(prepare(&message, Convention::AsGiven, true), message);
    }
}
