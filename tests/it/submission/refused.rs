//! Nothing is built where two files disagree; the refusal names file, field and both values.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use scenario::submission::{Replacing, package};
use serde_json::{Value, json};

use super::assembled::{options, runs};
use crate::audit::tree::Tree;

/// Breaks run folders, which lie below the path as `r8` to `r512`.
type Break = fn(&Path);

fn set(path: &Path, pointer: &str, value: Value) {
    let mut document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if value.is_null() {
        assert!(parent.remove(key).is_some());
    } else {
        parent.insert(key.to_owned(), value);
    }
    fs::write(path, document.to_string()).unwrap();
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

const BREAKS: &[(&str, Break)] = &[
    ("another concurrency than the folder's name", |runs| {
        replace(&runs.join("r48/point.yaml"), "concurrency: 48", "concurrency: 49");
    }),
    ("another concurrency in config.yaml", |runs| {
        let from = "target_concurrency: 48";
        replace(&runs.join("r48/config.yaml"), from, "target_concurrency: 64");
    }),
    ("no whole number", |runs| {
        replace(&runs.join("r48/point.yaml"), "concurrency: 48", "concurrency: many");
    }),
    ("another model", |runs| {
        let from = "model_name: \"qwen3_6-35b-a3b\"";
        replace(&runs.join("r48/point.yaml"), from, "model_name: \"qwen3.6-35b-a3b\"");
    }),
    ("another division than described", |runs| {
        replace(&runs.join("r48/point.yaml"), "\"Standardized\"", "\"RDI\"");
    }),
    ("another seed set", |runs| {
        replace(&runs.join("r48/point.yaml"), "seed_set: \"A\"", "seed_set: \"B\"");
    }),
    ("another C_max in point.yaml", |runs| {
        let from = "max_supported_concurrency: 512";
        replace(&runs.join("r48/point.yaml"), from, "max_supported_concurrency: 600");
    }),
    ("another drafter", |runs| {
        let from = "git-sha1:95a723d08a9490559dae23d0cff1d9466213d989";
        replace(&runs.join("r48/point.yaml"), from, "git-sha1:0");
    }),
    ("another system", |runs| {
        set(&runs.join("r48/system_desc.json"), "/system_size", json!("32 accelerators"));
    }),
    ("another organisation", |runs| {
        set(&runs.join("r48/system_desc.json"), "/submitter_org_names", json!("other"));
    }),
    ("a system name that is no directory's", |runs| {
        set(&runs.join("r48/system_desc.json"), "/system_name", json!("a/b"));
    }),
    ("no C_max", |runs| {
        set(&runs.join("r48/system_desc.json"), "/max_supported_concurrency", Value::Null);
        let from = "max_supported_concurrency: 512\n";
        replace(&runs.join("r48/point.yaml"), from, "");
    }),
    ("a lower bound that is no point", |runs| {
        for n in crate::audit::tree::POINTS {
            let path = runs.join(format!("r{n}/system_desc.json"));
            set(&path, "/c_min_override", json!(9));
        }
    }),
    ("another power", |runs| {
        set(&runs.join("r48/system_power.json"), "/provisioned_power_kw", json!(30.0));
    }),
    ("a run that was cut short", |runs| {
        let path = runs.join("r48/performance/result_summary.json");
        set(&path, "/complete", json!(false));
    }),
    ("nothing measured", |runs| {
        let path = runs.join("r48/performance/result_summary.json");
        set(&path, "/duration_ns", Value::Null);
    }),
    ("a simulated run among real ones", |runs| {
        let path = runs.join("r48/performance/result_summary.json");
        set(&path, "/simulated", json!(true));
    }),
    ("no summary", |runs| {
        fs::remove_file(runs.join("r48/performance/result_summary.json")).unwrap();
    }),
    ("no description", |runs| fs::remove_file(runs.join("r48/system_desc.json")).unwrap()),
    ("no JSON", |runs| fs::write(runs.join("r48/system_desc.json"), "{").unwrap()),
    ("no YAML", |runs| fs::write(runs.join("r48/point.yaml"), "a: [").unwrap()),
    ("accuracy without names", |runs| {
        let path = runs.join("r48/accuracy/accuracy_results.json");
        fs::write(path, "{\"accuracy_scores\": [{}]}").unwrap();
    }),
    ("another README", |runs| fs::write(runs.join("r48/src/vllm/README.md"), "other").unwrap()),
    ("no README", |runs| {
        for n in crate::audit::tree::POINTS {
            let home = runs.join(format!("r{n}/src/vllm"));
            fs::rename(home.join("README.md"), home.join("notes.md")).unwrap();
        }
    }),
    ("a pointer to nowhere", |runs| {
        replace(&runs.join("r48/point.yaml"), "\"src/vllm\"", "\"src/sglang\"");
    }),
    ("no kind of run", |runs| {
        replace(&runs.join("r48/config.yaml"), "type: \"performance\"", "type: \"warmup\"");
        let from = "dataset_type: \"Performance\"";
        replace(&runs.join("r48/point.yaml"), from, "dataset_type: \"Both\"");
    }),
    #[cfg(unix)]
    ("a link", |runs| {
        std::os::unix::fs::symlink("/etc/hostname", runs.join("r48/server_configs/host")).unwrap();
    }),
];

#[test]
fn refusals_name_file_field_and_values() {
    let tree = Tree::new();
    let mut told = String::new();
    for (what, break_it) in BREAKS {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("runs");
        let runs = runs(&tree, &folder);
        break_it(&folder);
        let out = home.path().join("out");
        let error = package(&runs, &options(&out, Replacing::Nothing)).unwrap_err();
        let text = error.to_string().replace(&format!("{}/", folder.display()), "");
        let _ = writeln!(told, "{what}\n    {text}");
        if let Some(help) = error.help() {
            let _ = writeln!(told, "    help: {help}");
        }
        assert!(!out.exists(), "{what}: something was left behind");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn two_runs_of_one_point_and_no_run_at_all() {
    let (tree, home) = (Tree::new(), tempfile::tempdir().unwrap());
    let mut runs = runs(&tree, &home.path().join("runs"));
    let again = home.path().join("again/r8");
    crate::audit::tree::copy(&runs[0], &again);
    runs.push(again);
    let error = package(&runs, &options(home.path(), Replacing::Nothing)).unwrap_err();
    let told = error.to_string();
    assert!(told.ends_with("are both the performance run at concurrency 8"), "{told}");
    let empty = home.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let error = package(&[empty], &options(home.path(), Replacing::Nothing)).unwrap_err();
    assert!(error.to_string().contains("is no run folder"), "{error}");
}
