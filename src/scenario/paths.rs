//! Paths in a scenario are relative to the file that states them.

use std::path::{Component, Path, PathBuf};

use crate::ruleset::Ruleset;
use crate::yaml::{Kind, Node, Pointer};

use super::overrides;

/// The places of paths; `*` stands for every item of a list.
const PLACES: [&[&str]; 10] = [
    &["model", "tokenizer"],
    &["endpoint", "ca_file"],
    &["datasets", "*", "path"],
    &["accuracy", "swe_bench", "instance_ids"],
    &["compliance", "ruleset"],
    &["submission", "system"],
    &["submission", "power"],
    &["submission", "implementation"],
    &["submission", "docs"],
    &["submission", "server_configs"],
];

/// Whether a path of a file stands at a place.
pub(super) fn is_path(pointer: &Pointer) -> bool {
    PLACES.iter().any(|place| {
        place.len() == pointer.segments().len()
            && place.iter().zip(pointer.segments()).all(|(a, b)| *a == "*" || *a == b)
    })
}

/// The directory of the scenario file, to which all paths of a document are relative.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// As the user named it; empty for the working directory.
    named: PathBuf,
    /// Absolute.
    absolute: PathBuf,
}

impl Home {
    /// The home of a scenario file.
    pub(super) fn of(file: &Path) -> Self {
        let named = file.parent().map(Path::to_owned).unwrap_or_default();
        Self { named, absolute: directory(file) }
    }

    /// The absolute form of a path of the document.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        normal(&self.absolute.join(path))
    }

    /// A path of the document as seen from the working directory, for messages.
    pub(super) fn named(&self, path: &Path) -> PathBuf {
        normal(&self.named.join(path))
    }
}

/// The directory of a file, absolute; of a path from the command line, the working directory.
fn directory(file: &Path) -> PathBuf {
    let file = if file == Path::new(overrides::FILE) { Path::new("x") } else { file };
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    normal(absolute.parent().unwrap_or(Path::new("")))
}

/// Whether a text at a place of paths is one; a ruleset may also be a name.
fn states_path(pointer: &Pointer, text: &str) -> bool {
    let ruleset = pointer.segments().last().is_some_and(|last| last == "ruleset");
    if ruleset { Ruleset::is_file(text) } else { !text.is_empty() }
}

/// Rewrites every relative path, which is relative to the file that states it, to be relative to
/// `home`.
pub(super) fn rebase(root: &mut Node, home: &Home) {
    root.visit_mut(&Pointer::root(), &mut |pointer, node| {
        if !is_path(pointer) {
            return;
        }
        let from = directory(&node.origin.file);
        if let Kind::String(text) = &mut node.kind
            && states_path(pointer, text)
            && Path::new(text.as_str()).is_relative()
        {
            let rebased = relative(&normal(&from.join(text.as_str())), &home.absolute);
            *text = rebased.display().to_string();
        }
    });
}

/// A path without `.` and `..` where names tell.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The way from one absolute directory to an absolute path.
fn relative(path: &Path, home: &Path) -> PathBuf {
    let (path, home): (Vec<_>, Vec<_>) = (path.components().collect(), home.components().collect());
    let shared = path.iter().zip(&home).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, home.len() - shared);
    up.chain(path[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_lead_back() {
        for (path, home, way) in [
            ("/a/b/c.yaml", "/a/b", "c.yaml"),
            ("/a/c", "/a/b/d", "../../c"),
            ("/x", "/", "x"),
            ("/a/b/c", "/a/b/e", "../c"),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(home)), Path::new(way));
            assert_eq!(normal(&Path::new(home).join(way)), Path::new(path));
        }
    }
}
