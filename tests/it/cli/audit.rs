//! `scenario audit` of a run: sound runs have no finding of our own, and each planted fault has the
//! one that it should.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::fixture;
use super::process::Sandbox;

/// A run of two passes at two concurrencies, with logged prompts, by a ruleset that has the small
/// data set for the benchmark's.
static RUN: LazyLock<Sandbox> = LazyLock::new(|| run(""));
const ONE: &str = "results/small/a/points/r1";
const TWO: &str = "results/small/a/points/r2";

fn run(cache: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let data = fixture::dataset();
    sandbox.write("data.jsonl", &data);
    let rules = json!({
        "extends": "mlperf-endpoints-agentic/v1.0",
        "name": "small",
        "dataset": {
            "sha256": scenario::digest::sha256_hex(data.as_bytes()),
            "trajectories": 3, "client_turns": 12, "assistant_turns": 12,
        },
    });
    sandbox.write("rules.json", &rules.to_string());
    let endpoint =
        format!("{{ simulated: {{ ttft: 2ms, inter_token: 0s, cache: {{ {cache} }} }} }}");
    let scenario = fixture::scenario(
        &endpoint,
        "compliance: { ruleset: rules.json }\n\
        mix: { passes: 2 }\nlog: { prompts: true }\n",
    )
    .replace(
        "{ name: m }",
        "{ name: m, benchmark: qwen3_6-35b-a3b, sampling: { temperature: 1.0, \
        top_p: 0.95, top_k: 20, repetition_penalty: 1.0, presence_penalty: 1.5, max_tokens: 8192, \
        chat_template_kwargs: { preserve_thinking: true } } }",
    );
    sandbox.write("small.yaml", &scenario);
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "a", "-q"]);
    assert_eq!(done.code, Some(0), "{done}");
    sandbox
}

/// A copy of the run that a test may break.
struct Copy(Sandbox);

impl Copy {
    fn of(run: &Sandbox) -> Self {
        let copy = Sandbox::new();
        for file in run.files("") {
            copy.write(&file, &run.read(&file));
        }
        Self(copy)
    }

    fn new() -> Self {
        Self::of(&RUN)
    }

