//! The reference client: configurations for it, and driving a stand-in that behaves like it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::fixture;
use super::process::{Done, Running, Sandbox};
use super::run::json;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const RUN: &str = "results/golden/x";

/// The scenario of the recorded run, at two points.
fn scenario(more: &str) -> String {
    format!(
        "schema: scenario/v1\nname: golden\n\
         model:\n  name: mock-model\n  sampling: {{ temperature: 1.0, top_k: 20, top_p: 0.95, \
         repetition_penalty: 1.0, presence_penalty: 1.5, max_tokens: 8192, \
         chat_template_kwargs: {{ preserve_thinking: true }} }}\n\
         endpoint: {{ simulated: {{}}, api_key: \"${{KEY:-}}\" }}\n\
         datasets: [{{ name: agentic_coding, path: data.jsonl }}]\n\
         mix: {{ order: sequential, passes: 2 }}\nload: {{ concurrency: [2, 3] }}\n\
         cache: {{ generated_tokens: keep }}\naccuracy: {{ inline: true }}\n{more}"
    )
}

fn sandbox(fault: &str) -> Sandbox {
    let sandbox = Sandbox::new()
        .env("PATH", &format!("{ROOT}/tests/stand-in:/usr/bin:/bin"))
        .env("STAND_IN_FILES", &format!("{ROOT}/tests/fixtures/reference-replay"))
        .env("STAND_IN", fault)
        .env("KEY", "sk-secret");
    let data = format!("{ROOT}/tests/fixtures/reference-replay/dataset.jsonl");
    std::fs::copy(data, sandbox.path("data.jsonl")).unwrap();
    sandbox.write("golden.yaml", &scenario(""));
    sandbox
}

const ARGUMENTS: [&str; 6] =
    ["run", "golden.yaml", "--client", "mlperf-endpoints", "--run-id", "x"];
const RESUME: [&str; 6] = ["run", "golden.yaml", "--client", "mlperf-endpoints", "--resume", RUN];

fn run(sandbox: &Sandbox) -> Done {
    sandbox.run(&ARGUMENTS)
}

#[test]
fn a_curve_is_measured_by_the_client() {
    let sandbox = sandbox("");
    let done = run(&sandbox);
    assert_eq!(done.code, Some(0), "{done}");
    assert_eq!(done.last_line(), RUN);
    for line in ["r2 | INFO replaying at 2", "r3 | INFO replaying at 3", "r2 | 100%"] {
        assert!(done.stderr.contains(line), "{line}: {done}");
    }
    let manifest = json(&sandbox, &format!("{RUN}/manifest.json"));
    assert_eq!(manifest["measured_by"], "mlperf-endpoints");
    assert_eq!(manifest["state"], "complete");
    assert_eq!(manifest["points"][0]["turns"]["issued"], 30);
    // The numbers are the client's own, and its files stay as they are.
    let row = json(&sandbox, &format!("{RUN}/curve.json"))["points"][0].clone();
    assert_eq!((&row["turns"], &row["tracked_turns"]), (&30.into(), &27.into()));
    assert_eq!(
        (&row["token_counts"], &row["system_tps"]),
        (&"official".into(), &7_144.846_755_603_763.into())
    );
    for name in ["events.jsonl", "scores.json", "report.txt"] {
        let recorded = format!("{ROOT}/tests/fixtures/reference-replay/{name}");
        let recorded = std::fs::read_to_string(recorded).unwrap();
        assert_eq!(sandbox.read(format!("{RUN}/points/r2/{name}")), recorded, "{name}");
    }
    assert!(sandbox.read(format!("{RUN}/points/r2/client.log")).contains("replaying at 2"));
    for file in sandbox.files("results") {
        assert!(!sandbox.read(&file).contains("sk-secret"), "{file}");
    }
    assert!(sandbox.read(format!("{RUN}/points/r2/config.yaml")).contains("# api_key: ***"));
    // Scored, reported and audited as usual.
    let score = sandbox.run(&["score", RUN]);
    assert_eq!(score.code, Some(0), "{score}");
    assert!(score.stdout.contains("16.20") && score.stdout.contains("SIMULATED"), "{score}");
    let report = sandbox.run(&["report", RUN]);
    assert_eq!(report.code, Some(0), "{report}");
    assert!(report.stdout.matches("SIMULATED").count() >= 3, "{report}");
    for path in [RUN.to_owned(), format!("{RUN}/points/r2")] {
        let audit = sandbox.run(&["audit", &path]);
        assert_eq!(audit.code, Some(1), "{audit}");
        assert!(audit.stdout.contains("system_desc.json"), "{audit}");
    }
    // Nothing is left to do.
    let done = sandbox.run(&RESUME);
    assert_eq!((done.code, done.stderr.contains("INFO")), (Some(0), false), "{done}");
}

