//! Several data sets in one scenario: plan, run, the event log, and the score.

use serde_json::Value;

use super::fixture::dataset;
use super::process::Sandbox;

/// Two data sets with the same three ids, and one conversation that only the second has.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let rows = dataset();
    sandbox.write("a.jsonl", &rows);
    let first: String = rows.split_inclusive('\n').take(3).collect();
    let own = first.replace("\"one\"", "\"own\"").replace("Größe", "Own");
    sandbox.write("b.jsonl", &(rows.replace("Größe", "Other") + &own));
    sandbox
}

fn write(sandbox: &Sandbox, sets: &str, mix: &str) {
    let text = format!(
        "schema: scenario/v1\nname: mixed\nmodel: {{ name: m }}\n\
         endpoint: {{ simulated: {{ ttft: 1ms, inter_token: 0ms }} }}\n\
         datasets: [{sets}]\nmix: {{ {mix} }}\nload: {{ concurrency: [1], tool_delays: none }}\n"
    );
    sandbox.write("mixed.yaml", &text);
}

const SETS: &str = "{ name: a, path: a.jsonl }, { name: b, path: b.jsonl }";

/// Runs the scenario; the sessions in the order in which their first turns were issued, and where the
/// result is.
fn run(sandbox: &Sandbox) -> (Vec<String>, String) {
    let done = sandbox.run(&["run", "mixed.yaml"]);
    assert_eq!(done.code, Some(0), "{done}");
    let result = done.last_line().to_owned();
    let events = sandbox.read(format!("{result}/points/r1/events.jsonl"));
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let first = events.filter(|event| event["event_type"] == "sample.issued" && event["turn"] == 1);
    let sessions = first.map(|event| event["conversation_id"].as_str().unwrap().to_owned());
    (sessions.collect(), result)
}

#[test]
fn orders_takes_and_shared_ids_show_in_the_event_log() {
    let sandbox = sandbox();
    for (sets, mix, expected) in [
        (SETS, "order: sequential", "a/one a/two a/three b/one b/two b/three own"),
        (SETS, "order: sequential, take: { a: 1, b: 2 }", "a/one b/one b/two"),
        // Not what is taken decides which ids are shared, nor the order of the data sets.
        (SETS, "order: sequential, take: { b: 0 }", "a/one a/two a/three"),
        (
            "{ name: b, path: b.jsonl }, { name: a, path: a.jsonl }",
            "order: sequential, take: { a: 1 }",
            "b/one b/two b/three own a/one",
        ),
        (SETS, "order: interleaved", "b/one a/one b/two a/two b/three a/three own"),
        (
            SETS,
            "order: sequential, take: { a: 2, b: 1 }, passes: 2",
            "a/one a/two b/one a/one__repeat_2 a/two__repeat_2 b/one__repeat_2",
        ),
        (
            SETS,
            "order: interleaved, take: { a: 2 }, weights: { a: 1, b: 2 }",
            "b/one a/one b/two b/three a/two own",
        ),
        (
            SETS,
            "order: sequential, take: { a: 1, b: 2 }, weights: { a: 2 }",
            "a/one a/one__repeat_2 a/one__repeat_3 a/one__repeat_4 b/one b/two",
        ),
    ] {
        write(&sandbox, sets, mix);
        assert_eq!(run(&sandbox).0.join(" "), expected, "{sets} {mix}");
    }
}

#[test]
fn plan_run_and_score_speak_of_the_same_mix() {
    let sandbox = sandbox();
    write(&sandbox, SETS, "order: shuffled, seed: 7, weights: { b: 2 }");
    let digests = sandbox.run(&["plan", "mixed.yaml", "--digest"]);
    assert_eq!(digests.code, Some(0), "{digests}");
    let plan = sandbox.run(&["plan", "mixed.yaml", "--format", "json"]);
    let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
    // Three rounds play all of `a`; six of `b` are its four and two again.
    assert_eq!((&plan["trajectories"], &plan["trajectories_per_pass"]), (&9.into(), &9.into()));
    let (sessions, result) = run(&sandbox);
    assert_eq!(sessions.len(), 9);
    assert_eq!(sessions.iter().filter(|id| id.starts_with("a/")).count(), 3);
    assert_eq!(sessions.iter().filter(|id| id.ends_with("__repeat_2")).count(), 2);
    let check: Value =
        serde_json::from_str(&sandbox.read(format!("{result}/points/r1/self_check.json"))).unwrap();
    let digest = check["replay_digest"].as_str().unwrap();
    assert!(digests.stdout.contains(digest), "{digests} {check}");
    // Nobody finds fault with the log of a weighted mix.
    let audit = sandbox.run(&["audit", &result]);
    assert!(!audit.stdout.contains("[x-replay"), "{audit}");
    // Recorded answers score 1, under whatever name they are played.
    let score = sandbox.run(&["score", &result, "--format", "json"]);
    let score: Value = serde_json::from_str(&score.stdout).unwrap_or_else(|_| panic!("{score}"));
    assert!(score.to_string().contains("\"score\":1.0"), "{score}");
}

#[test]
fn validate_tells_of_shared_ids_and_of_unknown_weights() {
    let sandbox = sandbox();
    write(&sandbox, SETS, "weights: { b: 2, c: 1 }");
    insta::assert_snapshot!(sandbox.run(&["validate", "mixed.yaml"]), @r"
exit code: 1
----- stdout -----
warning[shared-conversation-id]: two data sets share the conversation `one` and 2 more
 --> mixed.yaml:5:57
  |
5 | datasets: [{ name: a, path: a.jsonl }, { name: b, path: b.jsonl }]
  |                             ------- also here           ^^^^^^^
  |
  = note: they are sent and logged as `a/one` and `b/one`

error[weights-unknown]: `mix.weights` names `c`, but no data set is called so
 --> mixed.yaml:6:28
  |
6 | mix: { weights: { b: 2, c: 1 } }
  |                            ^
  |
  = help: data sets: a, b
----- stderr -----
mixed.yaml: 1 error, 1 warning
");
}
