//! `extends`, variables, overrides and paths of scenarios that are right.

use scenario::scenario::model::{Division, Order, Tail};

use super::support::{CONVERSATION, folder, human, load, load_with};

const BASE: &str = "\
schema: scenario/v1
name: base
model: { name: m, tokenizer: ../tok, sampling: { temperature: 1.0, top_k: 20, stop: [a, b] } }
endpoint: { urls: ['${SET_URL}', 'http://second:1'], usage: false }
datasets: [{ name: a, path: ../data/a.jsonl }]
load: { concurrency: [1, 2, 3], tail: stop }
compliance: { checks: [{ id: c, require: concurrency > 0 }] }
";

const MAIN: &str = "\
extends: base/base.yaml
name: main
model: { sampling: { top_k: 5, temperature: , stop: [c] } }
endpoint: { urls: , simulated: { ttft: 1ms } }
load: { concurrency: [2] }
mix: { passes: '${PASSES}', seed: '${NOT_SET:-7}', order: '${NOT_SET:-shuffled}' }
";

fn files() -> tempfile::TempDir {
    folder(&[
        ("base/base.yaml", BASE),
        ("main.yaml", MAIN),
        ("data/a.jsonl", CONVERSATION),
        ("tok/tokenizer.json", "{}"),
    ])
}

