//! `src/` and `docs/`, which all points share.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::{Disagreement, SubmissionError};
use super::files;
use super::read::Place;
use super::tree::Content;
use crate::digest::sha256_hex;
use crate::results::ExtraFile;

/// Files by their path below the submission's root.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    files: BTreeMap<String, Content>,
}

impl Shared {
    /// What a run folder, or the submission that a point belongs to, brings along.
    pub(super) fn of(place: &Place) -> Result<Self, SubmissionError> {
        let mut shared = Self::default();
        let (root, docs) = match &place.submission {
            Some(root) => (root, "docs"),
            None => (&place.folder, "documentation"),
        };
        shared.take(&root.join("src"), "src")?;
        shared.take(&root.join(docs), "docs")?;
        Ok(shared)
    }

    /// Adds the files below a directory.
    fn take(&mut self, directory: &Path, prefix: &str) -> Result<(), SubmissionError> {
        for file in files::below(directory)? {
            self.files.insert(format!("{prefix}/{}", file.name), Content::File(file.path));
        }
        Ok(())
    }

    /// What a scenario states, in the places of a run folder.
    pub(super) fn stated(files: &[ExtraFile]) -> Self {
        let place = |file: &ExtraFile| {
            let path = file.path.to_str()?;
            let name = match path.strip_prefix("documentation/") {
                Some(below) => format!("docs/{below}"),
                None => path.starts_with("src/").then(|| path.to_owned())?,
            };
            Some((name, Content::Bytes(file.content.clone())))
        };
        Self { files: files.iter().filter_map(place).collect() }
    }

    /// Adds what another run brings along: the same file must be the same.
    pub(super) fn add(&mut self, other: &Self) -> Result<(), SubmissionError> {
        for (name, content) in &other.files {
            let Some(known) = self.files.get(name) else {
                self.files.insert(name.clone(), content.clone());
                continue;
            };
            let (ours, theirs) = (known.bytes()?, content.bytes()?);
            if ours != theirs {
                let what = |bytes: &[u8]| format!("a file of SHA-256 {}", sha256_hex(bytes));
                return Err(SubmissionError::Disagree(Box::new(Disagreement {
                    file: content.path(name),
                    field: String::new(),
                    found: what(&theirs),
                    other: known.path(name),
                    expected: what(&ours),
                })));
            }
        }
        Ok(())
    }

    /// Puts what one side has in place of what another has.
    pub(super) fn overlay(&mut self, newer: &Self) {
        self.files.extend(newer.files.clone());
    }

    /// The files.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Content)> {
        self.files.iter().map(|(name, content)| (name.as_str(), content))
    }

    /// The implementations: the directories in `src/`.
    pub(super) fn implementations(&self) -> Vec<&str> {
        let below = self.files.keys().filter_map(|name| name.strip_prefix("src/"));
        let mut names: Vec<&str> =
            below.filter_map(|name| name.split_once('/')).map(|(first, _)| first).collect();
        names.dedup();
        names
    }

    /// Whether an implementation has a README at its top, in any letter case.
    pub(super) fn has_readme(&self, implementation: &str) -> bool {
        let prefix = format!("src/{implementation}/");
        let mut below = self.files.keys().filter_map(|name| name.strip_prefix(&prefix));
        below.any(|name| name.eq_ignore_ascii_case("readme.md"))
    }

    /// Whether a directory holds anything; `docs` always does.
    pub(super) fn has_directory(&self, directory: &str) -> bool {
        let directory = directory.trim_end_matches('/');
        let prefix = format!("{directory}/");
        directory == "docs" || self.files.keys().any(|name| name.starts_with(&prefix))
    }
}