#[test]
fn lengths_that_the_client_does_not_tell_are_counted() {
    let sandbox = sandbox("");
    let tokenizer = format!("model.tokenizer={ROOT}/tests/fixtures/character-tokenizer");
    let sets = ["--points", "2", "--set", "accuracy.output_length=true", "--set", &tokenizer];
    let done = sandbox.run(&[&ARGUMENTS[..], &sets].concat());
    assert_eq!(done.code, Some(0), "{done}");
    let row = json(&sandbox, &format!("{RUN}/curve.json"))["points"][0].clone();
    // One token per character, over all 30 turns; the client's own window has 27 of them.
    let mean = row["osl_mean"].as_f64().unwrap();
    assert!((100.0..200.0).contains(&mean), "{mean}");
    assert_eq!(row["system_tps"], 7_144.846_755_603_763);
    let summary = sandbox.read(format!("{RUN}/points/r2/performance/result_summary.json"));
    let recorded = format!("{ROOT}/tests/fixtures/reference-replay/result_summary.json");
    assert_eq!(summary, std::fs::read_to_string(recorded).unwrap());
    let config = sandbox.read(format!("{RUN}/points/r2/client_config.yaml"));
    assert!(config.contains("tokenizer_name: "), "{config}");
}

#[test]
fn what_goes_wrong_with_the_client_is_told() {
    let mut told = Vec::new();
    for fault in ["fail", "kill", "half", "cut", "missing", "other"] {
        let sandbox = sandbox(fault);
        let done = run(&sandbox);
        assert_eq!(done.code, Some(3), "{done}");
        let error = done.stderr.find("\nerror: ").map_or("", |at| &done.stderr[at + 1..]);
        let place = sandbox.path("").display().to_string();
        told.push(error.replace(&place, "[DIR]/").replace(ROOT, "[ROOT]"));
        let manifest = json(&sandbox, &format!("{RUN}/manifest.json"));
        assert_eq!(manifest["points"][0]["state"], "failed");
        assert_eq!(manifest["points"][1]["state"], "planned");
        assert!(sandbox.path(&format!("{RUN}/points/.r2.partial/client.log")).exists());
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    error: point r2: [ROOT]/tests/stand-in/inference-endpoint failed: exit status: 3
      because: it said: INFO replaying at 2
      because: it said:   0%
      because: it said: 100%
      because: it said: Config error: no luck

    help: all that it printed is in results/golden/x/points/.r2.partial/client.log

    error: point r2: [ROOT]/tests/stand-in/inference-endpoint failed: signal: 9 (SIGKILL)
      because: it said: INFO replaying at 2
      because: it said:   0%
      because: it said: 100%

    help: all that it printed is in results/golden/x/points/.r2.partial/client.log

    error: point r2: [ROOT]/tests/stand-in/inference-endpoint left no usable report
      because: [DIR]/results/golden/x/points/.r2.partial/report/events.jsonl: is cut off in the middle of a line

    help: all that it printed is in results/golden/x/points/.r2.partial/client.log

    error: [DIR]/results/golden/x/points/.r2.partial/report/events.jsonl: does not tell the end of the session

    help: the client was stopped early; run it again

    error: point r2: [ROOT]/tests/stand-in/inference-endpoint left no usable report
      because: [DIR]/results/golden/x/points/.r2.partial/report: without config.yaml, performance/result_summary.json

    help: all that it printed is in results/golden/x/points/.r2.partial/client.log

    error: point r2: [ROOT]/tests/stand-in/inference-endpoint left no usable report
      because: [DIR]/results/golden/x/points/.r2.partial/report/config.yaml: model_params.name is "other", expected "mock-model"

    help: all that it printed is in results/golden/x/points/.r2.partial/client.log
    "#);
}

#[test]
fn a_client_that_is_not_there_is_told_before_anything_starts() {
    let sandbox = sandbox("");
    let arguments = [&ARGUMENTS[..], &["--client-command", "no-such-client --fast"]].concat();
    let done = sandbox.run(&arguments);
    assert_eq!(done.code, Some(2), "{done}");
    assert!(done.stderr.contains("`no-such-client` is not installed"), "{done}");
    assert!(!sandbox.path("results").exists());
}

/// Starts a run and waits until the client is at work.
fn started(sandbox: &Sandbox) -> Running {
    let mut run = sandbox.start(&ARGUMENTS);
    let log = sandbox.path(&format!("{RUN}/points/.r2.partial/client.log"));
    run.wait_until(|| std::fs::read_to_string(&log).is_ok_and(|text| text.contains("100%")));
    run
}

#[test]
fn a_signal_is_passed_on_and_the_run_can_be_resumed() {
    let first = sandbox("slow");
    let run = started(&first);
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert!(done.stderr.contains("r2 | interrupted"), "{done}");
    assert!(done.stderr.contains("point r2: the client ended"), "{done}");
    assert_eq!(json(&first, &format!("{RUN}/manifest.json"))["points"][0]["state"], "interrupted");
    let first = first.env("STAND_IN", "");
    let done = first.run(&RESUME);
    assert_eq!(done.code, Some(0), "{done}");
    assert_eq!(json(&first, &format!("{RUN}/manifest.json"))["state"], "complete");
}

#[test]
fn a_client_that_does_not_end_is_killed_by_the_second_signal() {
    let sandbox = sandbox("hang");
    let run = started(&sandbox);
    run.signal("INT");
    std::thread::sleep(std::time::Duration::from_millis(200));
    run.signal("INT");
    let done = run.wait();
    assert_eq!(done.code, Some(130), "{done}");
    assert!(done.stderr.contains("point r2: the client did not end and was killed"), "{done}");
}

/// Every key with its path.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        // Its keys are the model's.
        Value::Object(_) if path.ends_with(".chat_template_kwargs") => {}
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                keys(value, &path, found);
                found.insert(path);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, path, found)),
        _ => {}
    }
}

