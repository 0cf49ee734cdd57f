//! Verdicts over officially counted output lengths.

use serde_json::Value;

use super::rig::{QUICK, RUN, Rig};

/// One token for each character.
fn tokenizer() -> String {
    format!("{}/tests/fixtures/character-tokenizer", env!("CARGO_MANIFEST_DIR"))
}

fn lengths(document: &Value) -> Vec<f64> {
    let points = document["points"].as_array().unwrap().iter();
    points.map(|point| point["output_length"]["mean"].as_f64().unwrap()).collect()
}

#[test]
fn score_counts_with_a_tokenizer_and_report_judges_by_its_counts() {
    let rig = Rig::with("[1, 2]", "[1]", QUICK);
    let set = "accuracy={inline: true, output_length: true}";
    let done = rig.sandbox.run(&[&Rig::arguments(false)[..], &["--set", set]].concat());
    // SWE-bench was not asked for, so that nothing is missing.
    assert_eq!(done.code, Some(0), "{done}");
    let tokenizer = tokenizer();
    let score = |more: &[&str]| {
        let done = rig.sandbox.run(&[&["score", RUN, "--format", "json"], more].concat());
        assert_eq!(done.code, Some(0), "{done}");
        serde_json::from_str::<Value>(&done.stdout).unwrap()
    };
    let (told, counted) = (score(&[]), score(&["--tokenizer", &tokenizer]));
    assert_eq!(told["points"][0]["output_length"]["token_counts"], "server-reported");
    assert_eq!(counted["points"][0]["output_length"]["token_counts"], "official");
    assert_ne!(lengths(&told), lengths(&counted));
    let of_verdict = &counted["verdict"]["points"][1]["output_length"]["value"];
    assert_eq!(*of_verdict, lengths(&counted)[1]);

    // Nothing was written; `report` counts the same, and its verdict follows.
    let before = rig.json("curve.json");
    assert_eq!(before["accuracy"]["points"][0]["output_length"]["value"], lengths(&told)[0]);
    let report = ["report", RUN, "--tokenizer", &tokenizer, "--write"];
    let done = rig.sandbox.run(&report);
    assert_eq!(done.code, Some(0), "{done}");
    assert!(done.stdout.contains("Accuracy gates of Mine by house"), "{done}");
    let after = rig.json("curve.json");
    for (index, mean) in lengths(&counted).into_iter().enumerate() {
        assert_eq!(after["points"][index]["osl_mean"], mean);
        let (before, after) =
            (&before["accuracy"]["points"][index], &after["accuracy"]["points"][index]);
        assert_eq!(after["output_length"]["value"], mean);
        assert_eq!(after["output_length"]["max"], 1000.0);
        assert_eq!(after["inline"], before["inline"]);
    }
    assert_eq!(after["accuracy"]["outcome"], before["accuracy"]["outcome"]);
}
