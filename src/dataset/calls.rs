//! Tool definitions, tool calls and tool results.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::findings::excerpt;
use super::json::{self, Members, Unfit};
use super::model::ToolResult;

/// What is wrong with tool calls.
pub(super) enum Problem {
    /// They cannot be sent.
    Error(Unfit),
    /// They can be sent as recorded, with consequences.
    Odd(Unfit),
}

/// Checks `tools`: an array of OpenAI function definitions.
pub(super) fn check_tools(raw: &RawValue) -> Result<(), Unfit> {
    let tools = json::array(raw).map_err(|why| format!("`tools` {why}"))?;
    if tools.is_empty() {
        return Err("`tools` is empty; leave it out where there are none".to_owned());
    }
    for (n, tool) in tools.into_iter().enumerate() {
        let place = format!("tools[{n}]");
        let members = json::object(tool).map_err(|why| format!("`{place}` {why}"))?;
        function(&members, &place)?;
    }
    Ok(())
}

/// The members of `{type: function, function: {name, …}}`'s `function`.
fn function<'a>(members: &Members<'a>, place: &str) -> Result<Members<'a>, Unfit> {
    let kind = non_empty(members, "type", place)?;
    if kind != "function" {
        return Err(format!("`{place}.type` is {}, expected `function`", excerpt(&kind)));
    }
    let function =
        members.get("function").ok_or_else(|| format!("`{place}.function` is missing"))?;
    let function = json::object(function).map_err(|why| format!("`{place}.function` {why}"))?;
    non_empty(&function, "name", &format!("{place}.function"))?;
    Ok(function)
}

/// The text of a member that must be there and not empty.
fn non_empty(members: &Members<'_>, key: &str, place: &str) -> Result<String, Unfit> {
    let raw = members.get(key).ok_or_else(|| format!("`{place}.{key}` is missing"))?;
    let text = json::text(raw).map_err(|why| format!("`{place}.{key}` {why}"))?;
    if text.is_empty() { Err(format!("`{place}.{key}` is empty")) } else { Ok(text) }
}

/// Checks `tool_calls`; returns the ids of the calls and what is wrong.
pub(super) fn check_calls(raw: &RawValue) -> (Vec<String>, Vec<Problem>) {
    let (mut ids, mut problems) = (Vec::new(), Vec::new());
    let calls = match json::array(raw) {
        Ok(calls) => calls,
        Err(why) => return (ids, vec![Problem::Error(format!("`tool_calls` {why}"))]),
    };
    if calls.is_empty() {
        let why = "`tool_calls` is empty; leave it out where there are none".to_owned();
        problems.push(Problem::Error(why));
    }
    let mut seen = BTreeSet::new();
    for (n, call) in calls.into_iter().enumerate() {
        let place = format!("tool_calls[{n}]");
        let members = match json::object(call) {
            Ok(members) => members,
            Err(why) => {
                problems.push(Problem::Error(format!("`{place}` {why}")));
                continue;
            }
        };
        match non_empty(&members, "id", &place) {
            Ok(id) => {
                if !seen.insert(id.clone()) {
                    let why = format!("`{place}.id` {} is given twice", excerpt(&id));
                    problems.push(Problem::Error(why));
                }
                ids.push(id);
            }
            Err(why) => problems.push(Problem::Error(why)),
        }
        match function(&members, &place) {
            Ok(function) => {
                problems.extend(check_arguments(&function, &format!("{place}.function.arguments")));
            }
            Err(why) => problems.push(Problem::Error(why)),
        }
    }
    (ids, problems)
}

fn check_arguments(function: &Members<'_>, place: &str) -> Option<Problem> {
    let Some(raw) = function.get("arguments") else {
        return Some(Problem::Error(format!("`{place}` is missing")));
    };
    if json::kind(raw) == "an object" {
        return None;
    }
    let text = match json::borrowed_text(raw) {
        Ok(text) => text,
        Err(why) => {
            return Some(Problem::Error(format!("`{place}` {why}, or an object")));
        }
    };
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(value) if json::kind(value) == "an object" => None,
        Ok(value) => {
            Some(Problem::Odd(format!("`{place}` holds {}, expected an object", json::kind(value))))
        }
        Err(_) => Some(Problem::Odd(format!("`{place}` is not JSON text ({})", excerpt(&text)))),
    }
}

/// What `tool_results` hold.
#[derive(Default)]
pub(super) struct Results {
    /// The results that can be used.
    pub(super) list: Vec<ToolResult>,
    /// What is wrong with the others.
    pub(super) problems: Vec<Unfit>,
    /// Keys of results that are not sent.
    pub(super) unknown: BTreeSet<String>,
}

/// Reads `tool_results`.
pub(super) fn read_results(raw: &RawValue) -> Results {
    let mut results = Results::default();
    let entries = match json::array(raw) {
        Ok(entries) => entries,
        Err(why) => {
            results.problems.push(format!("`tool_results` {why}"));
            return results;
        }
    };
    if entries.is_empty() {
        results.problems.push("`tool_results` is empty".to_owned());
    }
    for (n, entry) in entries.into_iter().enumerate() {
        match read_result(entry, &format!("tool_results[{n}]"), &mut results.unknown) {
            Ok(result) => results.list.push(result),
            Err(why) => results.problems.push(why),
        }
    }
    results
}

fn read_result(
    raw: &RawValue,
    place: &str,
    unknown: &mut BTreeSet<String>,
) -> Result<ToolResult, Unfit> {
    let members = json::object(raw).map_err(|why| format!("`{place}` {why}"))?;
    let keys = members.iter().map(|(key, _)| key);
    unknown
        .extend(keys.filter(|key| !matches!(*key, "tool_call_id" | "content")).map(str::to_owned));
    let tool_call_id = non_empty(&members, "tool_call_id", place)?;
    // A tool may well print nothing: empty content is content.
    let content = members.get("content").ok_or_else(|| format!("`{place}.content` is missing"))?;
    let content = json::text(content).map_err(|why| format!("`{place}.content` {why}"))?;
    Ok(ToolResult { tool_call_id, content })
}
