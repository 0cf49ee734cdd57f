//! `scenario probe` against servers that each do something in their own way.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

/// A run of `scenario probe` that ended.
struct Done {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, stdout, stderr } = self;
        write!(f, "exit code: {code:?}\n{}\n-- stderr --\n{}", stdout.trim(), stderr.trim())
    }
}

/// Runs `scenario probe` with nothing but these variables in its environment.
fn run(arguments: &[&str], env: &[(&str, &str)]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scenario"));
    command.arg("probe").args(arguments).env_clear().envs(env.iter().copied());
    let output = command.output().unwrap();
    Done {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Compares with an inline snapshot, with what differs from run to run replaced.
macro_rules! assert_done {
    ($done:expr, @$expected:literal) => {{
        let done = $done;
        insta::with_settings!({filters => vec![
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[PORT]"),
            (r"\b\d+(\.\d+)? ms\b", "[TIME]"),
            (r"about \d+ s", "about [SECONDS]"),
        ]}, {
            insta::assert_snapshot!(done.to_string(), @$expected);
        });
    }};
}

/// What a server does; the default is a good one.
#[derive(Clone, Copy)]
struct Server {
    /// Whether this chat request is refused, and with what.
    refuse: fn(&str, &Value) -> Option<&'static str>,
    models: &'static str,
    reasoning_key: &'static str,
    cached: Option<u64>,
    stream: bool,
    usage: bool,
    date: &'static str,
    /// An idle connection is closed after this time; zero closes each after one answer.
    idle: Duration,
}

const GOOD: Server = Server {
    refuse: |_, _| None,
    models: r#"{"data":[{"id":"tiny"},{"id":"large"}]}"#,
    reasoning_key: "reasoning",
    cached: Some(96),
    stream: true,
    usage: true,
    date: "",
    idle: Duration::from_secs(30),
};

impl Server {
    /// Serves in the background for as long as the test lives; gives the base URL.
    fn start(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(self);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let server = Arc::clone(&server);
                std::thread::spawn(move || server.serve(connection.unwrap()));
            }
        });
        url
    }

    fn serve(&self, mut connection: TcpStream) {
        let at_once = self.idle.is_zero();
        let wait = if at_once { GOOD.idle } else { self.idle };
        connection.set_read_timeout(Some(wait)).unwrap();
        let mut buffer = Vec::new();
        while let Some((head, body)) = request(&mut connection, &mut buffer) {
            let answer = self.answer(&head, &body);
            if connection.write_all(answer.as_bytes()).is_err() || at_once {
                return;
            }
        }
    }

    fn answer(&self, head: &str, body: &str) -> String {
        let line = head.lines().next().unwrap();
        if line.starts_with("GET /health ") {
            return self.page("200 OK", "");
        }
        if line.starts_with("GET /v1/models ") {
            return self.page("200 OK", self.models);
        }
        assert!(line.starts_with("POST /v1/chat/completions "), "{line}");
        let body: Value = serde_json::from_str(body).unwrap();
        if let Some(text) = (self.refuse)(&head.to_ascii_lowercase(), &body) {
            return self.page("400 Bad Request", &json!({"error": {"message": text}}).to_string());
        }
        let mut delta = json!({"role": "assistant"});
        delta[self.reasoning_key] = json!("hm");
        if !self.stream {
            let whole = json!({"choices": [{"message": delta, "finish_reason": "stop"}]});
            return self.page("200 OK", &whole.to_string());
        }
        let mut events = Vec::new();
        for delta in [json!({"role": "assistant"}), delta, json!({"content": "hello"})] {
            events.push(json!({"choices": [{"index": 0, "delta": delta}]}));
        }
        events.push(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
        if self.usage && body["stream_options"]["include_usage"] == json!(true) {
            let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 2});
            if let Some(cached) = self.cached {
                usage["prompt_tokens_details"] = json!({"cached_tokens": cached});
            }
            events.push(json!({"choices": [], "usage": usage}));
        }
        events.push(json!("[DONE]"));
        let events: Vec<String> = events.iter().map(Value::to_string).collect();
        let text =
            format!("data: {}\n\n", events.join("\n\ndata: ")).replace("\"[DONE]\"", "[DONE]");
        self.page("200 OK", &text)
    }

    fn page(&self, status: &str, body: &str) -> String {
        let date =
            if self.date.is_empty() { String::new() } else { format!("date: {}\r\n", self.date) };
        format!("HTTP/1.1 {status}\r\n{date}content-length: {}\r\n\r\n{body}", body.len())
    }
}

