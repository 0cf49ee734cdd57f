//! Rust.

use super::language::{Language, TestStyle};
use crate::dataset::generate::voice::Case;

pub(super) const RUST: Language = Language {
    name: "Rust",
    extension: "rs",
    case: Case::Snake,
    sources: "src",
    tests: "tests",
    test_suffix: "",
    test_style: TestStyle::Cargo,
    test_command: "cargo test",
    build_files: &["Cargo.toml", "Cargo.lock", "README.md", "rustfmt.toml", "deny.toml"],
    head: &["//! «doc»\n", "//! «Noun»s of a «noun».\n//!\n//! «doc»\n"],
    imports: &[
        "use std::collections::{BTreeMap, HashMap};",
        "use std::fmt;",
        "use std::io::{self, Read, Write};",
        "use std::path::{Path, PathBuf};",
        "use std::sync::Arc;",
        "use std::time::Duration;",
        "use crate::«noun»::«type»;",
        "use crate::«noun»::{«type», «type»};",
        "use super::«noun»::«fn»;",
        "use serde::{Deserialize, Serialize};",
    ],
    blocks: &[
        "\n/// «doc»\n#[derive(Clone, Debug, Default, PartialEq)]\npub struct «type» {\n    /// «doc»\n    pub «var»: Vec<«type»>,\n    «var»: Option<String>,\n    «var»: u«nn»,\n    pub(crate) «var»: BTreeMap<String, usize>,\n}",
        "\nimpl «type» {\n    /// «doc»\n    pub fn new(«var»: impl Into<String>, «var»: usize) -> Self {\n        Self { «var»: «var».into(), «var», «var»: Vec::with_capacity(«nn») }\n    }\n\n    /// «doc»\n    ///\n    /// # Errors\n    /// «errtext»\n    pub fn «fn»(&mut self, «var»: &[u8]) -> Result<usize, «type»> {\n        «body»\n        Ok(self.«var».len())\n    }\n}",
        "\nfn «fn»<R: Read>(mut reader: R, «var»: &mut Vec<u8>) -> io::Result<Option<«type»>> {\n    let mut header = [0_u8; «nn»];\n    reader.read_exact(&mut header)?;\n    «body»\n    Ok(Some(«type»::from(header)))\n}",
        "\n/// «doc»\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub enum «type» {\n    /// «doc»\n    «Noun»(u32),\n    «Noun» { «var»: u64, «var»: Duration },\n    «Noun»,\n}\n\nimpl fmt::Display for «type» {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        match self {\n            Self::«Noun»(n) => write!(f, \"«noun» {n}\"),\n            Self::«Noun» { «var», .. } => write!(f, \"«errtext»: {«var»}\"),\n            Self::«Noun» => f.write_str(\"«adj»\"),\n        }\n    }\n}",
        "\npub(crate) const «CONST»: usize = «big»;\nconst «CONST»: &str = \"«uni»\";",
        "\nimpl Iterator for «type»<'_> {\n    type Item = «type»;\n\n    fn next(&mut self) -> Option<Self::Item> {\n        let «var» = self.«var».get(self.at)?;\n        self.at += 1;\n        «body»\n        Some(«type»::new(«var», self.at))\n    }\n}",
    ],
    test_blocks: &[
        "\n#[test]\nfn «fn»_«adj»() {\n    let mut «var» = «type»::new(\"«uni»\", «nn»);\n    «body»\n    assert_eq!(«var».«fn»(b\"«noun»\").unwrap(), «nn»);\n}",
        "\n#[test]\nfn «fn»_refuses_«adj»_«nouns»() {\n    let error = «fn»(&[«nn», «nn»], \"«noun»\").unwrap_err();\n    assert_eq!(error.to_string(), \"«errtext»\");\n}",
    ],
    statements: &[
        "if «var».is_empty() {\n    «body»\n}",
        "for («var», «noun») in self.«var».iter().enumerate() {\n    «body»\n}",
        "let Some(«var») = self.«fn»(«var»)? else {\n    return Err(«type»::«Noun»(«nn»).into());\n};",
        "match «var».cmp(&self.«var») {\n    std::cmp::Ordering::Less => self.«var» += «n»,\n    std::cmp::Ordering::Equal => {\n        «body»\n    }\n    std::cmp::Ordering::Greater => return Ok(«nn»),\n}",
        "while let Some(«noun») = self.«var».pop() {\n    «body»\n}",
        "if let Err(error) = self.«fn»(&«var») {\n    tracing::warn!(%error, \"«logtext»\");\n    «body»\n}",
    ],
    simple: &[
        "let «var» = self.«fn»(&«var»)?;",
        "let mut «var»: Vec<_> = «var».iter().filter(|«noun»| «noun».«var» > «nn»).cloned().collect();",
        "self.«var».insert(«var».to_owned(), «nn»);",
        "// «doc»",
        "debug_assert!(«var» <= «CONST», \"«errtext»\");",
        "«var».sort_by_key(|«noun»| (std::cmp::Reverse(«noun».«var»), «noun».«var».clone()));",
        "let «var» = «var».saturating_sub(«nn») / «n».max(1);",
        "self.«var».extend_from_slice(&«var»[..«n»]);",
        "let «var» = Arc::clone(&self.«var»);",
        "tracing::debug!(«var», \"«logtext»\");",
        "«var» = «fn»(«var», Duration::from_millis(«nn»));",
    ],
};
