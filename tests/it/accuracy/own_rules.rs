//! A scenario may bring its own rules.

use std::path::Path;

use scenario::scenario::{Depth, LoadRequest, Loaded, load};

fn loaded(folder: &Path, ruleset: &str) -> Loaded {
    let file = folder.join("s.yaml");
    let text = format!(
        "schema: scenario/v1\nname: s\n\
         model: {{ name: m, benchmark: mine, sampling: {{ temperature: 0.5 }} }}\n\
         endpoint: {{ urls: [http://localhost:1] }}\ndatasets: [{{ name: a, path: a.jsonl }}]\n\
         load: {{ concurrency: [1, 2, 64] }}\ncompliance: {{ ruleset: {ruleset} }}\n"
    );
    std::fs::write(&file, text).unwrap();
    std::fs::write(folder.join("a.jsonl"), "").unwrap();
    load(&LoadRequest { path: &file, env: &|_| None, set: &[], depth: Depth::File })
}

fn messages(loaded: &Loaded) -> Vec<String> {
    let text = |d: &scenario::diagnostics::Diagnostic| format!("{}: {}", d.code, d.message);
    loaded.diagnostics.iter().map(text).collect()
}

#[test]
fn a_file_beside_the_scenario_rules() {
    let folder = tempfile::tempdir().unwrap();
    let rules = r#"{ "extends": "mlperf-endpoints-agentic/v1.0", "name": "house",
        "points": { "min": 2 },
        "models": [{ "canonical": "mine", "title": "Mine", "submittable": false,
            "swe_bench_template": null, "sampling": { "temperature": 1.0 },
            "thresholds": { "inline_percent": 10.0, "swe_bench_percent": 20.0,
                            "output_length": { "min": 1.0, "max": 2.0 } },
            "reference": null, "checkpoints": [], "drafters": [] }] }"#;
    std::fs::write(folder.path().join("house.json"), rules).unwrap();
    let loaded = loaded(folder.path(), "./house.json");
    let found = messages(&loaded);
    let about_sampling = "ruleset-sampling: `temperature` is 0.5, but Mine is sampled with 1.0";
    assert!(found.iter().any(|text| text == about_sampling), "{found:?}");
    assert!(!found.iter().any(|text| text.starts_with("ruleset-points")), "{found:?}");
    let scenario = loaded.scenario.unwrap();
    let ruleset = scenario.ruleset().unwrap();
    assert_eq!((ruleset.name.as_str(), ruleset.points.min), ("house", 2));
    // The resolved document stays relative, so that its digest does not depend on the place.
    assert!(
        scenario.resolved_yaml().contains("ruleset: house.json"),
        "{}",
        scenario.resolved_yaml()
    );
}

#[test]
fn a_file_that_is_missing_or_no_ruleset_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = messages(&loaded(folder.path(), "house.json"));
    assert!(
        missing.iter().any(|text| text.starts_with("ruleset-file: `house.json` cannot be read"))
    );
    std::fs::write(folder.path().join("house.json"), r#"{ "extends": "x" }"#).unwrap();
    let broken = messages(&loaded(folder.path(), "house.json"));
    let expected = "ruleset-file: `house.json` is no ruleset: it extends the unknown ruleset `x`";
    assert!(broken.iter().any(|text| text == expected), "{broken:?}");
}
