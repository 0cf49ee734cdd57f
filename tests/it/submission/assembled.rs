//! What is assembled is what was measured, and passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use scenario::submission::{Options, Package, Replacing, SubmissionError, package};
use serde_json::{Value, json};

use crate::audit::tree::{CURVE, POINTS, SYSTEM, Tree, copy, fixture, judge};

pub(super) const ID: &str = "pending-submission-id";

pub(super) fn options(out: &Path, replacing: Replacing) -> Options<'_> {
    Options { out, id: ID, statement: None, replacing, archive: false }
}

/// Run folders of the valid submission's points, below a directory.
pub(super) fn runs(tree: &Tree, directory: &Path) -> Vec<PathBuf> {
    let one = |n: u32| {
        let run = directory.join(format!("r{n}"));
        copy(&tree.path(&format!("@r{n}")), &run);
        for (name, below) in
            [("result_summary.json", "performance"), ("accuracy_results.json", "accuracy")]
        {
            fs::create_dir_all(run.join(below)).unwrap();
            fs::rename(run.join(name), run.join(below).join(name)).unwrap();
        }
        fs::copy(tree.path("$system_power.json"), run.join("system_power.json")).unwrap();
        copy(&tree.path("src"), &run.join("src"));
        copy(&tree.path("docs"), &run.join("documentation"));
        // What a run leaves and no submission holds.
        fs::write(run.join("events.jsonl"), "{}\n").unwrap();
        run
    };
    POINTS.into_iter().map(one).collect()
}

/// Every file below a directory with its bytes.
pub(super) fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Contents with JSON as values, without what says who built the tree, and without what is added.
fn values(root: &Path) -> BTreeMap<String, Value> {
    let value = |(name, bytes): (String, Vec<u8>)| {
        let text = String::from_utf8(bytes).unwrap();
        let is_json = Path::new(&name).extension().is_some_and(|extension| extension == "json");
        let mut value =
            if is_json { serde_json::from_str(&text).unwrap() } else { Value::String(text) };
        // Stated with one decimal in the example; computed where a run does not state it.
        if let Value::Object(map) = &mut value {
            map.remove("system_tps_per_kw");
        }
        (name, value)
    };
    let files = contents(root).into_iter().filter(|(name, _)| name != "cli_metadata.json");
    files.map(value).collect()
}

fn nothing_hidden(out: &Path) {
    for entry in fs::read_dir(out.join("example_org")).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        assert!(!name.starts_with('.'), "{name} was left behind");
    }
}

#[test]
fn run_folders_become_the_valid_submission() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let runs = runs(&tree, &home.path().join("runs"));
    let built = package(&runs, &options(home.path(), Replacing::Nothing)).unwrap();
    assert_eq!(built.root, home.path().join("example_org").join(ID));
    assert_eq!((built.points, built.simulated), (7, false));
    assert_eq!(values(&built.root), values(tree.root()));
    assert_eq!(contents(&built.root).len(), built.files);
    nothing_hidden(home.path());
    let report = judge(&built.root);
    assert!(report.passes(true), "{:?}", report.faults().collect::<Vec<_>>());
}

#[test]
fn the_rates_that_a_run_does_not_state_are_computed() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let runs = runs(&tree, &home.path().join("runs"));
    for run in &runs {
        for (file, key) in [
            ("performance/result_summary.json", "system_tps_per_kw"),
            ("system_desc.json", "tps_utilization"),
        ] {
            let path = run.join(file);
            let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            assert!(value.as_object_mut().unwrap().remove(key).is_some());
            fs::write(path, value.to_string()).unwrap();
        }
    }
    let built = package(&runs, &options(home.path(), Replacing::Nothing)).unwrap();
    let read = |path: String| -> Value {
        serde_json::from_slice(&fs::read(built.root.join(path)).unwrap()).unwrap()
    };
    let share = |n: u32| read(format!("{CURVE}/r{n}/system_desc.json"))["tps_utilization"].clone();
    assert_eq!(share(512), json!(1.0));
    let of_48 = share(48).as_f64().unwrap();
    assert!((of_48 - 0.284_539_473_684_244_6).abs() < 1e-12, "{of_48}");
    let summary = read(format!("{CURVE}/r48/result_summary.json"));
    let rate = summary["system_tps_per_kw"].as_f64().unwrap();
    assert!((rate - 4_365.473_684_210_598 / 30.26).abs() < 1e-9, "{rate}");
    assert!(judge(&built.root).passes(true));
}

