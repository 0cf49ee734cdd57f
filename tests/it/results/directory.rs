//! Result directories on a real disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use scenario::events::{Event, EventKind, SampleId};
use scenario::metrics::{Collector, Expected, Metrics, SelfCheck, SelfCheckReport};
use scenario::report::point_report;
use scenario::results::{
    ConfigDataset, DatasetEntry, Manifest, NewRun, Outcome, PointEntry, PointState, ResultsError,
    RunConfig, RunDir, RunFacts, ScenarioBlock, ScenarioEntry, ToolEntry, WarmupDeclaration,
};
use serde_json::{Value, json};

use super::golden::{events, facts, fixture, json as golden_json};

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_796_007_741 + seconds)
}

fn manifest() -> Manifest {
    let dataset = DatasetEntry {
        name: "agentic_coding".to_owned(),
        path: "dataset.jsonl".to_owned(),
        sha256: "aa".to_owned(),
        bytes: 6200,
        trajectories: 3,
        client_turns: 15,
    };
    let points = vec![
        PointEntry::planned(2, Some("low_latency".to_owned())),
        PointEntry::planned(64, Some("med_concurrency".to_owned())),
    ];
    let tool = ToolEntry { name: "scenario".into(), version: "0.1.0".into(), commit: None };
    let scenario = ScenarioEntry { name: "small-golden".into(), digest: "bb".into() };
    let mut manifest = Manifest::new(tool, scenario, vec![dataset], points, at(0));
    manifest.host = json!({"cpus": 2});
    manifest
}

fn new_run(path: &Path, force: bool) -> NewRun<'_> {
    NewRun { path, force, manifest: manifest(), source: "name: x\n", resolved: "name: x\n" }
}

fn config() -> RunConfig {
    let sampling = json!({
        "temperature": 1.0, "top_k": 20, "top_p": 0.95, "repetition_penalty": 1.0,
        "presence_penalty": 1.5, "chat_template_kwargs": {"preserve_thinking": true},
        "max_tokens": 8192,
    });
    RunConfig {
        name: "small-golden".to_owned(),
        model: "mock-model".to_owned(),
        sampling: sampling.as_object().unwrap().clone(),
        tokenizer: Some("tokenizer".to_owned()),
        datasets: vec![ConfigDataset {
            name: "agentic_coding".to_owned(),
            path: "dataset.jsonl".to_owned(),
            trajectories: 6,
        }],
        turn_timeout: Duration::from_hours(4),
        salt: true,
        tool_delays: true,
        routing_headers: vec!["X-Session-ID".to_owned()],
        seed: 42,
        seeds: None,
        inline: true,
        swe_bench: None,
        concurrency: 2,
        max_idle: Duration::from_millis(500),
        warmup_requests: 0,
        endpoints: vec!["http://127.0.0.1:18901".to_owned()],
        scenario: ScenarioBlock {
            version: "0.1.0".to_owned(),
            digest: "bb".to_owned(),
            simulated: false,
            settings: json!({"load.tail": "drain"}).as_object().unwrap().clone(),
        },
    }
}

/// What the reference client's recorded replay gives.
struct Golden {
    events: Vec<Event>,
    metrics: Metrics,
    check: SelfCheckReport,
    samples: Vec<(SampleId, u64)>,
}

fn golden(planned: u64, interrupted: bool) -> Golden {
    let events: Vec<Event> = events("reference-replay/events.jsonl").collect();
    let (mut collector, mut check) = (Collector::new(), SelfCheck::new());
    for event in &events {
        collector.push(event);
        check.push(event);
    }
    let expected = Expected { planned, skipped: 0, interrupted, concurrency: 2, salt_markers: 2 };
    let map = golden_json("reference-replay/sample_idx_map.json");
    let index: BTreeMap<String, u64> = serde_json::from_value(map["performance"].clone()).unwrap();
    let samples = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Issued(key, _) => Some((key.sample, index[&key.sample.to_string()])),
            _ => None,
        })
        .collect();
    Golden {
        events,
        metrics: collector.finish(),
        check: check.finish(expected, "cc".to_owned()),
        samples,
    }
}

