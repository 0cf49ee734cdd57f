//! The messages of a trajectory, as its requests carry them without salt.

use serde_json::{Map, Value as Json, json};

use crate::dataset::{Message, Row, Trajectory};
use crate::wire::{Reply, Text, ToolCallDelta};

/// The system message, where there is one.
pub(super) fn system(trajectory: &Trajectory) -> Option<Json> {
    let text = trajectory.system.as_ref()?;
    Some(json!({ "role": "system", "content": text }))
}

/// The messages of one row: one, or one for each tool result.
pub(super) fn of_row(row: &Row) -> Vec<Json> {
    match &row.message {
        Message::User { content } => vec![json!({ "role": "user", "content": content })],
        Message::Tool { results } => results
            .iter()
            .map(|result| {
                json!({ "role": "tool", "content": result.content, "tool_call_id": result.tool_call_id })
            })
            .collect(),
        Message::Assistant { content, reasoning, tool_calls, .. } => {
            let mut message = Map::new();
            message.insert("role".to_owned(), "assistant".into());
            if let Some(content) = content {
                message.insert("content".to_owned(), content.as_str().into());
            }
            if let Some(calls) = parsed(tool_calls.as_deref()) {
                message.insert("tool_calls".to_owned(), calls);
            }
            if let Some(reasoning) = reasoning {
                message.insert("reasoning_content".to_owned(), reasoning.as_str().into());
            }
            vec![Json::Object(message)]
        }
    }
}

/// The recorded answer as a reply; none for a request.
pub(super) fn reply(row: &Row) -> Option<Reply> {
    let Message::Assistant { content, reasoning, tool_calls, .. } = &row.message else {
        return None;
    };
    let text = |text: &Option<String>| Text {
        first: String::new(),
        rest: text.clone().unwrap_or_default(),
    };
    let calls = parsed(tool_calls.as_deref()).unwrap_or_default();
    let calls = (0..).zip(calls.as_array().into_iter().flatten()).map(|(index, call)| {
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let word = |value: &Json| value.as_str().map(str::to_owned);
        ToolCallDelta { index, id: word(&call["id"]), name: word(&function["name"]), arguments }
    });
    Some(Reply {
        content: text(content),
        reasoning: text(reasoning),
        tool_calls: calls.collect(),
        ..Reply::default()
    })
}

/// JSON that the reader checked.
pub(super) fn parsed(text: Option<&str>) -> Option<Json> {
    serde_json::from_str(text?).ok()
}