#[test]
fn a_file_is_merged_onto_the_one_that_it_extends() {
    let folder = files();
    let loaded = load(&folder.path().join("main.yaml"));
    assert_eq!(human(&loaded), "");
    let valid = loaded.scenario.unwrap();
    assert_eq!((valid.name.as_str(), valid.model.name.as_str()), ("main", "m"));
    assert_eq!(valid.load.concurrency.points(), [2]);
    assert_eq!(valid.load.tail, Tail::Stop);
    assert_eq!((valid.mix.passes, valid.mix.seed, valid.mix.order), (3, 7, Order::Shuffled));
    assert_eq!(valid.datasets[0].path, folder.path().join("data/a.jsonl"));
    assert_eq!(valid.model.tokenizer, Some(folder.path().join("tok")));
    insta::assert_snapshot!(valid.resolved_yaml(), @r"
    schema: scenario/v1
    name: main
    model:
      name: m
      tokenizer: tok
      sampling:
        top_k: 5
        stop:
        - c
    endpoint:
      simulated:
        ttft: 1ms
        inter_token: 4ms
        batch_slowdown: 0.0
        chunk_tokens: 1
        replies: recorded
        wrong_share: 0.0
        cache:
          block_tokens: 16
          capacity_blocks: 262144
          ignores_salt: false
        output_cache: false
        reasoning_field: reasoning_content
        seed: 42
      session_header: X-Session-ID
      usage: false
      reasoning_field: reasoning_content
      connect_timeout: 10s
      max_idle: 500ms
    datasets:
    - name: a
      path: data/a.jsonl
    mix:
      order: shuffled
      passes: 3
      seed: 7
    load:
      concurrency:
      - 2
      turn_timeout: 4h
      tool_delays: recorded
      tail: stop
    cache:
      salt: true
      generated_tokens: clear
    accuracy:
      inline: false
      output_length: false
    compliance:
      checks:
      - id: c
        require: concurrency > 0
        severity: error
    log:
      prompts: false
    ");
}

#[test]
fn the_digest_is_of_the_meaning_not_of_the_place_or_the_text() {
    let digest = |folder: &tempfile::TempDir, file: &str| {
        load(&folder.path().join(file)).scenario.unwrap().digest
    };
    let (one, two) = (files(), files());
    assert_eq!(digest(&one, "main.yaml"), digest(&two, "main.yaml"));
    let commented = format!("# a comment\n{MAIN}\nlog: {{ prompts: false }}\n");
    std::fs::write(two.path().join("main.yaml"), commented).unwrap();
    assert_eq!(digest(&one, "main.yaml"), digest(&two, "main.yaml"));
    std::fs::write(two.path().join("main.yaml"), MAIN.replace("[2]", "[3]")).unwrap();
    assert_ne!(digest(&one, "main.yaml"), digest(&two, "main.yaml"));
}

#[test]
fn the_resolved_document_is_a_scenario_of_the_same_digest() {
    let folder = files();
    let first = load(&folder.path().join("main.yaml")).scenario.unwrap();
    std::fs::write(folder.path().join("resolved.yaml"), first.resolved_yaml()).unwrap();
    let second = load(&folder.path().join("resolved.yaml")).scenario.unwrap();
    assert_eq!(second.digest, first.digest);
    assert_eq!(*second, *first);
}

#[test]
fn overrides_take_the_type_that_the_schema_asks_for() {
    let folder = files();
    let set = [
        ("name", "2024"),
        ("load.concurrency", "[2, 1]"),
        ("load.tool_delays.scale", "0.5"),
        ("datasets[0].name", "yes"),
        ("mix.passes", "2"),
        ("model.sampling.stop.0", "12"),
        ("model.tokenizer", ""),
        ("description", "a: b"),
    ];
    let loaded = load_with(&folder.path().join("main.yaml"), &set);
    assert_eq!(human(&loaded), "");
    let valid = loaded.scenario.unwrap();
    assert_eq!((valid.name.as_str(), valid.description.as_str()), ("2024", "a: b"));
    assert_eq!((valid.datasets[0].name.as_str(), valid.mix.passes), ("yes", 2));
    assert_eq!(valid.load.concurrency.points(), [2, 1]);
    assert_eq!(valid.model.sampling.stop, Some(vec!["12".to_owned()]));
    assert_eq!(valid.model.tokenizer, None);
}

#[test]
fn findings_about_overrides_point_at_the_command_line() {
    let folder = files();
    let set = [
        ("load.turn_timeout", "30"),
        ("load.concurrency.first", "1"),
        ("datasets[3].name", "x"),
        ("name.first", "x"),
        ("load..x", "1"),
        ("mix.ordr", "shuffled"),
        ("model.tokenizer", "/no/such/place"),
    ];
    insta::assert_snapshot!(human(&load_with(&folder.path().join("main.yaml"), &set)), @r"
    error[wrong-format]: `load.turn_timeout` must be a duration: `30` has no unit: write 30ms, 30s, 30m or 30h
     --> --set:1:19
      |
    1 | load.turn_timeout=30
      |                   ^^ expected a duration such as 250ms, 30s or 4h
      |
      = note: Longest time for one turn; a turn that takes longer fails and ends its conversation.

    error[override-path]: `--set load.concurrency.first` cannot be applied: `first` is no index from 0 to 0
     --> --set:2:1
      |
    2 | load.concurrency.first=1
      | ^^^^^^^^^^^^^^^^^^^^^^ leads nowhere
      |
      = help: write the path as in `load.turn_timeout` or `datasets[0].path`

    error[override-path]: `--set datasets[3].name` cannot be applied: `3` is no index from 0 to 0
     --> --set:3:1
      |
    3 | datasets[3].name=x
      | ^^^^^^^^^^^^^^^^ leads nowhere
      |
      = help: write the path as in `load.turn_timeout` or `datasets[0].path`

    error[override-path]: `--set name.first` cannot be applied: `first` would be inside a text
     --> --set:4:1
      |
    4 | name.first=x
      | ^^^^^^^^^^ leads nowhere
      |
      = help: write the path as in `load.turn_timeout` or `datasets[0].path`

    error[override-path]: `--set load..x` cannot be applied: it is no path
     --> --set:5:1
      |
    5 | load..x=1
      | ^^^^^^^ leads nowhere
      |
      = help: write the path as in `load.turn_timeout` or `datasets[0].path`

    error[unknown-key]: unknown key `ordr` in `mix`
     --> --set:6:1
      |
    6 | mix.ordr=shuffled
      | ^^^^^^^^ not known here
      |
      = help: did you mean `order`?

    error[file-missing]: `/no/such/place` does not exist
     --> --set:7:17
      |
    7 | model.tokenizer=/no/such/place
      |                 ^^^^^^^^^^^^^^
      |
      = note: looked for /no/such/place
    ");
}

#[test]
fn a_complete_submission_is_fine() {
    let folder = folder(&[
        ("a.jsonl", CONVERSATION),
        ("system.yaml", "division: Standardized\n"),
        ("power.json", "{}"),
        ("ids.txt", "astropy__astropy-12907\n"),
        ("vllm/ReadMe.md", ""),
        (
            "s.yaml",
            "\
schema: scenario/v1
name: s
model: { name: m, benchmark: kimi-k3, sampling: { temperature: 1, top_p: 1, max_tokens: 8192 } }
endpoint: { urls: [http://localhost:8000] }
datasets: [{ name: a, path: a.jsonl }]
mix: { order: shuffled, seed: 586478644936801402 }
load: { concurrency: [1, 8, 16, 64, 128, 256, 512] }
accuracy: { inline: true, swe_bench: { service: 'http://s:1', at: [16, 8, 64, 256], instance_ids: ids.txt } }
compliance: { ruleset: mlperf-endpoints-agentic/v1.0 }
submission:
  organisation: o
  division: Standardized
  target_cohort: 2026-11-C1
  seed_set: A
  system: system.yaml
  power: power.json
  implementation: vllm
  model: { precision: FP8, link: 'https://example.com/model' }
  dataset: { name: Agentic, link: 'https://example.com/data' }
",
        ),
    ]);
    let loaded = load(&folder.path().join("s.yaml"));
    // The official data set cannot be here.
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["ruleset-dataset", "sweep-idle"]);
    let request = scenario::scenario::LoadRequest {
        path: &folder.path().join("s.yaml"),
        env: &|_| None,
        set: &[],
        depth: scenario::scenario::Depth::File,
    };
    let valid = scenario::scenario::load(&request).scenario.unwrap();
    assert_eq!(valid.submission.as_ref().unwrap().division, Division::Standardized);
}

#[test]
fn shipped_scenarios_load() {
    for name in [
        "quickstart",
        "coding-workflow",
        "qwen3.6-35b-a3b",
        "kimi-k3",
        "kimi-k2.6",
        "deepseek-v4.1-flash",
    ] {
        let loaded = load(std::path::Path::new(&format!("scenarios/{name}.yaml")));
        assert!(loaded.scenario.is_some(), "{}", human(&loaded));
    }
}

#[test]
fn the_schema_file_is_the_generated_one() {
    let file = std::fs::read_to_string("schemas/scenario.schema.json").unwrap();
    assert!(
        file == scenario::scenario::json_schema_text(),
        "scenario schema > schemas/scenario.schema.json"
    );
}
