//! What is valid passes; run folders and result directories are judged as far as rules apply.

use std::path::Path;

use scenario::compliance::{Kind, Registries, audit};
use scenario::diagnostics::Severity;

use super::tree::{POINTS, Tree, copy, fixture, judge, line, ruleset};

const NO_EVENTS: &str = "W x-log-missing empty events.jsonl";

#[test]
fn the_valid_submission_passes_without_a_finding() {
    let tree = Tree::new();
    assert_eq!(tree.faults(), [""; 0]);
    let report = judge(&fixture("valid-submission/example_org"));
    assert!(report.passes(true));
    assert_eq!((report.kind, report.faults().count()), (Kind::Submission, 0));
    // As many results as the official checker has, passed checks included.
    assert_eq!(report.findings.len(), 242);
}

#[test]
fn a_path_that_is_not_there_is_the_only_finding() {
    let report = judge(Path::new("/nowhere/at/all"));
    let lines: Vec<String> = report.faults().map(|f| line(f, Path::new("/"))).collect();
    assert_eq!(lines, ["E path-exists fail nowhere/at/all"]);
}

#[test]
fn a_run_folder_is_judged_by_the_rules_of_points() {
    let run = fixture("run-folder");
    let report = judge(&run);
    let lines: Vec<String> = report.faults().map(|f| line(f, &run)).collect();
    // Its log is there and empty.
    assert_eq!((report.kind, lines), (Kind::Run, vec![NO_EVENTS.to_owned()]));
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("r12");
    copy(&fixture("run-folder"), &run);
    std::fs::remove_file(run.join("performance/result_summary.json")).unwrap();
    std::fs::write(run.join("config.yaml"), "").unwrap();
    let report = judge(&run);
    let lines: Vec<String> = report.faults().map(|f| line(f, &run)).collect();
    assert_eq!(
        lines,
        [
            "E config-file-present invalid config.yaml",
            "E result-summary-present fail performance/result_summary.json",
            NO_EVENTS,
        ]
    );
}

#[test]
fn a_result_directory_is_one_curve() {
    let (tree, directory) = (Tree::new(), tempfile::tempdir().unwrap());
    let root = directory.path();
    std::fs::write(root.join("manifest.json"), "{}").unwrap();
    for n in POINTS {
        let run = root.join(format!("points/r{n}"));
        copy(&tree.path(&format!("@r{n}")), &run);
        for (name, below) in
            [("result_summary.json", "performance"), ("accuracy_results.json", "accuracy")]
        {
            std::fs::create_dir_all(run.join(below)).unwrap();
            std::fs::rename(run.join(name), run.join(below).join(name)).unwrap();
        }
        let power = tree.path("$system_power.json");
        std::fs::copy(power, run.join("system_power.json")).unwrap();
    }
    let lines = || -> Vec<String> {
        let report = judge(root);
        assert_eq!(report.kind, Kind::Curve);
        let lines: Vec<String> = report.faults().map(|f| line(f, root)).collect();
        // Submissions, of which this is made, have no logs.
        let (no_log, rest) = lines.into_iter().partition(|l| l.starts_with("W x-log-missing warn"));
        let no_log: Vec<String> = no_log;
        assert_eq!(
            no_log.len(),
            report.findings.iter().filter(|f| f.rule.id == "x-log-missing").count()
        );
        rest
    };
    assert_eq!(lines(), [""; 0]);
    std::fs::remove_dir_all(root.join("points/r32")).unwrap();
    assert_eq!(lines(), ["E point-count fail "]);
}

#[test]
fn registries_from_files_replace_the_embedded_ones() {
    let (tree, directory) = (Tree::new(), tempfile::tempdir().unwrap());
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let lines = |seeds: &str, drafters: &str| {
        let (seeds, drafters) = (file("seeds.yaml", seeds), file("drafters.yaml", drafters));
        let registries = Registries::load(ruleset(), Some(&seeds), Some(&drafters));
        let report = audit(tree.root(), ruleset(), &registries);
        let mut lines: Vec<String> = report.faults().map(|f| line(f, tree.root())).collect();
        lines.dedup_by_key(|line| line.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
        lines
    };
    assert_eq!(
        lines("seed_sets: 3", "[]"),
        ["W seed-set-registry unavailable -", "W drafter-list-registry unavailable -"]
    );
    let seeds = "seed_sets:\n- id: A\n  scheduler_rng_seed: 10487924139932647040\n  \
                 sample_index_rng_seed: 586478644936801402\n  model_seed: 9315206023656308754\n";
    let drafters = "drafters:\n- benchmark: qwen3_6-35b-a3b\n  approved_cohort: 2026-10-C0\n  \
                    weight_checksum: git-sha1:95a723d08a9490559dae23d0cff1d9466213d989\n";
    assert_eq!(lines(seeds, drafters), ["E drafter-approval-lead-time fail @r8/point.yaml"]);
    let later = format!("cohort:\n  cohort-id: 2026-11-C0\n  {}", seeds.replace('\n', "\n  "));
    assert_eq!(
        lines(&later, ""),
        ["E seed-set-adoption fail @r8/point.yaml", "E approved-drafter fail @r8/point.yaml",]
    );
}

#[test]
fn a_submission_of_32_points_takes_no_time() {
    let tree = Tree::new();
    for n in 100..125 {
        tree.copy("@r128", &format!("@r{n}"));
    }
    let report = judge(tree.root());
    assert!(report.count(Severity::Warning) >= 25, "each copy is named after another concurrency");
}
