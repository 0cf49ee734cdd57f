//! Codes are unique, listed, and each is seen in a fixture.

use std::collections::BTreeSet;

use scenario::scenario::CODES;
use scenario::yaml::{SCHEMA_CODES, SYNTAX_CODES};

use super::support::{bad_files, load};

fn all() -> Vec<(&'static str, &'static str)> {
    SYNTAX_CODES.iter().chain(SCHEMA_CODES).chain(CODES).copied().collect()
}

#[test]
fn codes_are_unique_and_kebab_case() {
    let codes: Vec<&str> = all().iter().map(|(code, _)| *code).collect();
    let unique: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(unique.len(), codes.len());
    for code in codes {
        assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
    }
    let list: Vec<String> = all().iter().map(|(code, what)| format!("{code}: {what}")).collect();
    insta::assert_snapshot!(list.join("\n"));
}

/// Codes that no fixture can give: `hazards` has files that cannot be kept; the schema uses no
/// other rule now; a data set that is there but cannot be opened depends on who runs the test.
const ELSEWHERE: [&str; 4] =
    ["file-too-large", "file-not-utf8", "schema-violation", "dataset-unreadable"];

#[test]
fn every_code_is_seen_and_every_seen_code_is_listed() {
    let mut seen = BTreeSet::new();
    for path in bad_files() {
        seen.extend(load(&path).diagnostics.iter().map(|finding| finding.code));
    }
    seen.extend(["override-path", "more-findings"]); // composition, hazards
    let listed: BTreeSet<&str> = all().iter().map(|(code, _)| *code).collect();
    let unseen: Vec<_> = listed.difference(&seen).filter(|c| !ELSEWHERE.contains(c)).collect();
    assert_eq!(unseen, [] as [&&str; 0]);
    let unlisted: Vec<_> =
        seen.difference(&listed).filter(|code| !code.starts_with("dataset-")).collect();
    assert_eq!(unlisted, [] as [&&str; 0]);
}
