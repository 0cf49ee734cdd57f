//! The `bash` calls of a recorded answer and of a reply.

use std::collections::BTreeMap;

use serde_json::Value;

use super::actions::{self, Action};
use super::arguments;
use super::work::Work;
use crate::wire::{Reply, ToolCallDelta};

/// The only tool whose calls count.
const BASH: &str = "bash";

/// The actions of a recorded answer, from its `tool_calls`, a JSON array. What is no call of
/// `bash` with a readable command holds none.
pub(super) fn of_recorded(tool_calls: &str) -> Vec<Action> {
    let mut found = Vec::new();
    let Ok(Value::Array(calls)) = serde_json::from_str(tool_calls) else { return found };
    for call in &calls {
        let function = call.get("function");
        if function.and_then(|function| function.get("name")?.as_str()) != Some(BASH) {
            continue;
        }
        let text = match function.and_then(|function| function.get("arguments")) {
            Some(Value::String(text)) => text.clone(),
            Some(object @ Value::Object(_)) => object.to_string(),
            _ => continue,
        };
        extend(&mut found, &text, &mut Work::default());
    }
    found
}

/// The actions of a reply, its calls ordered by their index in the stream.
pub(super) fn of_reply(reply: &Reply, work: &mut Work) -> Vec<Action> {
    let mut found = Vec::new();
    for call in merged(reply).values().filter(|call| call.name == Some(BASH)) {
        match call.arguments[..] {
            [] => {}
            [whole] => extend(&mut found, whole, work),
            ref parts => extend(&mut found, &parts.concat(), work),
        }
    }
    found
}

fn extend(found: &mut Vec<Action>, arguments: &str, work: &mut Work) {
    work.steps(arguments.len());
    if let Some(command) = arguments::command(arguments) {
        actions::of_command(&command, found, work);
    }
}

/// One call with its fragments in the order of their arrival.
#[derive(Default)]
struct Call<'a> {
    name: Option<&'a str>,
    arguments: Vec<&'a str>,
}

fn merged(reply: &Reply) -> BTreeMap<u32, Call<'_>> {
    let mut calls: BTreeMap<u32, Call<'_>> = BTreeMap::new();
    for ToolCallDelta { index, name, arguments, .. } in
        reply.first_tool_calls.iter().chain(&reply.tool_calls)
    {
        let call = calls.entry(*index).or_default();
        call.name = call.name.or(name.as_deref());
        if !arguments.is_empty() {
            call.arguments.push(arguments);
        }
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(tool_calls: &str) -> Vec<&'static str> {
        of_recorded(tool_calls).into_iter().map(Action::name).collect()
    }

    #[test]
    fn recorded_calls() {
        let cases: [(&str, &[&str]); 10] = [
            (
                r#"[{"function":{"name":"bash","arguments":"{\"command\":\"ls|wc\"}"}}]"#,
                &["ls", "wc"],
            ),
            (r#"[{"function":{"name":"bash","arguments":{"cmd":"ls"}}}]"#, &["ls"]),
            (r#"[{"function":{"name":"Bash","arguments":{"cmd":"ls"}}}]"#, &[]),
            (r#"[{"function":{"name":"bash","arguments":"{\"command\":"}}]"#, &[]),
            (r#"[{"function":{"name":"bash","arguments":null}}]"#, &[]),
            (r#"[{"function":{"name":"bash"}}]"#, &[]),
            (r#"[{"function":null},3,{"name":"bash"},{}]"#, &[]),
            (
                r#"[{"function":{"name":"x","arguments":"{}"}},
                    {"function":{"name":"bash","arguments":{"command":"cat a","cmd":"ls"}}},
                    {"function":{"name":"bash","arguments":"{\"cmd\":\"sed b\"}"}}]"#,
                &["cat", "sed"],
            ),
            ("{}", &[]),
            ("", &[]),
        ];
        for (calls, expected) in cases {
            assert_eq!(recorded(calls), expected, "{calls}");
        }
    }

    fn delta(index: u32, name: Option<&str>, arguments: &str) -> ToolCallDelta {
        let (name, arguments) = (name.map(str::to_owned), arguments.to_owned());
        ToolCallDelta { index, id: None, name, arguments }
    }

    #[test]
    fn replies_are_merged_by_index() {
        let reply = Reply {
            first_tool_calls: vec![delta(1, Some("bash"), "{\"cmd\":\"gr")],
            tool_calls: vec![
                delta(0, Some("bash"), "{\"command\":\"ls\"}"),
                delta(1, None, "ep x\"}"),
                delta(2, Some("read"), "{\"command\":\"cat\"}"),
                delta(3, None, "{\"command\":\"cat\"}"),
                delta(4, Some("bash"), ""),
                delta(5, Some("bash"), "{\"command\":\"cat"),
            ],
            ..Reply::default()
        };
        let names: Vec<_> =
            of_reply(&reply, &mut Work::default()).into_iter().map(Action::name).collect();
        assert_eq!(names, ["ls", "grep"]);
    }
}
