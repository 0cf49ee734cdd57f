//! The tree as a whole, and its systems.

use super::{Mutant, m};

pub(super) const MUTANTS: &[Mutant] = &[
    m("no-docs", &["E required-dir fail docs"], |t| t.remove("docs")),
    m("no-results", &["E required-dir fail results"], |t| t.remove("results")),
    m("no-src", &["E src-dir fail src"], |t| t.remove("src")),
    m("src-without-directory", &["E src-dir fail-2 src"], |t| {
        t.remove("src/vllm");
        t.write("src/README.md", "loose");
    }),
    m("src-without-readme", &["E src-readme fail src/vllm/README.md"], |t| {
        t.remove("src/vllm/README.md");
    }),
    m("src-readme-in-small-letters", &[], |t| t.rename("src/vllm/README.md", "src/vllm/readme.md")),
    m("second-implementation-without-readme", &["E src-readme fail src/other/README.md"], |t| {
        t.write("src/other/run.sh", "");
    }),
    m("no-system", &["E system-results-dir fail results"], |t| {
        t.remove("$");
        t.write("results/notes.txt", "");
    }),
    m("system-without-model", &["E benchmark-model-dir fail $"], |t| t.remove("@")),
    m("second-system-empty", &["E benchmark-model-dir fail results/other"], |t| {
        t.write("results/other/notes.txt", "");
    }),
    m("model-without-points", &["E point-dirs fail-2 $other"], |t| t.write("$other/notes.txt", "")),
    m("no-accuracy-anywhere", &["E accuracy-present fail results"], |t| {
        for n in super::super::tree::POINTS {
            t.remove(&format!("@r{n}/accuracy_results.json"));
        }
    }),
    m("accuracy-only-in-results-json", &["E agentic-accuracy-inline missing @"], |t| {
        for n in super::super::tree::POINTS {
            t.remove(&format!("@r{n}/accuracy_results.json"));
        }
        t.write("results/results.json", r#"{"accuracy_scores": {"x": {"score": 1}}}"#);
    }),
    m("stray-files-and-directories", &[], |t| {
        t.write("@notes/x.txt", "");
        t.write("@rx/point.yaml", "a: [");
        t.write("@r/point.yaml", "a: [");
        t.write("@r48/extra.json", "{");
    }),
];
