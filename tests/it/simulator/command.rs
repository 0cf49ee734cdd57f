//! `scenario serve` as a process.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const REPLAY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/reference-replay");

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scenario"));
    command.arg("serve").args(arguments).env_clear().env("SERVE_KEY", "sesame");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server; killed when dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let mut child = command(&[&["--port", "0"], arguments].concat()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim_end().to_owned() }
    }

    /// Posts a chat request and reads the whole reply.
    fn post(&self, session: &str, body: &str) -> String {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(
            stream,
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer sesame\r\nX-Session-ID: {session}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    /// Sends a signal, and waits for the end.
    fn stop(&mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), errors)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first recorded request of a session whose reply is recorded, too.
fn recorded_request(session: &str) -> String {
    let requests = std::fs::read_to_string(Path::new(REPLAY).join("requests.jsonl")).unwrap();
    requests
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|request| request["session_id"] == session)
        .map(|request| request["body"].to_string())
        .unwrap()
}

#[test]
fn serves_recorded_replies_and_records_requests() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("requests.jsonl");
    let record = record.to_str().unwrap();
    let dataset = Path::new(REPLAY).join("dataset.jsonl");
    let mut server = Server::start(&[
        "--replies",
        dataset.to_str().unwrap(),
        "--ttft=0s",
        "--inter-token=0s",
        "--record",
        record,
        "--api-key-env",
        "SERVE_KEY",
        "--fault",
        "status=503@request:2",
    ]);
    let body = recorded_request("sim_001");
    let reply = server.post("sim_001__repeat_2", &body);
    assert!(reply.contains(r#"{"reasoning_content":"They"}"#), "{reply}");
    assert!(reply.contains("data: [DONE]"));
    assert!(server.post("sim_001", &body).starts_with("HTTP/1.1 503 "));
    let (code, errors) = server.stop("INT");
    assert_eq!(code, Some(0), "{errors}");

    let record = std::fs::read_to_string(record).unwrap();
    assert!(!record.contains("sesame"));
    let lines: Vec<serde_json::Value> =
        record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["session_id"], "sim_001__repeat_2");
    assert_eq!(lines[0]["body"], serde_json::from_str::<serde_json::Value>(&body).unwrap());
    assert_eq!((&lines[0]["status"], &lines[1]["status"]), (&200.into(), &503.into()));
    let stamp = |name: &str| lines[0][name].as_u64().unwrap();
    assert!(stamp("arrival_ns") < stamp("first_fragment_ns"));
    assert!(stamp("first_fragment_ns") <= stamp("end_ns"));
}

#[test]
fn chunks_of_made_up_replies_and_the_other_signal() {
    let mut server = Server::start(&["--chunks", "8", "--ttft", "0s", "--inter-token", "0s", "-q"]);
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}"#;
    let reply = server.post("x", body);
    let count = |key: &str| reply.matches(&format!("{{\"{key}\":\"")).count();
    assert_eq!((count("reasoning_content"), count("content")), (2, 6), "{reply}");
    assert_eq!(server.stop("TERM"), (Some(0), String::new()));
}

fn failed(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = command(arguments).output().unwrap();
    assert!(stdout.is_empty());
    format!("exit code {}\n{}", status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn what_cannot_be_served_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("record"), "").unwrap();
    std::fs::write(at("broken.jsonl"), "{\"conversation_id\": \"a\", \"turn\": 1}\n").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut seen = String::new();
    for arguments in [
        &["--fault", "stauts=500"][..],
        &["--ttft", "30"],
        &["--api-key-env", "NO_KEY"],
        &["--record", &at("record")],
        &["--record", &at("no/record")],
        &["--replies", &at("missing.jsonl")],
        &["--replies", &at("broken.jsonl")],
        &["--prefill-rate", "0"],
        &[
            "--wrong-share",
            "2",
            "--replies",
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/reference-replay/dataset.jsonl"),
        ],
        &["--port", &port],
        &["--wrong-share", "0.5"],
    ] {
        writeln!(seen, "{}\n{}", arguments.join(" "), failed(arguments)).unwrap();
    }
    let seen = seen
        .replace(directory.path().to_str().unwrap(), "[DIR]")
        .replace(env!("CARGO_MANIFEST_DIR"), "[ROOT]")
        .replace(&port, "[PORT]");
    insta::assert_snapshot!(seen);
}
