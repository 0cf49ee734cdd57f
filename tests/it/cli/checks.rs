//! `compliance.checks`: the author's own rules at the end of a run and in an audit.

use super::fixture;
use super::process::{Sandbox, assert_done};

const CHECKS: &str = "compliance:\n  checks:\n\
    \x20   - { id: all-answered, require: turns.failed == 0 and turns.issued > 0 }\n\
    \x20   - { id: fast, when: concurrency > 1, require: ttft.p90_ms <= 0.001 }\n\
    \x20   - { id: scored, require: accuracy.swe_bench_percent >= 50, severity: warning }\n\
    \x20   - { id: real, require: not simulated, severity: note }\n\
    \x20   - { id: guarded, require: accuracy.swe_bench_percent is undefined or turns.failed > 1 }\n";

fn checked(checks: &str) -> Sandbox {
    fixture::simulated(checks)
}

#[test]
fn what_does_not_hold_is_told_and_an_error_is_exit_code_1() {
    let sandbox = checked(CHECKS);
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "a", "-q"]);
    assert_eq!(done.code, Some(1), "{done}");
    insta::with_settings!({filters => vec![(r"ttft\.p90_ms is [\d.]+", "ttft.p90_ms is [TIME]")]}, {
        insta::assert_snapshot!(done.stderr.trim_end(), @r"
        warning[x-check]: check scored: it cannot be judged without a value of accuracy.swe_bench_percent
        --> results/small/a/points/r1/performance/result_summary.json
         = note: required: accuracy.swe_bench_percent >= 50
         = note: rules: the scenario, compliance.checks
         = help: look at the point's report, or change the check

        note[x-check]: check real: simulated is true
        --> results/small/a/points/r1/performance/result_summary.json
         = note: required: not simulated
         = note: rules: the scenario, compliance.checks
         = help: look at the point's report, or change the check

        error[x-check]: check fast: ttft.p90_ms is [TIME]
        --> results/small/a/points/r2/performance/result_summary.json
         = note: required: ttft.p90_ms <= 0.001 when concurrency > 1
         = note: rules: the scenario, compliance.checks
         = help: look at the point's report, or change the check

        warning[x-check]: check scored: it cannot be judged without a value of accuracy.swe_bench_percent
        --> results/small/a/points/r2/performance/result_summary.json
         = note: required: accuracy.swe_bench_percent >= 50
         = note: rules: the scenario, compliance.checks
         = help: look at the point's report, or change the check

        note[x-check]: check real: simulated is true
        --> results/small/a/points/r2/performance/result_summary.json
         = note: required: not simulated
         = note: rules: the scenario, compliance.checks
         = help: look at the point's report, or change the check
        ");
    });
    assert!(done.last_line().ends_with("results/small/a"), "{done}");
    // The audit finds the same, by the scenario that the result directory holds.
    let audit = sandbox.run(&["audit", "results/small/a", "-q", "--format", "github"]);
    let found: Vec<&str> = audit.stdout.lines().filter(|line| line.contains("x-check")).collect();
    assert_eq!(found.len(), 5, "{audit}");
    assert_eq!(audit.code, Some(1));
    let official = sandbox.run(&["audit", "results/small/a", "-q", "--official"]);
    assert!(!official.stdout.contains("x-check"));
}

#[test]
fn an_audit_may_use_other_checks_than_the_run_had() {
    let sandbox = checked("");
    let done = sandbox.run(&["run", "small.yaml", "--run-id", "a", "-q"]);
    assert_eq!(done.code, Some(0), "{done}");
    sandbox.write("strict.yaml", &format!("extends: small.yaml\n{CHECKS}"));
    let arguments = ["audit", "results/small/a", "-q", "--format", "github"];
    let count = |more: &[&str]| {
        let done = sandbox.run(&[&arguments[..], more].concat());
        done.stdout.lines().filter(|line| line.contains("x-check")).count()
    };
    assert_eq!((count(&[]), count(&["--scenario", "strict.yaml"])), (0, 5));
}

#[test]
fn checks_that_hold_are_not_mentioned() {
    let sandbox = checked("compliance: { checks: [{ id: all, require: turns.failed == 0 }] }\n");
    assert_done!(sandbox.run(&["run", "small.yaml", "--run-id", "a", "-q", "--points", "2"]), @r"
    exit code: 0
    ----- stdout -----
                                    window   TTFT ms   TTFT ms   TPOT ms   TPOT ms     E2E   system   TPS/    OSL
     concurrency   turns   failed        s       p50       p90       p50       p90   tok/s      TPS   user   mean
    ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
    [ROW]

    SIMULATED: the endpoint was simulated; these numbers measure no real system.
    Token counts are server-reported, not official: the rules count with the reference tokenizer.
    results/small/a
    ----- stderr -----
    ");
}

#[test]
fn every_name_of_the_vocabulary_is_documented() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/audit.md");
    let text = std::fs::read_to_string(path).unwrap();
    for name in scenario::scenario::expression::names() {
        assert!(
            text.contains(&format!("| `{}", name.name)),
            "{} is not in docs/audit.md",
            name.name
        );
        for part in name.parts.iter().filter(|part| !part.starts_with('p')) {
            assert!(text.contains(&format!("`.{part}`")), "{}.{part}", name.name);
        }
    }
}
