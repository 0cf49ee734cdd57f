//! `scenario plan`, on a small scenario and on every shipped one.

use std::path::Path;

use super::fixture;
use super::process::{Sandbox, assert_done};

#[test]
fn a_plan_says_what_would_run() {
    let sandbox = fixture::simulated("");
    assert_done!(sandbox.run(&["plan", "small.yaml"]), @r"
    exit code: 0
    ----- stdout -----
    scenario  small
    digest    [DIGEST]
    model     m
    endpoint  simulated, inside this program: its numbers measure no real system
    data set  data: 3 of 3 trajectories, 12 client turns, 120ms of delays, 3.90 kB
              [DIR]/data.jsonl sha256 15e344b18aebc8b9
    mix       interleaved, 3 trajectories (1 pass over 3)
    a point   12 requests, 7.43 kB of bodies (longest 976 B), 47 % of it a prefix that a server may share,
              1.78 kB of recorded replies, 120ms of delays

     value                                      is                  from
    ─────────────────────────────────────────────────────────────────────────────
     schema                                     scenario/v1         small.yaml:1
     name                                       small               small.yaml:2
     model.name                                 m                   small.yaml:3
     endpoint.simulated.ttft                    2ms                 small.yaml:4
     endpoint.simulated.inter_token             1ms                 small.yaml:4
     endpoint.simulated.batch_slowdown          0.0                 default
     endpoint.simulated.chunk_tokens            1                   default
     endpoint.simulated.replies                 recorded            default
     endpoint.simulated.wrong_share             0.0                 default
     endpoint.simulated.cache.block_tokens      16                  default
     endpoint.simulated.cache.capacity_blocks   262144              default
     endpoint.simulated.cache.ignores_salt      false               default
     endpoint.simulated.output_cache            false               default
     endpoint.simulated.reasoning_field         reasoning_content   default
     endpoint.simulated.seed                    42                  default
     endpoint.session_header                    X-Session-ID        default
     endpoint.usage                             true                default
     endpoint.reasoning_field                   reasoning_content   default
     endpoint.connect_timeout                   10s                 default
     endpoint.max_idle                          500ms               default
     datasets[0].name                           data                small.yaml:5
     datasets[0].path                           data.jsonl          small.yaml:5
     mix.order                                  interleaved         default
     mix.passes                                 1                   default
     mix.seed                                   42                  default
     load.concurrency                           [1,2]               small.yaml:6
     load.turn_timeout                          4h                  default
     load.tool_delays                           recorded            default
     load.tail                                  drain               default
     cache.salt                                 true                default
     cache.generated_tokens                     clear               default
     accuracy.inline                            false               default
     accuracy.output_length                     false               default
     log.prompts                                false               default

     concurrency   active   delays alone   window   whole replay
    ─────────────────────────────────────────────────────────────
               1        1          120ms    588ms          588ms
               2        2           80ms    196ms          392ms

    Expected times are the simulated endpoint's own model. All points together: about 980ms.
    ----- stderr -----
    ");
}

#[test]
fn a_plan_as_json_holds_the_same() {
    let sandbox = fixture::simulated("mix: { passes: 2 }\n");
    let done = sandbox.run(&["plan", "small.yaml", "--format", "json", "--turn-time", "2s"]);
    let plan: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(plan["per_point"]["requests"], 2 * fixture::TURNS);
    assert_eq!(plan["points"][1]["concurrency"], 2);
    assert_eq!(plan["turn_time"], serde_json::json!({ "from": "assumed", "seconds": 2.0 }));
    assert_eq!(plan["points"][0]["delays_only_s"], 0.24);
    assert_eq!(plan["points"][0]["expected_s"], 48.24);
}

#[test]
fn the_digest_depends_on_what_is_sent_and_on_nothing_else() {
    let sandbox = fixture::simulated("");
    let digest = |set: &str| {
        let done = sandbox.run(&["plan", "small.yaml", "--digest", "--set", set]);
        assert_eq!(done.code, Some(0), "{done}");
        done.stdout
    };
    let plain = digest("name=other");
    assert_eq!(plain.trim().len(), 64);
    assert_eq!(plain, digest("load.concurrency=[7]"));
    assert_eq!(plain, digest("endpoint.simulated.ttft=1s"));
    for changed in ["model.name=n", "cache.salt=false", "mix.passes=2", "endpoint.usage=false"] {
        assert_ne!(plain, digest(changed), "{changed}");
    }
}

#[test]
fn every_shipped_scenario_is_planned() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(root.join("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "yaml"))
        .collect();
    names.sort();
    assert!(names.len() >= 6, "{names:?}");
    let sandbox = Sandbox::new();
    for name in names {
        // From the repository, so that no width in the output depends on where it lies.
        let mut command = sandbox.command(&["plan", &format!("scenarios/{name}")]);
        let done = command.current_dir(root).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let stdout = String::from_utf8(done.stdout).unwrap();
        insta::with_settings!({filters => vec![
            (env!("CARGO_MANIFEST_DIR"), "[REPOSITORY]"),
            (r"(digest    )[0-9a-f]{64}", "$1[DIGEST]"),
        ]}, { insta::assert_snapshot!(format!("plan {name}"), stdout) });
    }
}
