//! `audit.output_caching`: a server that keeps whole replies is found out, an honest one is not.

use serde_json::Value;

use super::fixture;
use super::process::Sandbox;

fn run(simulated: &str) -> (Sandbox, Option<i32>, String) {
    let sandbox = Sandbox::new();
    // Conversations that differ, for a server that keeps replies answers like prompts alike.
    let different = |line: &str| {
        let id = line.split('"').nth(3).unwrap();
        line.replace("Größe?", &format!("Größe von {id}?")) + "\n"
    };
    sandbox.write("data.jsonl", &fixture::dataset().lines().map(different).collect::<String>());
    let endpoint = format!("{{ simulated: {{ ttft: 20ms, inter_token: 1ms{simulated} }} }}");
    let more = "load: { concurrency: [1], tool_delays: none }\n\
                audit: { output_caching: { trajectories: 3, concurrency: 1 } }\n";
    sandbox.write("small.yaml", &fixture::scenario(&endpoint, more));
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "a"]);
    (sandbox, done.code, done.stderr)
}

/// The audit's findings about output caching.
fn findings(sandbox: &Sandbox) -> Vec<String> {
    let done = sandbox.run(&["audit", "results/small/a", "-q", "--format", "github"]);
    let lines = done.stdout.lines().filter(|line| line.contains("title=x-output-caching"));
    lines.map(str::to_owned).collect()
}

fn result(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read("results/small/a/output_caching.json")).unwrap()
}

#[test]
fn an_honest_server_is_not_faster_for_a_repeated_trajectory() {
    let (sandbox, code, stderr) = run("");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("output caching: a repeated trajectory is"), "{stderr}");
    let result = result(&sandbox);
    assert_eq!(
        (&result["reference"]["turns"], &result["repeated"]["turns"]),
        (&4.into(), &12.into())
    );
    assert_eq!(result["reference"]["unit"], "tokens");
    assert!(result["faster_percent"].as_f64().unwrap() < 10.0, "{result}");
    assert_eq!(findings(&sandbox), [""; 0]);
    let log = sandbox.read("results/small/a/output_caching/repeated.jsonl");
    let ids = ["two__repeat_2", "two__repeat_3", "two__repeat_4"];
    let one = ["one__repeat_2", "three__repeat_2"];
    let chosen = result["conversation"].as_str().unwrap();
    assert!(ids.iter().all(|id| log.contains(&id.replace("two", chosen))), "{chosen}");
    assert!(one.iter().filter(|id| log.contains(*id)).count() <= 1);
}

#[test]
fn a_server_that_keeps_replies_is_found_out() {
    let (sandbox, code, stderr) = run(", output_cache: true");
    assert_eq!(code, Some(1), "{stderr}");
    let result = result(&sandbox);
    assert!(result["faster_percent"].as_f64().unwrap() > 50.0, "{result}");
    let found = findings(&sandbox);
    assert!(found.len() == 1 && found[0].contains("%25 faster"), "{found:?}");
    // The percentage and a generous threshold are not taken at their word.
    let mut changed = result.clone();
    changed["faster_percent"] = 0.into();
    changed["threshold_percent"] = 1000.into();
    sandbox.write("results/small/a/output_caching.json", &changed.to_string());
    assert_eq!(findings(&sandbox).len(), 1);
    changed["repeated"]["failed"] = 1.into();
    sandbox.write("results/small/a/output_caching.json", &changed.to_string());
    assert!(findings(&sandbox)[0].starts_with("::warning"));
    sandbox.write("results/small/a/output_caching.json", "{ \"reference\": ");
    assert!(findings(&sandbox)[0].contains("cannot be used"));
}