fn keys_of(yaml: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(&serde_yaml::from_str(yaml).unwrap(), "", &mut found);
    found
}

fn export(sandbox: &Sandbox, more: &[&str]) -> Done {
    let urls = "endpoint={urls: [http://h:1], api_key: sk-secret}";
    let arguments = ["export", "golden.yaml", "--client", "mlperf-endpoints", "--set", urls];
    sandbox.run(&[&arguments[..], more].concat())
}

#[test]
fn an_exported_point_is_the_recorded_configuration() {
    let sandbox = sandbox("");
    let done = export(&sandbox, &["--out", "configs"]);
    assert_eq!(done.code, Some(0), "{done}");
    assert_eq!(done.stdout, "configs/golden-r2.yaml\nconfigs/golden-r3.yaml\n");
    let config = sandbox.read("configs/golden-r2.yaml");
    let place = sandbox.path("").display().to_string();
    insta::assert_snapshot!(config.replace(&place, "[DIR]/"), @r#"
    name: golden-r2
    version: "1.0"
    type: online
    model_params:
      name: mock-model
      temperature: 1.0
      top_p: 0.95
      top_k: 20
      repetition_penalty: 1.0
      presence_penalty: 1.5
      max_new_tokens: 8192
      chat_template_kwargs:
        preserve_thinking: true
      streaming: "on"
    datasets:
    - name: agentic_inference_conversations
      type: performance
      path: [DIR]/data.jsonl
      accuracy_config:
        eval_method: agentic_inference_inline
        num_repeats: 1
      agentic_inference:
        turn_timeout_s: 14400.0
        enable_salt: true
        inject_tool_delay: true
        routing_headers:
        - X-Session-ID
        num_trajectories_to_issue: 6
        stop_issuing_on_first_user_complete: false
    settings:
      runtime:
        scheduler_random_seed: 42
        dataloader_random_seed: 42
      load_pattern:
        type: agentic_inference
        target_concurrency: 2
      client:
        warmup_connections: 0
        max_idle_time: 0.5
    endpoint_config:
      endpoints:
      - http://h:1
      api_key: ${ENDPOINT_API_KEY}
      api_type: openai
    report_dir: [DIR]/configs/logs/golden-r2
    "#);
    // The client refuses keys that it does not know; the recorded configuration has all of them.
    let recorded = format!("{ROOT}/tests/fixtures/reference-replay/config.yaml");
    let mut known = keys_of(&std::fs::read_to_string(recorded).unwrap());
    known.insert(".endpoint_config.api_key".to_owned());
    let unknown: Vec<String> = keys_of(&config).difference(&known).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert!(done.stderr.contains("the configurations read ${ENDPOINT_API_KEY}"), "{done}");

    let again = export(&sandbox, &["--out", "configs"]);
    assert_eq!(again.code, Some(2), "{again}");
    assert!(again.stderr.contains("configs/golden-r2.yaml: exists"), "{again}");
    assert_eq!(export(&sandbox, &["--out", "configs", "--force"]).code, Some(0));
}

#[test]
fn a_mix_becomes_one_file_and_texts_hold_no_variables() {
    let sandbox = sandbox("");
    sandbox.write("more.jsonl", &fixture::dataset());
    let sets = [
        "--set",
        "datasets=[{name: a, path: data.jsonl}, {name: b, path: more.jsonl}]",
        "--set",
        "mix={order: sequential, take: {a: 1, b: 2}}",
        "--set",
        "model.name=a$HOME",
    ];
    let done = export(&sandbox, &sets);
    assert_eq!(done.code, Some(0), "{done}");
    let config: Value = serde_yaml::from_str(&sandbox.read("golden-r3.yaml")).unwrap();
    assert_eq!(config["model_params"]["name"], "a$$HOME");
    assert_eq!(config["datasets"][0]["agentic_inference"]["num_trajectories_to_issue"], 3);
    let path = config["datasets"][0]["path"].as_str().unwrap();
    assert_eq!(path, sandbox.path("golden.jsonl").display().to_string());
    let rows = sandbox.read("golden.jsonl");
    let ids: Vec<Value> =
        rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap()).collect();
    let mut ids: Vec<&str> =
        ids.iter().map(|row| row["conversation_id"].as_str().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids, ["django__django-0001", "one", "two"]);
    let own: Vec<&str> = rows.lines().filter(|row| row.contains("\"one\"")).collect();
    let all = fixture::dataset();
    let stored: Vec<&str> = all.lines().filter(|row| row.contains("\"one\"")).collect();
    assert_eq!(own, stored);
}