#[test]
fn the_same_runs_give_the_same_bytes() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let mut runs = runs(&tree, &home.path().join("runs"));
    let build = |runs: &[PathBuf], out: &str| -> Package {
        let out = home.path().join(out);
        package(runs, &Options { archive: true, ..options(&out, Replacing::Nothing) }).unwrap()
    };
    let first = build(&runs, "a");
    runs.reverse();
    let second = build(&runs, "b");
    assert_eq!(first.digest, second.digest);
    let archive = |built: &Package| fs::read(built.archive.as_ref().unwrap()).unwrap();
    assert!(archive(&first) == archive(&second));
    // A submission is a source, too, and stays what it is.
    let again = build(std::slice::from_ref(&first.root), "c");
    assert_eq!((again.digest, again.points), (first.digest, 7));

    let unpacked = home.path().join("unpacked");
    let bytes = archive(&second);
    tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice())).unpack(&unpacked).unwrap();
    assert_eq!(contents(&unpacked.join(ID)), contents(&second.root));
}

#[test]
fn points_are_added_and_replaced_later() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let runs = runs(&tree, &home.path().join("runs"));
    let out = home.path().join("out");
    let build = |runs: &[PathBuf], replacing| package(runs, &options(&out, replacing));
    let whole = package(&runs, &options(&home.path().join("whole"), Replacing::Nothing)).unwrap();

    let missing = build(&runs, Replacing::Add).unwrap_err();
    assert!(matches!(missing, SubmissionError::Missing { .. }), "{missing}");
    build(&runs[..3], Replacing::Nothing).unwrap();
    let exists = build(&runs, Replacing::Nothing).unwrap_err();
    assert!(matches!(exists, SubmissionError::Exists { .. }), "{exists}");
    let twice = build(&runs[2..], Replacing::Add).unwrap_err();
    assert!(twice.to_string().contains("are both the point r32"), "{twice}");
    let added = build(&runs[3..], Replacing::Add).unwrap();
    assert_eq!((added.points, &added.digest), (7, &whole.digest));

    let summary = runs[2].join("performance/result_summary.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&summary).unwrap()).unwrap();
    changed["version"] = json!("again");
    fs::write(&summary, changed.to_string()).unwrap();
    let replaced = build(&runs[2..3], Replacing::Points).unwrap();
    assert_eq!(replaced.points, 7);
    let path = replaced.root.join(CURVE).join("r32/result_summary.json");
    assert!(fs::read_to_string(path).unwrap().contains("\"again\""));
    assert!(judge(&replaced.root).passes(true));
    let anew = build(&runs[..1], Replacing::Whole).unwrap();
    assert_eq!(anew.points, 1);
    nothing_hidden(&out);
}

#[test]
fn an_accuracy_run_of_its_own_joins_the_performance_run() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let mut runs = runs(&tree, &home.path().join("runs"));
    // The point r48 in two: the inline entry here, the SWE-bench entry there.
    let (performance, accuracy) = (runs[3].clone(), home.path().join("accuracy/r48"));
    copy(&performance, &accuracy);
    fs::remove_dir_all(accuracy.join("performance")).unwrap();
    let edit = |run: &Path, name: &str| {
        let path = run.join("accuracy/accuracy_results.json");
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let entries = value["accuracy_scores"].as_array_mut().unwrap();
        entries.retain(|entry| entry["dataset_name"] == name);
        assert_eq!(entries.len(), 1);
        fs::write(path, value.to_string()).unwrap();
    };
    edit(&performance, "performance");
    edit(&accuracy, "swe_bench");
    let config = accuracy.join("config.yaml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replacen("type: \"performance\"", "type: \"accuracy\"", 1)).unwrap();
    runs.insert(0, accuracy);
    let built = package(&runs, &options(home.path(), Replacing::Nothing)).unwrap();
    assert_eq!(built.points, 7);
    let path = built.root.join(CURVE).join("r48/accuracy_results.json");
    let merged: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let names = merged["accuracy_scores"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|entry| entry["dataset_name"].clone()).collect();
    assert_eq!(names, ["swe_bench", "performance"]);
    assert!(judge(&built.root).passes(true));
}

#[test]
fn what_point_yaml_lacks_of_shared_directories_is_added() {
    let home = tempfile::tempdir().unwrap();
    let run = home.path().join("r12");
    copy(&fixture("run-folder"), &run);
    let path = run.join("point.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let without: String =
        text.lines().filter(|line| !line.starts_with("shared_")).collect::<Vec<_>>().join("\n");
    fs::write(&path, &without).unwrap();
    let built = package(&[run], &options(home.path(), Replacing::Nothing)).unwrap();
    let written = fs::read_to_string(built.root.join(CURVE).join("r12/point.yaml")).unwrap();
    let added = written.strip_prefix(&without).unwrap();
    assert_eq!(added, "\n# added by scenario package\nshared_src: src/vllm\nshared_docs: docs\n");
    assert!(built.root.join(SYSTEM).join("system_power.json").is_file());
}
