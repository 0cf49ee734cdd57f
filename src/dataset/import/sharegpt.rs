//! `ShareGPT`: `{"id", "conversations": [{"from", "value"}]}`, as lines or in one array.
//!
//! Lost: everything but `from`, `value` and `system`. `function_call` and `observation` turns
//! become a call of the function that their JSON names and its result.

use super::super::findings::excerpt;
use super::super::json::{self, Members};
use super::draft::{Call, Draft, Step, What};
use super::parts;

/// Reads one conversation.
pub(super) fn read(line: u64, members: &Members<'_>) -> Result<Draft, String> {
    let mut draft = Draft {
        line,
        id: parts::first_text(members, &["id", "conversation_id"]),
        system: parts::first_text(members, &["system", "system_prompt"]),
        ..Draft::default()
    };
    let raw = members.get("conversations").ok_or("`conversations` is missing")?;
    let list = json::array(raw).map_err(|why| format!("`conversations` {why}"))?;
    let mut calls = 0;
    for (n, turn) in list.into_iter().enumerate() {
        let place = format!("conversations[{n}]");
        let turn = json::object(turn).map_err(|why| format!("`{place}` {why}"))?;
        let from = parts::first_text(&turn, &["from", "role"])
            .ok_or_else(|| format!("`{place}.from` is missing"))?;
        let value = turn.get("value").or_else(|| turn.get("content"));
        let value =
            value.map(json::text).transpose().map_err(|why| format!("`{place}.value` {why}"))?;
        let value = value.unwrap_or_default();
        let what = match from.as_str() {
            "system" if draft.steps.is_empty() => {
                draft.system = Some(value);
                continue;
            }
            "human" | "user" | "system" => What::User(value),
            "gpt" | "assistant" | "chatgpt" | "bing" | "bard" | "model" => What::Assistant {
                content: Some(value),
                reasoning: String::new(),
                calls: Vec::new(),
            },
            "function_call" | "tool_call" => {
                calls += 1;
                What::Assistant {
                    content: None,
                    reasoning: String::new(),
                    calls: vec![call(&value, calls)],
                }
            }
            "observation" | "tool" | "function_response" | "tool_response" => {
                What::Result { id: Some(format!("call_{calls}")), content: value }
            }
            other => return Err(format!("`{place}.from` is {}", excerpt(other))),
        };
        draft.steps.push(Step { place, at: None, what });
    }
    Ok(draft)
}

/// `{"name": …, "arguments": …}` as a call.
fn call(value: &str, n: u64) -> Call {
    let id = Some(format!("call_{n}"));
    let named = Members::parse(value).ok();
    let name = named.as_ref().and_then(|members| parts::first_text(members, &["name"]));
    if let (Some(name), Some(members)) = (name, named) {
        let arguments = parts::arguments(members.get("arguments"));
        return Call { id, name, arguments, whole: None };
    }
    Call { id, name: "function".to_owned(), arguments: parts::quoted(value), whole: None }
}