#[test]
fn swe_bench_stands_at_its_points_and_what_cannot_be_done_is_refused() {
    let sandbox = sandbox("");
    sandbox.write("ids.txt", "a__a-1\nb__b-2\n");
    let swe_bench = "accuracy.swe_bench={service: http://s:1, token: t0ken-1, instances: 2, \
                     instance_ids: ids.txt, template: qwen_tools, at: [3]}";
    let done = export(&sandbox, &["--set", swe_bench]);
    assert_eq!(done.code, Some(0), "{done}");
    let config: Value = serde_yaml::from_str(&sandbox.read("golden-r3.yaml")).unwrap();
    insta::assert_snapshot!(serde_yaml::to_string(&config["datasets"][1]).unwrap(), @r#"
    name: swe_bench
    type: accuracy
    accuracy_config:
      eval_method: swe_bench_scorer
      num_repeats: 1
      extras:
        swebench_service_url: http://s:1
        swebench_service_auth_token: ${SWEBENCH_TOKEN}
        num_instances: 2
        workers: 3
        max_eval_workers: 8
        swebench_template: qwen_tools
    "#);
    assert!(!sandbox.read("golden-r2.yaml").contains("swe_bench"));
    assert!(!sandbox.read("golden-r3.yaml").contains("t0ken"));

    let refused = export(&sandbox, &["--force", "--set", "model.sampling.stop=[END]"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("model.sampling.stop: the reference client cannot do that"));
    let refused = export(&sandbox, &["--force", "--set", "mix.weights={agentic_coding: 2}"]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("mix.weights: the reference client cannot do that"));
    std::fs::copy(sandbox.path("data.jsonl"), sandbox.path("same.jsonl")).unwrap();
    let twice = "datasets=[{name: a, path: data.jsonl}, {name: b, path: same.jsonl}]";
    let refused = export(&sandbox, &["--force", "--set", twice]);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("is the id of conversations in two data sets"), "{refused}");
    assert!(!sandbox.path("golden.jsonl").exists());
    let arguments = ["export", "golden.yaml", "--client", "mlperf-endpoints", "--force"];
    let refused = sandbox.run(&arguments);
    assert_eq!(refused.code, Some(2), "{refused}");
    assert!(refused.stderr.contains("the client needs a server with a URL"), "{refused}");
}