fn run_point(run: &mut RunDir, golden: &Golden, facts: &RunFacts) -> Result<(), ResultsError> {
    let folder = run.start_point(facts.concurrency, at(1))?;
    let mut log = folder.event_log()?;
    golden.events.iter().for_each(|event| log.write(event).unwrap());
    log.finish().unwrap();
    let outcome = Outcome {
        facts,
        metrics: &golden.metrics,
        steady: None,
        self_check: &golden.check,
        config: &config(),
        warmup: &WarmupDeclaration::none(),
        planned_turns: 30,
        disclosure: None,
        files: &[],
        samples: &golden.samples,
        report: &point_report(facts, &golden.metrics, &golden.check, None),
    };
    run.finish_point(folder, &outcome, at(61)).map(drop)
}

fn facts_at(concurrency: u32) -> RunFacts {
    RunFacts { concurrency, ..facts() }
}

/// Every file and empty directory below `root`, sorted.
fn listing(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        let entries: Vec<_> =
            fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        if entries.is_empty() {
            found.push(format!("{}/", directory.strip_prefix(root).unwrap().display()));
        }
        for entry in entries {
            if entry.is_dir() {
                left.push(entry);
            } else {
                found.push(entry.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn finished_run(path: &Path) -> RunDir {
    let mut run = RunDir::create(new_run(path, false)).unwrap();
    let golden = golden(30, false);
    run_point(&mut run, &golden, &facts_at(2)).unwrap();
    run_point(&mut run, &golden, &facts_at(64)).unwrap();
    run.finish(at(100)).unwrap();
    run
}

#[test]
fn a_finished_run_holds_every_file() {
    let home = tempfile::tempdir().unwrap();
    let run = finished_run(&home.path().join("results/x/1"));
    insta::assert_snapshot!(listing(run.path()).join("\n"), @r"
    manifest.json
    points/r2/config.yaml
    points/r2/events.jsonl
    points/r2/metrics/final_snapshot.json
    points/r2/performance/result_summary.json
    points/r2/point.yaml
    points/r2/report.txt
    points/r2/sample_idx_map.json
    points/r2/self_check.json
    points/r64/config.yaml
    points/r64/events.jsonl
    points/r64/metrics/final_snapshot.json
    points/r64/performance/result_summary.json
    points/r64/point.yaml
    points/r64/report.txt
    points/r64/sample_idx_map.json
    points/r64/self_check.json
    scenario.resolved.yaml
    scenario.yaml
    ");
    let manifest = fs::read_to_string(run.path().join("manifest.json")).unwrap();
    insta::assert_snapshot!(manifest, @r#"
    {
      "format": 1,
      "tool": {
        "name": "scenario",
        "version": "0.1.0",
        "commit": null
      },
      "scenario": {
        "name": "small-golden",
        "digest": "bb"
      },
      "datasets": [
        {
          "name": "agentic_coding",
          "path": "dataset.jsonl",
          "sha256": "aa",
          "bytes": 6200,
          "trajectories": 3,
          "client_turns": 15
        }
      ],
      "simulated": false,
      "host": {
        "cpus": 2
      },
      "state": "complete",
      "started_at": "2026-11-30T03:02:21.000Z",
      "finished_at": "2026-11-30T03:04:01.000Z",
      "points": [
        {
          "concurrency": 2,
          "region": "low_latency",
          "state": "complete",
          "folder": "points/r2",
          "started_at": "2026-11-30T03:02:22.000Z",
          "finished_at": "2026-11-30T03:03:22.000Z",
          "turns": {
            "issued": 30,
            "completed": 30,
            "failed": 0
          },
          "skipped": 0,
          "violations": 0,
          "error": null
        },
        {
          "concurrency": 64,
          "region": "med_concurrency",
          "state": "complete",
          "folder": "points/r64",
          "started_at": "2026-11-30T03:02:22.000Z",
          "finished_at": "2026-11-30T03:03:22.000Z",
          "turns": {
            "issued": 30,
            "completed": 30,
            "failed": 0
          },
          "skipped": 0,
          "violations": 0,
          "error": null
        }
      ]
    }
    "#);
    assert_eq!(Manifest::read(run.path()).unwrap(), *run.manifest());
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let (one, two) = (home.path().join("1"), home.path().join("2"));
    finished_run(&one);
    finished_run(&two);
    for name in listing(&one) {
        assert_eq!(
            fs::read(one.join(&name)).unwrap(),
            fs::read(two.join(&name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_point_is_hidden_until_it_is_complete() {
    let home = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(new_run(&home.path().join("run"), false)).unwrap();
    let folder = run.start_point(2, at(1)).unwrap();
    drop(folder.event_log().unwrap());
    assert_eq!(run.manifest().points[0].state, PointState::Running);
    assert!(folder.partial_path().join("events.jsonl").exists());
    assert!(!run.path().join("points/r2").exists());
    // The process is killed here; a later one goes on.
    drop((folder, run));
    let mut run = RunDir::open(&home.path().join("run")).unwrap();
    let unfinished: Vec<u32> = run.manifest().unfinished().map(|point| point.concurrency).collect();
    assert_eq!(unfinished, [2, 64]);
    run_point(&mut run, &golden(30, false), &facts_at(2)).unwrap();
    assert_eq!(
        listing(&run.path().join("points"))
            .into_iter()
            .filter(|name| name.starts_with('.'))
            .collect::<Vec<_>>(),
        [".r2.partial.killed-1/events.jsonl"],
        "what the killed run left is kept apart"
    );
    assert_eq!(run.finish(at(99)).unwrap(), PointState::Interrupted, "a point is still planned");
}

#[test]
fn an_interrupted_point_says_so_everywhere_and_can_be_run_again() {
    let home = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(new_run(&home.path().join("run"), false)).unwrap();
    let facts = RunFacts { state: PointState::Interrupted, ..facts_at(2) };
    run_point(&mut run, &golden(36, true), &facts).unwrap();
    assert_eq!(run.finish(at(99)).unwrap(), PointState::Interrupted);
    let entry = &run.manifest().points[0];
    assert_eq!((entry.state, entry.skipped), (PointState::Interrupted, Some(6)));
    let folder = run.path().join("points/r2");
    let summary = read_json(&folder.join("performance/result_summary.json"));
    assert_eq!((&summary["state"], &summary["complete"]), (&json!("interrupted"), &json!(false)));
    assert_eq!(read_json(&folder.join("metrics/final_snapshot.json"))["state"], "interrupted");
    assert!(fs::read_to_string(folder.join("report.txt")).unwrap().contains("interrupted"));

    let mut run = RunDir::open(run.path()).unwrap();
    run_point(&mut run, &golden(30, false), &facts_at(2)).unwrap();
    assert!(run.path().join("points/.r2.interrupted-1/report.txt").exists());
    assert_eq!(run.manifest().points[0].state, PointState::Complete);
}

#[test]
fn a_violation_fails_the_point_and_the_run() {
    let home = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(new_run(&home.path().join("run"), false)).unwrap();
    run_point(&mut run, &golden(31, false), &facts_at(2)).unwrap();
    run_point(&mut run, &golden(30, false), &facts_at(64)).unwrap();
    let states: Vec<_> =
        run.manifest().points.iter().map(|point| (point.state, point.violations)).collect();
    assert_eq!(states, [(PointState::Failed, Some(1)), (PointState::Complete, Some(0))]);
    assert_eq!(run.finish(at(99)).unwrap(), PointState::Failed);
}

#[test]
fn nothing_is_overwritten_without_force() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    finished_run(&path);
    let before = listing(&path);
    let error = RunDir::create(new_run(&path, false)).unwrap_err();
    assert!(matches!(error, ResultsError::Exists { .. }), "{error}");
    assert!(error.to_string().contains(&path.display().to_string()));
    let mut again = RunDir::open(&path).unwrap();
    let error = again.start_point(2, at(0)).unwrap_err();
    assert!(error.to_string().contains("r2"), "{error}");
    assert_eq!(listing(&path), before);
}

#[test]
fn force_keeps_the_old_run_until_the_new_one_is_complete() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    finished_run(&path);

    let mut halfway = RunDir::create(new_run(&path, true)).unwrap();
    run_point(&mut halfway, &golden(30, false), &facts_at(2)).unwrap();
    halfway.finish(at(99)).unwrap();
    let old = halfway.replaced().unwrap().to_owned();
    assert!(old.join("points/r64/report.txt").exists(), "the old run is kept");

    let mut whole = RunDir::create(new_run(&path, true)).unwrap();
    let second_old = whole.replaced().unwrap().to_owned();
    assert_ne!(old, second_old);
    let golden = golden(30, false);
    run_point(&mut whole, &golden, &facts_at(2)).unwrap();
    run_point(&mut whole, &golden, &facts_at(64)).unwrap();
    assert_eq!(whole.finish(at(99)).unwrap(), PointState::Complete);
    assert_eq!(whole.replaced(), None);
    assert!(!second_old.exists() && old.exists());
    assert!(path.join("points/r64/report.txt").exists());
}

#[test]
fn failed_points_carry_their_reason() {
    let home = tempfile::tempdir().unwrap();
    let mut run = RunDir::create(new_run(&home.path().join("run"), false)).unwrap();
    drop(run.start_point(64, at(1)).unwrap());
    let reserve = run.path().join(".reserve");
    assert!(reserve.exists(), "room for the manifest on a full disk");
    run.fail_point(64, "the disk is full".to_owned(), at(2)).unwrap();
    assert!(!reserve.exists());
    assert_eq!(run.finish(at(3)).unwrap(), PointState::Failed);
    let manifest = Manifest::read(run.path()).unwrap();
    assert_eq!(manifest.points[1].error.as_deref(), Some("the disk is full"));
    assert_eq!(manifest.points[1].state, PointState::Failed);
    assert!(
        run.start_point(7, at(4)).unwrap_err().to_string().contains("no point of concurrency 7")
    );
}

#[test]
fn errors_name_the_file() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    let below_a_file = home.path().join("file/run");
    let error = RunDir::create(new_run(&below_a_file, false)).unwrap_err();
    assert!(error.to_string().contains("file/run"), "{error}");

    let error = RunDir::open(home.path()).unwrap_err();
    assert!(error.to_string().contains("manifest.json"), "{error}");
    for (content, reason) in [("{}", "missing field"), ("{", "EOF"), ("[1]", "manifest.json")] {
        fs::write(home.path().join("manifest.json"), content).unwrap();
        let error = RunDir::open(home.path()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let mut newer = serde_json::to_value(manifest()).unwrap();
    newer["format"] = 2.into();
    fs::write(home.path().join("manifest.json"), newer.to_string()).unwrap();
    let error = RunDir::open(home.path()).unwrap_err().to_string();
    assert!(error.contains("format 2, expected 1"), "{error}");
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn read_yaml(path: &Path) -> Value {
    serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Every value that holds no others, by its path.
fn leaves(value: &Value) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let mut left = vec![(String::new(), value)];
    while let Some((place, value)) = left.pop() {
        match value {
            Value::Object(map) if !map.is_empty() => {
                left.extend(map.iter().map(|(key, value)| (format!("{place}.{key}"), value)));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                left.extend(items.map(|(i, value)| (format!("{place}.{i}"), value)));
            }
            _ => {
                found.insert(place.trim_start_matches('.').to_owned(), value.clone());
            }
        }
    }
    found
}

#[test]
fn the_files_are_the_reference_clients_in_shape() {
    let home = tempfile::tempdir().unwrap();
    let run = finished_run(&home.path().join("run"));
    let folder = run.path().join("points/r2");

    let theirs = golden_json("reference-replay/sample_idx_map.json");
    assert_eq!(read_json(&folder.join("sample_idx_map.json")), theirs);

    let mut ours = read_yaml(&folder.join("config.yaml"));
    assert!(ours.as_object_mut().unwrap().remove("scenario").is_some());
    let theirs = read_yaml(&fixture("reference-replay/config.yaml"));
    let (mut missing, mut own, mut differing) = (Vec::new(), Vec::new(), Vec::new());
    for (place, value) in leaves(&theirs) {
        match leaves(&ours).get(&place) {
            None => missing.push(place),
            Some(ours) if *ours != value => differing.push(format!("{place}: {ours}, not {value}")),
            Some(_) => {}
        }
    }
    own.extend(leaves(&ours).into_keys().filter(|place| !leaves(&theirs).contains_key(place)));
    assert_eq!(own, [] as [&str; 0]);
    // What only that client has: its processes and queues, and values that it never sends.
    insta::assert_snapshot!(missing.join("\n"), @"
    enable_cpu_affinity
    model_params.min_new_tokens
    model_params.skip_special_tokens
    settings.client.auto_warmup_budget_fraction
    settings.client.log_level
    settings.client.max_concurrent_warmup_connects
    settings.client.min_required_connections
    settings.client.num_workers
    settings.client.transport.high_water_mark
    settings.client.transport.immediate
    settings.client.transport.io_threads
    settings.client.transport.linger
    settings.client.transport.recv_buffer_size
    settings.client.transport.send_buffer_size
    settings.client.transport.type
    settings.client.transport.worker_io_threads
    settings.client.worker_force_kill_timeout
    settings.client.worker_gc_mode
    settings.client.worker_graceful_shutdown_wait
    settings.client.worker_initialization_timeout
    settings.drain.metrics_drain_timeout_s
    settings.drain.metrics_tokenizer_workers
    settings.drain.performance_timeout_s
    settings.drain.warmup_timeout_s
    settings.profiling
    settings.service_ready_timeout_s
    verbose
    ");
    insta::assert_snapshot!(differing.join("\n"), @r#"
    report_dir: "points/r2", not "report"
    settings.client.stream_all_chunks: true, not false
    settings.runtime.max_duration_ms: 0, not 36000000
    "#);

    let ours = read_json(&folder.join("metrics/final_snapshot.json"));
    let theirs = golden_json("reference-replay/final_snapshot.json");
    let by_name = |snapshot: &Value| -> BTreeMap<String, Value> {
        let metrics = snapshot["metrics"].as_array().unwrap().iter();
        metrics
            .map(|metric| (metric["name"].as_str().unwrap().to_owned(), metric.clone()))
            .collect()
    };
    let theirs = by_name(&theirs);
    for (name, metric) in by_name(&ours) {
        super::golden::assert_alike(&metric, &theirs[&name], &name);
    }

    let point = read_yaml(&folder.join("point.yaml"));
    assert_eq!(point["concurrency"], 2);
    assert_eq!(point["runtime_settings"]["load_pattern"], "agentic_inference");
    assert_eq!(point["runtime_settings"]["runtime"]["sample_index_rng_seed"], 42);
}

#[test]
fn the_configuration_reads_like_one() {
    let home = tempfile::tempdir().unwrap();
    let run = finished_run(&home.path().join("run"));
    let folder = run.path().join("points/r2");
    insta::assert_snapshot!(fs::read_to_string(folder.join("config.yaml")).unwrap(), @r#"
    name: small-golden
    version: "1.0"
    type: online
    model_params:
      name: mock-model
      temperature: 1.0
      top_k: 20
      top_p: 0.95
      repetition_penalty: 1.0
      presence_penalty: 1.5
      chat_template_kwargs:
        preserve_thinking: true
      max_new_tokens: 8192
      streaming: "on"
      tokenizer_name: tokenizer
    datasets:
    - name: agentic_coding
      type: performance
      path: dataset.jsonl
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
        min_duration_ms: 0
        max_duration_ms: 0
        scheduler_random_seed: 42
        dataloader_random_seed: 42
      load_pattern:
        type: agentic_inference
        target_concurrency: 2
      client:
        warmup_connections: 0
        max_connections: -1
        stream_all_chunks: true
        insecure: false
        max_idle_time: 0.5
      warmup:
        enabled: false
        salt: false
        drain: false
        warmup_random_seed: 42
      early_stopping:
        enabled: true
    endpoint_config:
      endpoints:
      - http://127.0.0.1:18901
      api_type: openai
    report_dir: points/r2
    scenario:
      version: "0.1.0"
      digest: bb
      simulated: false
      settings:
        load.tail: drain
    "#);
    insta::assert_snapshot!(fs::read_to_string(folder.join("point.yaml")).unwrap(), @"
    concurrency: 2
    dataset_name: agentic_coding
    dataset_type: Performance
    runtime_settings:
      load_pattern: agentic_inference
      min_sample_count: 30
      stream_all_chunks: true
      runtime:
        scheduler_rng_seed: 42
        sample_index_rng_seed: 42
    warmup:
      duration_s: 0.0
      requests_issued: 0
      requests_completed: 0
      data_source: none; no warm-up was performed
      concurrency: 0
      initialization_steps: []
      logs_retained: false
    ");
}