    /// Our own findings, one line each: rule, file, line.
    fn findings(&self, more: &[&str]) -> Vec<String> {
        let arguments = ["audit", "results/small/a", "--ruleset", "rules.json", "--format", "json"];
        let done = self.0.run(&[&arguments, more].concat());
        let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done}"));
        let findings = report["findings"].as_array().unwrap().iter();
        let own = findings.filter(|finding| finding["code"].as_str().unwrap().starts_with("x-"));
        let line = |finding: &Value| {
            let label = &finding["labels"][0];
            let file = label["file"].as_str().unwrap_or("-").replace("results/small/a/", "");
            let line = &label["region"]["start"]["line"];
            let at = if line.is_null() { String::new() } else { format!(" @{line}") };
            let message = finding["message"].as_str().unwrap();
            format!("{} {file}: {message}{at}", finding["code"].as_str().unwrap())
        };
        own.map(line).collect()
    }

    /// Fails unless a finding begins so.
    fn has(&self, more: &[&str], start: &str) {
        let findings = self.findings(more);
        assert!(
            findings.iter().any(|line| line.starts_with(start)),
            "no {start:?} in {findings:#?}"
        );
    }

    fn lines(&self, point: &str) -> Vec<Value> {
        let text = self.0.read(format!("{point}/events.jsonl"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn write_lines(&self, point: &str, lines: &[Value]) {
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        self.0.write(&format!("{point}/events.jsonl"), &(lines.join("\n") + "\n"));
    }

    /// Changes a log's lines.
    fn log(&self, point: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let mut lines = self.lines(point);
        change(&mut lines);
        self.write_lines(point, &lines);
    }

    /// Changes a JSON file.
    fn json(&self, file: &str, change: impl FnOnce(&mut Value)) {
        let mut value: Value = serde_json::from_str(&self.0.read(file)).unwrap();
        change(&mut value);
        self.0.write(file, &value.to_string());
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.0.read(file);
        assert!(text.contains(from), "{file} has no {from:?}");
        self.0.write(file, &text.replace(from, to));
    }
}

/// The position of the first line of a kind, of a session and turn.
fn find(lines: &[Value], kind: &str, session: &str, turn: u32) -> usize {
    let is = |line: &Value| {
        line["event_type"] == kind && line["conversation_id"] == session && line["turn"] == turn
    };
    lines.iter().position(is).unwrap()
}

const ISSUED: &str = "sample.issued";
const COMPLETE: &str = "sample.complete";
const STOP: &str = "session.stop_performance_tracking";

#[test]
fn a_sound_run_has_no_finding_of_our_own() {
    let copy = Copy::new();
    assert_eq!(copy.findings(&[]), [""; 0]);
    assert_eq!(copy.findings(&["--scenario", "small.yaml"]), [""; 0]);
    assert_eq!(copy.findings(&["--dataset", "data.jsonl"]), [""; 0]);
    // Without logged prompts the client's own counts and digests speak.
    copy.log(TWO, |lines| {
        for line in lines.iter_mut().filter(|line| line["event_type"] == ISSUED) {
            line["data"] = Value::Null;
        }
    });
    assert_eq!(copy.findings(&["--scenario", "small.yaml"]), [""; 0]);
}

#[test]
fn what_was_sent_is_looked_at() {
    let copy = Copy::new();
    copy.log(ONE, |lines| {
        let at = find(lines, ISSUED, "two", 3);
        lines[at]["prompt"]["salt_markers"] = json!(1);
    });
    copy.log(TWO, |lines| {
        let at = find(lines, ISSUED, "one__repeat_2", 1);
        let text = &mut lines[at]["data"][3][0]["content"];
        *text = json!(text.as_str().unwrap().replace("[salt: ba75]", "[salt: 4461]"));
        let at = find(lines, ISSUED, "one", 5);
        lines[at]["data"][5] = json!({"preserve_thinking": false});
    });
    copy.has(&[], "x-salt points/r1/events.jsonl:");
    copy.has(&[], "x-salt points/r2/events.jsonl:");
    copy.has(&[], "x-sampling points/r2/events.jsonl:");
    assert_eq!(copy.findings(&[]).len(), 3);
}

#[test]
fn order_and_delays_are_followed() {
    let early = Copy::new();
    early.log(ONE, |lines| {
        let at = find(lines, ISSUED, "two", 5);
        lines[at]["timestamp_ns"] = json!(lines[at]["timestamp_ns"].as_u64().unwrap() - 5_000_000);
    });
    early.has(&["--scenario", "small.yaml"], "x-tool-delays points/r1/events.jsonl:");
    let order = Copy::new();
    order.log(TWO, |lines| {
        let (issued, ended) = (find(lines, ISSUED, "two", 5), find(lines, COMPLETE, "two", 3));
        let line = lines.remove(issued);
        lines.insert(ended, line);
        let again = lines[find(lines, ISSUED, "one", 1)].clone();
        lines.insert(6, again);
    });
    order.has(&[], "x-turn-order points/r2/events.jsonl:");
    order.has(&[], "x-log-order points/r2/events.jsonl: 1 events");
    let slots = Copy::new();
    slots.0.write(&format!("{ONE}/events.jsonl"), &slots.0.read(format!("{TWO}/events.jsonl")));
    slots.has(&[], "x-slots points/r1/events.jsonl:");
}

#[test]
fn sessions_and_passes_are_followed() {
    let ids = Copy::new();
    ids.log(ONE, |lines| {
        let at = find(lines, COMPLETE, "two", 3);
        lines[at]["conversation_id"] = json!("three");
    });
    ids.has(&[], "x-session-id points/r1/events.jsonl:");
    let gap = Copy::new();
    gap.replace(&format!("{ONE}/events.jsonl"), "\"two__repeat_2\"", "\"two__repeat_3\"");
    gap.has(&[], "x-session-id points/r1/events.jsonl:");
    gap.has(&[], "x-passes points/r1/events.jsonl:");
    let cut = Copy::new();
    cut.log(ONE, |lines| {
        lines.retain(|line| !line["conversation_id"].as_str().unwrap().starts_with("three"));
    });
    cut.has(&[], "x-passes points/r1/events.jsonl: 2 conversations were replayed");
    let short = Copy::new();
    short.log(ONE, |lines| {
        lines.retain(|line| line["conversation_id"] != "one__repeat_2" || line["turn"] != 7);
    });
    short.has(&[], "x-passes points/r1/events.jsonl:");
    short.has(&[], "x-log-counts points/r1/events.jsonl:");
}

#[test]
fn the_window_is_followed() {
    let early = Copy::new();
    early.log(ONE, |lines| {
        let at = lines.iter().position(|line| line["event_type"] == STOP).unwrap();
        let stop = lines.remove(at);
        lines.insert(4, stop);
    });
    let findings = early.findings(&[]);
    assert!(findings.iter().any(|line| line.starts_with("x-window") && line.ends_with(" @5")));
    let late = Copy::new();
    late.log(TWO, |lines| {
        for line in lines.iter_mut().filter(|line| line["event_type"] == STOP) {
            line["timestamp_ns"] = json!(line["timestamp_ns"].as_u64().unwrap() + 1_500_000_000);
        }
    });
    late.has(&[], "x-window points/r2/events.jsonl:");
    let never = Copy::new();
    never.log(ONE, |lines| lines.retain(|line| line["event_type"] != STOP));
    never.has(&[], "x-window points/r1/events.jsonl: the performance window");
}

#[test]
fn numbers_and_digests_are_made_again() {
    let copy = Copy::new();
    let summary = "performance/result_summary.json";
    copy.json(&format!("{ONE}/{summary}"), |summary| {
        summary["ttft"]["percentiles"]["90.0"] = json!(1);
    });
    copy.json(&format!("{TWO}/{summary}"), |summary| {
        let issued = summary["n_samples_issued"].as_u64().unwrap();
        summary["n_samples_issued"] = json!(issued + 24);
    });
    copy.has(&[], "x-log-counts points/r1/events.jsonl: 1 numbers differ");
    copy.has(&[], "x-log-counts points/r2/events.jsonl: 1 numbers differ");
    let digest = Copy::new();
    digest.json(&format!("{ONE}/self_check.json"), |check| {
        check["replay_digest"] = json!("0".repeat(64));
    });
    digest.log(TWO, |lines| {
        let at = find(lines, ISSUED, "two", 3);
        lines[at]["prompt"]["sha256"] = json!("0".repeat(64));
    });
    digest.has(&[], "x-replay-digest points/r1/events.jsonl: the stored");
    digest.has(&[], "x-replay-digest points/r2/events.jsonl: the stored");
    let scenario = ["--scenario", "small.yaml"];
    digest.has(&scenario, "x-replay-digest points/r2/events.jsonl:");
    digest.has(&scenario, "x-replay-digest points/r1/events.jsonl: the stored");
    let other = Copy::new();
    other.replace("data.jsonl", "It is small.", "It is large.");
    other.has(&["--dataset", "data.jsonl"], "x-dataset manifest.json: data set data has");
}

#[test]
fn files_beside_the_log_are_looked_at() {
    let copy = Copy::new();
    copy.json("results/small/a/manifest.json", |manifest| {
        manifest["datasets"][0]["sha256"] = json!("0".repeat(64));
    });
    copy.json(&format!("{ONE}/self_check.json"), |check| {
        check["violations"] = json!([{"check": "turns-ended", "message": "two never ended"}]);
    });
    let config = format!("{TWO}/config.yaml");
    for (from, to) in [
        ("  streaming: \"on\"", "  streaming: \"off\"\n  min_p: 0.1"),
        ("load.tail: drain", "load.tail: stop"),
        ("    - X-Session-ID", "      []"),
    ] {
        copy.replace(&config, from, to);
    }
    copy.has(&[], "x-dataset manifest.json: data set data has the SHA-256 000");
    copy.has(&[], "x-self-check points/r1/self_check.json: turns-ended: two never ended");
    for field in [
        "model_params.streaming is \"off\"",
        "model_params.min_p is 0.1",
        "scenario.settings.load.tail is \"stop\"",
        "datasets.0.agentic_inference.routing_headers is a list of 0",
    ] {
        copy.has(&[], &format!("x-config-mismatch points/r2/config.yaml: {field}"));
    }
    assert_eq!(copy.findings(&[]).len(), 6);
}

#[test]
fn a_log_that_cannot_be_used_is_a_finding() {
    let copy = Copy::new();
    let text = copy.0.read(format!("{ONE}/events.jsonl"));
    copy.0.write(&format!("{ONE}/events.jsonl"), &text[..text.len() - 30]);
    std::fs::remove_file(copy.0.path(&format!("{TWO}/events.jsonl"))).unwrap();
    copy.has(&[], "x-log-unusable points/r1/events.jsonl:");
    copy.has(&[], "x-log-missing points/r2/events.jsonl:");
    copy.0.write(&format!("{ONE}/events.jsonl"), "");
    std::os::unix::fs::symlink("/etc/passwd", copy.0.path(&format!("{TWO}/events.jsonl"))).unwrap();
    copy.has(&[], "x-log-missing points/r1/events.jsonl: the event log is empty");
    copy.has(&[], "x-log-unusable points/r2/events.jsonl: the event log cannot be used: it leads");
}

#[test]
fn a_server_that_looks_past_the_salt_is_found_out() {
    let run = run("ignores_salt: true");
    let copy = Copy::of(&run);
    for more in [&[][..], &["--scenario", "small.yaml"]] {
        for point in ["r1", "r2"] {
            copy.has(more, &format!("x-cache-legality points/{point}/events.jsonl:"));
        }
        assert_eq!(copy.findings(more).len(), 2);
    }
    // One turn of an honest server is enough.
    let one = Copy::new();
    one.log(ONE, |lines| {
        let at = find(lines, COMPLETE, "three", 5);
        let prompt = lines[at]["usage"]["prompt_tokens"].clone();
        lines[at]["usage"]["cached_tokens"] = prompt;
    });
    one.has(&[], "x-cache-legality points/r1/events.jsonl:");
    let counted = ["--scenario", "small.yaml", "--tokenizer"];
    let tokenizer =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/character-tokenizer");
    let counted = [&counted[..], &[tokenizer.to_str().unwrap()]].concat();
    assert_eq!(one.findings(&counted).len(), 1);
}

#[test]
fn a_tokenizer_without_prompts_is_wrong_usage() {
    let done = RUN.run(&["audit", "results/small/a", "--tokenizer", "x"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("give the run's --scenario FILE"), "{done}");
    let done = RUN.run(&["audit", "results/small/a", "--dataset", "data.jsonl", "data.jsonl"]);
    assert!(done.stderr.contains("--dataset: 2 files for 1 data sets"), "{done}");
}

/// A report directory of the reference client, completed to a run folder.
fn reference() -> Sandbox {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/reference-replay");
    let sandbox = Sandbox::new();
    for (from, to) in [
        ("events.jsonl", "r2/events.jsonl"),
        ("config.yaml", "r2/config.yaml"),
        ("result_summary.json", "r2/performance/result_summary.json"),
        ("dataset.jsonl", "data.jsonl"),
    ] {
        sandbox.write(to, &std::fs::read_to_string(fixture.join(from)).unwrap());
    }
    sandbox.write(
        "r2/point.yaml",
        "concurrency: 2\nruntime_settings:\n  load_pattern: agentic_inference\n  runtime: \
         { scheduler_rng_seed: 42, sample_index_rng_seed: 42 }\n",
    );
    let rules = json!({
        "extends": "mlperf-endpoints-agentic/v1.0",
        "name": "reference",
        "dataset": { "trajectories": 3, "client_turns": 15 },
    });
    sandbox.write("rules.json", &rules.to_string());
    sandbox.write(
        "small.yaml",
        &fixture::scenario("{ simulated: {} }", "mix: { passes: 2, order: sequential }\n"),
    );
    sandbox
}

/// Codes of our own findings about the reference client's folder.
fn codes(sandbox: &Sandbox) -> Vec<String> {
    let done = sandbox.run(&[
        "audit",
        "r2",
        "--ruleset",
        "rules.json",
        "--scenario",
        "small.yaml",
        "--format",
        "json",
    ]);
    let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done}"));
    let findings = report["findings"].as_array().unwrap().iter();
    let codes = findings.map(|finding| finding["code"].as_str().unwrap().to_owned());
    codes.filter(|code| code.starts_with("x-")).collect()
}

#[test]
fn the_reference_clients_log_is_followed_too() {
    let sandbox = reference();
    assert_eq!(codes(&sandbox), [""; 0]);
    let log = sandbox.read("r2/events.jsonl");
    for (from, to, code) in [
        ("[salt: ba75]", "[salt: 4461]", "x-salt"),
        ("\"session.ended\"", "\"session.went\"", "x-log-order"),
        ("\"session.stop_performance_tracking\"", "\"session.x\"", "x-window"),
        ("plain-conv_1__repeat_2", "plain-conv_1__repeat_4", "x-passes"),
        (
            "[{\"role\":\"system\",\"content\":\"[salt: 4461]\\n\\nYou",
            "[{\"role\":\"system\",\"content\":\"You",
            "x-salt",
        ),
    ] {
        assert!(log.contains(from), "{from}");
        sandbox.write("r2/events.jsonl", &log.replace(from, to));
        let codes = codes(&sandbox);
        assert!(codes.iter().any(|found| found == code), "{from}: no {code} in {codes:?}");
    }
}

#[test]
fn newer_registries_are_named_by_the_official_variables() {
    let submission =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/valid-submission/example_org");
    let submission = submission.to_str().unwrap();
    let seeds = "cohort:\n  cohort-id: 2026-12-C0\n  seed_sets:\n  - id: A\n    \
                 scheduler_rng_seed: 10487924139932647040\n    \
                 sample_index_rng_seed: 586478644936801402\n    model_seed: 9315206023656308754\n";
    let sandbox = Sandbox::new()
        .env("MLPERF_ENDPOINTS_SEED_SETS", "seeds.yaml")
        .env("MLPERF_ENDPOINTS_APPROVED_DRAFTERS", "nowhere.yaml");
    sandbox.write("seeds.yaml", seeds);
    let done = sandbox.run(&["audit", submission, "-q", "--format", "github"]);
    // The set may be adopted from its own cohort on only, and there is no list of drafters.
    assert_eq!(done.code, Some(1), "{done}");
    assert!(done.stdout.contains("title=seed-set-adoption"), "{done}");
    assert!(done.stdout.contains("title=drafter-list-registry"), "{done}");
    assert!(done.stdout.contains("nowhere.yaml"), "{done}");
    let plain = Sandbox::new().run(&["audit", submission, "-q", "--strict"]);
    assert_eq!((plain.code, plain.stdout.as_str()), (Some(0), ""), "{plain}");
}
