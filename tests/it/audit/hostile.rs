//! Input that means harm, or is merely broken: findings, never a crash, never a read outside.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use super::tree::{Tree, copy, fixture, judge};

fn has(tree: &Tree, line: &str) {
    let faults = tree.faults();
    assert!(faults.iter().any(|fault| fault == line), "no {line:?} in {faults:#?}");
}

#[test]
fn links_out_of_the_tree_are_not_followed() {
    let (tree, outside) = (Tree::new(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("accuracy.json");
    std::fs::rename(tree.path("@r48/accuracy_results.json"), &secret).unwrap();
    symlink(&secret, tree.path("@r48/accuracy_results.json")).unwrap();
    symlink(outside.path(), tree.path("@r64")).unwrap();
    symlink(tree.root(), tree.path("src/vllm/loop")).unwrap();
    has(&tree, "E x-path-escape fail @r48/accuracy_results.json");
    has(&tree, "E x-path-escape fail @r64");
    has(&tree, "E accuracy-valid io-error @r48/accuracy_results.json");
    // A link that stays inside is as good as a file.
    tree.remove("@r48/accuracy_results.json");
    tree.remove("@r64");
    std::fs::rename(&secret, tree.path("docs/accuracy.json")).unwrap();
    symlink(tree.path("docs/accuracy.json"), tree.path("@r48/accuracy_results.json")).unwrap();
    assert_eq!(tree.faults(), [""; 0]);
}

#[test]
fn special_and_unreadable_files_are_findings() {
    let tree = Tree::new();
    for name in ["point.yaml", "config.yaml", "system_desc.json", "result_summary.json"] {
        tree.remove(&format!("@r48/{name}"));
        std::fs::create_dir(tree.path(&format!("@r48/{name}"))).unwrap();
    }
    std::fs::write(tree.path("@r12/result_summary.json"), b"{\"a\": \"\xff\"}").unwrap();
    std::fs::write(tree.path("@r12/point.yaml"), b"a: \xff").unwrap();
    has(&tree, "E point-config-valid io-error @r48/point.yaml");
    has(&tree, "E config-file-present fail @r48/config.yaml");
    has(&tree, "E system-description-valid fail @r48/system_desc.json");
    has(&tree, "E result-file-valid io-error @r48/result_summary.json");
    has(&tree, "E result-file-valid io-error @r12/result_summary.json");
    has(&tree, "E point-config-valid io-error @r12/point.yaml");
}

#[test]
fn huge_and_deep_files_are_refused() {
    let tree = Tree::new();
    // Sparse: 100 MiB that take no room.
    let file = std::fs::File::create(tree.path("@r48/result_summary.json")).unwrap();
    file.set_len(100 << 20).unwrap();
    tree.write("@r12/result_summary.json", &"[".repeat(200_000));
    tree.write("@r12/point.yaml", &"[".repeat(200_000));
    tree.write("@r8/config.yaml", &"a: &a [*a]\n".repeat(3));
    tree.write("@r32/accuracy_results.json", &format!("[{}1]", "1,".repeat(3_000_000)));
    has(&tree, "E result-file-valid io-error @r48/result_summary.json");
    has(&tree, "E result-file-valid parse-error @r12/result_summary.json");
    has(&tree, "E point-config-valid parse-error @r12/point.yaml");
    has(&tree, "E config-file-present invalid @r8/config.yaml");
    has(&tree, "E accuracy-valid parse-error @r32/accuracy_results.json");
}

#[test]
fn ten_thousand_points_are_counted_and_a_part_is_read() {
    let tree = Tree::new();
    for n in 1_000..10_993 {
        std::fs::create_dir(tree.path(&format!("@r{n}"))).unwrap();
    }
    has(&tree, "E point-cap fail @");
    has(&tree, "E x-limit fail @");
}

#[test]
fn names_that_are_no_text_are_named() {
    let tree = Tree::new();
    let name = std::ffi::OsStr::from_bytes(b"notes-\xff.txt");
    std::fs::write(tree.path("docs").join(name), "").unwrap();
    std::fs::create_dir(tree.path("@").join(std::ffi::OsStr::from_bytes(b"r\xff"))).unwrap();
    has(&tree, "W x-name-not-utf8 warn docs/notes-\u{fffd}.txt");
}

#[test]
fn numbers_beyond_every_type_are_findings() {
    let tree = Tree::new();
    let huge = "9".repeat(60);
    tree.replace("@r48/point.yaml", "concurrency: 48\n", &format!("concurrency: {huge}\n"));
    tree.replace(
        "@r12/result_summary.json",
        "\"n_samples_issued\": ",
        &format!("\"n_samples_issued\": {huge}"),
    );
    tree.replace(
        "@r8/result_summary.json",
        "\"n_samples_issued\": ",
        &format!("\"n_samples_failed\": -{huge}, \"n_samples_issued\": "),
    );
    std::fs::create_dir(tree.path(&format!("@r{huge}"))).unwrap();
    has(&tree, "E concurrency-in-range fail @r48/point.yaml");
    has(&tree, "E metric-consistency-accounting fail @r12/result_summary.json");
}

#[test]
fn event_logs_that_mean_harm_are_findings() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("r12");
    copy(&fixture("run-folder"), &run);
    let log = run.join("events.jsonl");
    let found = || -> Vec<String> {
        let report = judge(&run);
        report.faults().map(|finding| format!("{}: {}", finding.rule.id, finding.found())).collect()
    };
    let issued =
        |more: &str| format!("{{\"event_type\":\"sample.issued\",\"timestamp_ns\":1{more}}}\n");
    let deep = format!(",\"data\":{}", "[".repeat(200_000));
    for (text, reason) in [
        ("\u{0}\u{1}".to_owned(), "expected one JSON object per line"),
        ("[1]\n".to_owned(), "expected one JSON object per line"),
        ("{\"event_type\":\"sample.issued\",\"timestamp_ns\":NaN}\n".to_owned(), "expected"),
        (issued(""), "sample_uuid is \"\""),
        (issued(&deep), "expected value"),
        (issued(",\"timestamp_ns\":2"), "duplicate field"),
        (
            "{\"event_type\":\"session.started\",\"timestamp_ns\":1,\"format\":{\"version\":99}}\n"
                .to_owned(),
            "format version 99",
        ),
        (format!("{{\"a\":\"{}", "x".repeat(65 << 20)), "longer than 67108864 bytes"),
    ] {
        std::fs::write(&log, text).unwrap();
        let found = found();
        let told = |line: &&String| line.starts_with("x-log-unusable: ") && line.contains(reason);
        assert!(found.iter().any(|line| told(&line)), "no {reason:?} in {found:?}");
    }
    std::fs::remove_file(&log).unwrap();
    std::fs::create_dir(&log).unwrap();
    assert_eq!(found(), ["x-log-unusable: the event log cannot be used: it is no regular file"]);
    std::fs::remove_dir(&log).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(&log).status().unwrap();
    assert!(pipe.success());
    assert_eq!(found(), ["x-log-unusable: the event log cannot be used: it is no regular file"]);
    std::fs::remove_file(&log).unwrap();
    symlink("/etc/passwd", &log).unwrap();
    let outside =
        "x-log-unusable: the event log cannot be used: it leads out of the audited directory";
    assert!(found().iter().any(|line| line == outside));
    // Files that the log is held against may be anything, too.
    std::fs::remove_file(&log).unwrap();
    std::fs::write(&log, "{\"event_type\":\"session.started\",\"timestamp_ns\":1}\n").unwrap();
    std::fs::write(run.join("sample_idx_map.json"), "[".repeat(200_000)).unwrap();
    std::fs::write(run.join("self_check.json"), "{\"violations\": [7, {}], \"resent\": -1}")
        .unwrap();
    let found = found();
    assert!(found.iter().any(|line| line == "x-self-check: unreadable: unreadable"), "{found:?}");
    assert!(found.iter().any(|line| line.starts_with("x-log-order: ")), "{found:?}");
}
