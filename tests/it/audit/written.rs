//! Mutants on disk, for the comparison with the official checker.

use std::path::Path;

use super::mutants::all;
use super::tree::Tree;

/// Writes every mutant below `target/agreement/mutants`; `tests/agreement/run` calls it.
#[test]
#[ignore = "writes to target/ for tests/agreement/run"]
fn mutants() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agreement/mutants");
    if root.exists() {
        std::fs::remove_dir_all(&root).unwrap();
    }
    Tree::at(&root.join("valid"));
    for mutant in all() {
        (mutant.make)(&Tree::at(&root.join(mutant.name)));
    }
}
