//! Scenario files from text to findings.

mod codes;
mod commands;
mod composition;
mod hazards;
mod secrecy;
mod spans;
mod support;

use support::{bad_files, human, load};

/// Every bad file of the fixture folder, as its author would see the findings. A file that is
/// only suspicious loads; every other one does not.
#[test]
fn bad_files_are_explained() {
    for path in bad_files() {
        let loaded = load(&path);
        assert!(!loaded.diagnostics.is_empty(), "{}", path.display());
        let errors = loaded.diagnostics.iter().any(|f| f.severity == support::ERROR);
        assert_eq!(loaded.scenario.is_none(), errors, "{}", path.display());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => "../fixtures/scenarios/snapshots",
            prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(stem, human(&loaded));
        });
    }
}
