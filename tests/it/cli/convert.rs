//! A snapshot file converted and replayed: what is sent is what was recorded.

use serde_json::{Value, json};

use super::fixture::serve_in;
use super::process::Sandbox;

/// Two conversations, with growing snapshots of one: tools, parallel calls answered in another order,
/// arguments as text and as an object, empty and missing contents, reasoning, odd characters, a user
/// who speaks right after a result, and an end with and without an answer.
fn conversations() -> [Value; 2] {
    let call = |id: &str, arguments: Value| {
        json!({ "id": id, "type": "function", "index": 0,
                "function": { "name": "weather", "arguments": arguments } })
    };
    let tools = json!([{ "type": "function", "function": { "name": "weather", "strict": true,
        "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } } }]);
    [
        json!({ "id": "with-tools", "tools": tools, "messages": [
            { "role": "system", "content": "You tell the weather.\n\u{2028} " },
            { "role": "user", "content": "Bergen \"and\" Oslo \\ 日本 👍🏽\u{7}" },
            { "role": "assistant", "content": "", "reasoning_content": "Two calls.", "tool_calls": [
                call("a", json!("{\"city\": \"Bergen\"}")), call("b", json!({ "city": "Oslo", "n": 1.0 })) ] },
            { "role": "tool", "tool_call_id": "b", "content": "−3 °C" },
            { "role": "tool", "tool_call_id": "a", "content": "" },
            { "role": "assistant", "content": "Rain." },
            { "role": "user", "content": " again " },
            { "role": "assistant", "content": null, "tool_calls": [call("c", json!("{}"))] },
            { "role": "tool", "tool_call_id": "c", "content": "sun" },
            { "role": "user", "content": "Quick!" },
            { "role": "assistant", "content": "Sun." },
        ] }),
        json!({ "id": "plain", "messages": [
            { "role": "user", "content": "no system prompt" },
            { "role": "assistant", "content": "fine", "reasoning_content": "short" },
            { "role": "user", "content": "go on" },
        ] }),
    ]
}

/// The messages of each request that a conversation consists of; null is the same as absent.
fn requests(conversation: &Value) -> Vec<Value> {
    let messages: Vec<Value> = conversation["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let members = message.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(key, value)| (key.clone(), value.clone())).collect())
        })
        .collect();
    let role = |n: usize| messages.get(n).map_or("", |message| message["role"].as_str().unwrap());
    let ends = (0..messages.len())
        .filter(|n| role(*n) == "user" || (role(*n) == "tool" && role(n + 1) != "tool"));
    ends.map(|n| Value::Array(messages[..=n].to_vec())).collect()
}

#[test]
fn a_converted_snapshot_file_is_replayed_word_for_word() {
    let sandbox = Sandbox::new();
    let [first, second] = conversations();
    let mut earlier = first.clone();
    earlier["messages"].as_array_mut().unwrap().truncate(4);
    sandbox.write("chats.jsonl", &format!("{earlier}\n{second}\n{first}\n"));
    let done = sandbox.run(&["dataset", "convert", "chats.jsonl", "--out", "data.jsonl"]);
    assert_eq!(done.code, Some(0), "{done}");

    let (server, url) = serve_in(&sandbox, &["--record", "requests.jsonl"]);
    sandbox.write(
        "replay.yaml",
        &format!(
            "schema: scenario/v1\nname: replay\nmodel: {{ name: m }}\nendpoint: {{ urls: [\"{url}\"] }}\n\
             datasets: [{{ name: data, path: data.jsonl }}]\nmix: {{ order: sequential }}\n\
             load: {{ concurrency: [1] }}\ncache: {{ salt: false, generated_tokens: keep }}\n"
        ),
    );
    let done = sandbox.run(&["run", "replay.yaml"]);
    assert_eq!(done.code, Some(0), "{done}");
    server.signal("INT");
    drop(server.wait());

    let recorded: Vec<Value> = sandbox
        .read("requests.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["body"].clone())
        .filter(|body| !body.is_null())
        .collect();
    let mut expected = Vec::new();
    for conversation in [&first, &second] {
        for messages in requests(conversation) {
            expected.push((messages, conversation.get("tools").cloned()));
        }
    }
    assert_eq!(expected.len(), 7);
    let sent: Vec<_> = recorded
        .into_iter()
        .map(|body| (body["messages"].clone(), body.get("tools").cloned()))
        .collect();
    for (n, (sent, expected)) in sent.iter().zip(&expected).enumerate() {
        assert_eq!(sent, expected, "request {n}");
    }
    assert_eq!(sent.len(), expected.len());
}
