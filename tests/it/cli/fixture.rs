//! A small data set and scenarios on it.

use std::fmt::Write as _;

use super::process::{Running, Sandbox};

/// Client turns of the data set.
pub(crate) const TURNS: u64 = 12;

/// Three conversations of four turns, with reasoning, tool calls and recorded answers.
pub(crate) fn dataset() -> String {
    let mut out = String::new();
    for conversation in ["one", "two", "three"] {
        let tools = r#"[{"type":"function","function":{"name":"bash","parameters":{}}}]"#;
        let mut turn = 0;
        let mut row = |fields: &str| {
            turn += 1;
            let id = format!(r#""conversation_id":"{conversation}","turn":{turn}"#);
            let _ = writeln!(out, "{{{id},{fields}}}");
        };
        row(&format!(
            r#""role":"user","content":"Größe?","system":"Be brief.","delay_seconds":0.01,"tools":{tools}"#
        ));
        for call in ["a", "b", "c"] {
            let arguments = r#"{\"command\":\"ls\"}"#;
            row(&format!(
                r#""role":"assistant","content":null,"reasoning_content":"Look into {call} first.","tool_calls":[{{"id":"{call}","type":"function","function":{{"name":"bash","arguments":"{arguments}"}}}}]"#
            ));
            row(&format!(
                r#""role":"tool","delay_seconds":0.01,"tool_results":[{{"tool_call_id":"{call}","content":"total {call}"}}]"#
            ));
        }
        row(r#""role":"assistant","content":"It is small.""#);
    }
    out
}

/// A scenario on `endpoint` (a YAML mapping), with further lines at its end.
pub(crate) fn scenario(endpoint: &str, more: &str) -> String {
    let load = if more.contains("load:") { "" } else { "load: { concurrency: [1, 2] }\n" };
    format!(
        "schema: scenario/v1\nname: small\nmodel: {{ name: m }}\nendpoint: {endpoint}\n\
         datasets: [{{ name: data, path: data.jsonl }}]\n{load}{more}"
    )
}

/// A sandbox with the data set, and `small.yaml` on the embedded simulated endpoint.
pub(crate) fn simulated(more: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("data.jsonl", &dataset());
    let endpoint = "{ simulated: { ttft: 2ms, inter_token: 1ms } }";
    sandbox.write("small.yaml", &scenario(endpoint, more));
    sandbox
}

/// A sandbox with a `scenario serve` of its own, and `small.yaml` on that server.
pub(crate) fn served(serve: &[&str], more: &str) -> (Sandbox, Running) {
    let sandbox = Sandbox::new();
    sandbox.write("data.jsonl", &dataset());
    let (server, url) = serve_in(&sandbox, serve);
    sandbox.write("small.yaml", &scenario(&format!("{{ urls: [\"{url}\"] }}"), more));
    (sandbox, server)
}

/// Starts `scenario serve` on a free port; tells its URL.
pub(crate) fn serve_in(sandbox: &Sandbox, more: &[&str]) -> (Running, String) {
    let mut arguments = vec!["serve", "--port", "0", "--ttft", "2ms", "--inter-token", "1ms"];
    arguments.extend(["--replies", "data.jsonl"]);
    arguments.extend(more);
    let mut server = sandbox.start(&arguments);
    let url = server.stdout_until(|line| line.starts_with("http").then(|| line.to_owned()));
    (server, url)
}
