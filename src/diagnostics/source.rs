//! The texts that findings point into.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// File names, as findings state them, with their texts.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: BTreeMap<PathBuf, String>,
}

impl SourceMap {
    /// Adds or replaces a file's text.
    pub fn insert(&mut self, file: impl Into<PathBuf>, text: impl Into<String>) {
        self.files.insert(file.into(), text.into());
    }

    /// Adds the files of another map.
    pub fn extend(&mut self, other: Self) {
        self.files.extend(other.files);
    }

    /// The text of a file, if it is known.
    pub fn text(&self, file: &Path) -> Option<&str> {
        self.files.get(file).map(String::as_str)
    }
}