/// The next request's head and body; none when the client is gone or idled too long.
fn request(connection: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<(String, String)> {
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8(buffer.clone()).unwrap();
        if let Some((head, rest)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
            });
            let length = length.map_or(0, |length| length.parse().unwrap());
            if let Some(body) = rest.get(..length) {
                buffer.drain(..head.len() + 4 + length);
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        match connection.read(&mut piece) {
            // Gone, or idle for too long.
            Ok(0) | Err(_) => return None,
            Ok(read) => buffer.extend_from_slice(&piece[..read]),
        }
    }
}

fn probe(server: Server, more: &[&str]) -> Done {
    let url = server.start();
    let mut arguments = vec![url.as_str(), "--idle-wait", "0s"];
    arguments.extend(more);
    run(&arguments, &[])
}

#[test]
fn a_good_server_is_ready() {
    assert_done!(probe(GOOD, &[]), @r"
    exit code: Some(0)
    http://127.0.0.1:[PORT]  model tiny

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      skipped  clock       the server sends no Date
      ok       models      tiny, large
      ok       streaming   2 fragments in 6 events, the first after [TIME]
      ok       session     the session header is accepted
      ok       usage       100 prompt and 2 completion tokens in the stream
      ok       cache       96 of 100 prompt tokens cached the second time
      ok       reasoning   streamed as `reasoning`
      ok       tools       accepted; the model called none
      ok       history     tool calls, results and `reasoning_content` are accepted
      skipped  keep-alive  not looked at (--idle-wait 0s)

    ready for a replay
    -- stderr --
    ");
}

#[test]
fn json_holds_the_same_and_the_facts() {
    let done = probe(GOOD, &["--format", "json", "--model", "large"]);
    assert_eq!(done.code, Some(0));
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    insta::assert_json_snapshot!(report, {
        ".url" => "[URL]",
        ".checks[0].found" => "[FOUND]",
        ".checks[3].found" => "[FOUND]",
        ".facts.connect_ms" => "[MS]",
        ".facts.first_token_ms" => "[MS]",
    }, @r#"
    {
      "url": "[URL]",
      "model": "large",
      "ready": true,
      "checks": [
        {
          "check": "alive",
          "status": "ok",
          "found": "[FOUND]"
        },
        {
          "check": "clock",
          "status": "skipped",
          "found": "the server sends no Date"
        },
        {
          "check": "models",
          "status": "ok",
          "found": "tiny, large"
        },
        {
          "check": "streaming",
          "status": "ok",
          "found": "[FOUND]"
        },
        {
          "check": "session",
          "status": "ok",
          "found": "the session header is accepted"
        },
        {
          "check": "usage",
          "status": "ok",
          "found": "100 prompt and 2 completion tokens in the stream"
        },
        {
          "check": "cache",
          "status": "ok",
          "found": "96 of 100 prompt tokens cached the second time"
        },
        {
          "check": "reasoning",
          "status": "ok",
          "found": "streamed as `reasoning`"
        },
        {
          "check": "tools",
          "status": "ok",
          "found": "accepted; the model called none"
        },
        {
          "check": "history",
          "status": "ok",
          "found": "tool calls, results and `reasoning_content` are accepted"
        },
        {
          "check": "keep-alive",
          "status": "skipped",
          "found": "not looked at (--idle-wait 0s)"
        }
      ],
      "facts": {
        "connect_ms": "[MS]",
        "models": [
          "tiny",
          "large"
        ],
        "stream_events": 6,
        "stream_fragments": 2,
        "first_token_ms": "[MS]",
        "reasoning_key": "reasoning",
        "usage_in_stream": true,
        "prompt_tokens": 100,
        "cached_tokens": 96,
        "tool_called": false,
        "idle_close_ms": null,
        "clock_offset_s": null
      }
    }
    "#);
}

#[test]
fn what_only_needs_a_setting_is_a_note() {
    let refuse = |_: &str, body: &Value| {
        let history = body["messages"].as_array().unwrap();
        if body.get("stream_options").is_some() {
            Some("unknown field stream_options")
        } else if history.iter().any(|message| message.get("reasoning_content").is_some()) {
            Some("unknown field reasoning_content")
        } else {
            None
        }
    };
    let server = Server { refuse, date: "Tue, 15 Nov 1994 08:12:31 GMT", ..GOOD };
    let done = probe(server, &["--model", "other"]);
    assert_done!(done, @r"
    exit code: Some(0)
    http://127.0.0.1:[PORT]  model other

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      note     clock       the server's is about [SECONDS] behind ours
                           -> results are timed by ours alone; only the server's own logs are shifted
      note     models      tiny, large; `other` is not among them
      ok       streaming   2 fragments in 5 events, the first after [TIME]
      ok       session     the session header is accepted
      note     usage       HTTP 400: unknown field stream_options
                           -> set endpoint.usage: false; then the server gives no token counts
      skipped  cache       needs token counts
      ok       reasoning   streamed as `reasoning`
      ok       tools       accepted; the model called none
      note     history     HTTP 400: unknown field reasoning_content
                           -> set endpoint.reasoning_field: reasoning
      skipped  keep-alive  not looked at (--idle-wait 0s)

    ready for a replay
    -- stderr --
    ");
}

#[test]
fn what_a_replay_needs_and_is_not_there_is_exit_code_1() {
    let refuse = |_: &str, body: &Value| body.get("tools").map(|_| "no tool parser is set");
    assert_done!(probe(Server { refuse, cached: None, ..GOOD }, &[]), @r"
    exit code: Some(1)
    http://127.0.0.1:[PORT]  model tiny

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      skipped  clock       the server sends no Date
      ok       models      tiny, large
      ok       streaming   2 fragments in 6 events, the first after [TIME]
      ok       session     the session header is accepted
      ok       usage       100 prompt and 2 completion tokens in the stream
      note     cache       cached tokens are not reported
                           -> vLLM: --enable-prompt-tokens-details, SGLang: --enable-cache-report
      ok       reasoning   streamed as `reasoning`
      missing  tools       HTTP 400: no tool parser is set
                           -> vLLM: --enable-auto-tool-choice --tool-call-parser NAME
      missing  history     HTTP 400: no tool parser is set
      skipped  keep-alive  not looked at (--idle-wait 0s)

    not ready for a replay: 2 things are missing
    -- stderr --
    ");
    assert_done!(probe(Server { stream: false, ..GOOD }, &[]), @r"
    exit code: Some(1)
    http://127.0.0.1:[PORT]  model tiny

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      skipped  clock       the server sends no Date
      ok       models      tiny, large
      missing  streaming   the reply came as one JSON body
                           -> without streaming there is no time to first token
      ok       session     the session header is accepted
      skipped  usage       needs what is missing above
      skipped  cache       needs what is missing above
      skipped  reasoning   needs what is missing above
      skipped  tools       needs what is missing above
      skipped  history     needs what is missing above
      skipped  keep-alive  not looked at (--idle-wait 0s)

    not ready for a replay: 1 thing is missing
    -- stderr --
    ");
    assert_done!(probe(Server { models: "{}", ..GOOD }, &[]), @r"
    exit code: Some(1)
    http://127.0.0.1:[PORT]

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      skipped  clock       the server sends no Date
      missing  models      the server lists none, so there is none to ask
                           -> --model NAME says which to ask
      skipped  streaming   needs what is missing above
      skipped  session     needs what is missing above
      skipped  usage       needs what is missing above
      skipped  cache       needs what is missing above
      skipped  reasoning   needs what is missing above
      skipped  tools       needs what is missing above
      skipped  history     needs what is missing above
      skipped  keep-alive  not looked at (--idle-wait 0s)

    not ready for a replay: 1 thing is missing
    -- stderr --
    ");
    let refuse = |head: &str, _: &Value| {
        head.contains("x-conversation: scenario-probe").then_some("unknown header")
    };
    let done = probe(Server { refuse, ..GOOD }, &["--session-header", "X-Conversation"]);
    assert_done!(done, @r"
    exit code: Some(1)
    http://127.0.0.1:[PORT]  model tiny

      ok       alive       connects in [TIME]; /health says 200 in [TIME]
      skipped  clock       the server sends no Date
      ok       models      tiny, large
      ok       streaming   2 fragments in 6 events, the first after [TIME]
      missing  session     HTTP 400: unknown header
                           -> without the session header the request is taken
      ok       usage       100 prompt and 2 completion tokens in the stream
      ok       cache       96 of 100 prompt tokens cached the second time
      ok       reasoning   streamed as `reasoning`
      ok       tools       accepted; the model called none
      ok       history     tool calls, results and `reasoning_content` are accepted
      skipped  keep-alive  not looked at (--idle-wait 0s)

    not ready for a replay: 1 thing is missing
    -- stderr --
    ");
}

#[test]
fn the_idle_close_is_measured() {
    for (idle_ms, word) in [(0, "at once"), (200, "set endpoint.max_idle below that")] {
        let server = Server { idle: Duration::from_millis(idle_ms), ..GOOD };
        let url = server.start();
        let done = run(&[&url, "--idle-wait", "2s", "--quiet"], &[]);
        assert!(done.stdout.contains(word), "{done}");
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    }
    let done = run(&[&GOOD.start(), "--idle-wait", "200ms", "--quiet"], &[]);
    assert!(done.stdout.contains("an idle connection is still open after 200ms"), "{done}");
}

#[test]
fn what_cannot_be_reached_is_exit_code_3() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_done!(run(&[&format!("http://{closed}")], &[]), @r"
    exit code: Some(3)

    -- stderr --
    error: cannot connect to http://127.0.0.1:[PORT]: Connection refused (os error 111); is the server running?
    ");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let _ = connection.unwrap().write_all(b"SSH-2.0-OpenSSH_9.6\r\n");
        }
    });
    let done = run(&[&url, "--idle-wait", "0s"], &[]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(3), ""));
    let expected = format!("error: {url}: no HTTP server answers there\n  because: connects in ");
    assert!(done.stderr.starts_with(&expected), "{done}");
}

#[test]
fn wrong_usage_is_exit_code_2() {
    assert_done!(run(&["localhost:8000"], &[]), @r"
    exit code: Some(2)

    -- stderr --
    error: endpoint URL `localhost:8000`: no scheme; write http://… or https://…
    ");
    assert_done!(run(&["http://h", "--api-key-env", "NO_SUCH_KEY"], &[]), @r"
    exit code: Some(2)

    -- stderr --
    error: --api-key-env: the environment variable NO_SUCH_KEY is not set
    ");
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let refuse = |head: &str, _: &Value| {
        let keyed = head.contains("authorization: bearer sk-0815");
        Some(if keyed { "no credit on key sk-0815" } else { "no key" })
    };
    let url = Server { refuse, ..GOOD }.start();
    for format in ["human", "json"] {
        let arguments =
            [&url, "--api-key-env", "THE_KEY", "--format", format, "--idle-wait", "1ms"];
        let done = run(&arguments, &[("THE_KEY", "sk-0815")]);
        assert_eq!(done.code, Some(1));
        assert!(done.stdout.contains("no credit on key ***"), "{done}");
        assert!(!done.to_string().contains("0815"), "{done}");
    }
}
