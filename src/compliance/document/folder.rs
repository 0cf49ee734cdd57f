//! Reading below one directory: bounded, and never through a link that leads out of it.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::value::{Document, State, Value};
use super::{json, yaml11};

/// Largest file that is read, in bytes.
pub(in crate::compliance) const MAX_BYTES: u64 = 32 << 20;
/// Most entries of one directory, and of a walk, that are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Deepest directory that a walk looks into.
const MAX_WALK_DEPTH: usize = 32;

/// The directory that an audit may read, and what it met there.
#[derive(Debug)]
pub(in crate::compliance) struct Folder {
    root: PathBuf,
    /// Without links; absent when there is no such directory.
    canonical: Option<PathBuf>,
}

/// An entry of a directory.
#[derive(Clone, Debug)]
pub(in crate::compliance) struct Listed {
    pub(in crate::compliance) path: PathBuf,
    pub(in crate::compliance) name: OsString,
}

/// Why a text gives no value: the key of the shared message, the reason, and the line.
struct Broken {
    key: &'static str,
    reason: String,
    line: Option<u64>,
}

/// What a path leads to.
enum Target {
    Nothing,
    Outside,
    Inside(std::fs::Metadata),
}

impl Folder {
    pub(in crate::compliance) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), canonical: root.canonicalize().ok() }
    }

    /// The directory as the user named it.
    pub(in crate::compliance) fn root(&self) -> &Path {
        &self.root
    }

    fn target(&self, path: &Path) -> Target {
        let Ok(resolved) = path.canonicalize() else { return Target::Nothing };
        match &self.canonical {
            Some(root) if resolved.starts_with(root) => {
                resolved.metadata().map_or(Target::Nothing, Target::Inside)
            }
            _ => Target::Outside,
        }
    }

    /// Whether a path leads out of the directory.
    pub(in crate::compliance) fn escapes(&self, path: &Path) -> bool {
        matches!(self.target(path), Target::Outside)
    }

    /// Whether something is there.
    pub(in crate::compliance) fn exists(&self, path: &Path) -> bool {
        !matches!(self.target(path), Target::Nothing)
    }

    pub(in crate::compliance) fn is_dir(&self, path: &Path) -> bool {
        matches!(self.target(path), Target::Inside(meta) if meta.is_dir())
    }

    pub(in crate::compliance) fn is_file(&self, path: &Path) -> bool {
        matches!(self.target(path), Target::Inside(meta) if meta.is_file())
    }

    /// The entries of a directory by name; none when it cannot be read.
    pub(in crate::compliance) fn entries(&self, path: &Path) -> Vec<Listed> {
        if !self.is_dir(path) {
            return Vec::new();
        }
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten().take(MAX_ENTRIES);
        let listed =
            |entry: std::fs::DirEntry| Listed { path: entry.path(), name: entry.file_name() };
        let mut entries: Vec<Listed> = entries.map(listed).collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    /// The directories of a directory by name.
    pub(in crate::compliance) fn directories(&self, path: &Path) -> Vec<Listed> {
        let mut entries = self.entries(path);
        entries.retain(|entry| self.is_dir(&entry.path));
        entries
    }

    /// Every entry below a directory, links not followed, parents before children.
    pub(in crate::compliance) fn walk(&self, path: &Path) -> Vec<Listed> {
        let mut found = Vec::new();
        let mut waiting = vec![(path.to_owned(), 0)];
        while let Some((directory, depth)) = waiting.pop() {
            for entry in self.entries(&directory) {
                if found.len() == MAX_ENTRIES {
                    return found;
                }
                let meta = entry.path.symlink_metadata();
                if depth < MAX_WALK_DEPTH && meta.is_ok_and(|meta| meta.is_dir()) {
                    waiting.push((entry.path.clone(), depth + 1));
                }
                found.push(entry);
            }
        }
        found
    }

    /// A file to be read piece by piece; none when there is nothing.
    pub(in crate::compliance) fn stream(&self, path: &Path) -> Result<Option<File>, String> {
        match self.target(path) {
            Target::Nothing => Ok(None),
            Target::Outside => Err("it leads out of the audited directory".to_owned()),
            Target::Inside(meta) if meta.is_file() => {
                File::open(path).map(Some).map_err(|error| error.to_string())
            }
            Target::Inside(_) => Err("it is no regular file".to_owned()),
        }
    }

    /// The text of a file; none when it cannot be read.
    pub(in crate::compliance) fn text(&self, path: &Path) -> Option<String> {
        let text = if self.is_file(path) { read(path).ok()? } else { return None };
        // As the parsers take it, so that positions agree.
        Some(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
    }

    /// A JSON file.
    pub(in crate::compliance) fn json(&self, path: PathBuf) -> Document {
        self.document(path, |_, text| {
            let broken = |(reason, line)| Broken { key: "parse-error", reason, line: Some(line) };
            let parsed = json::parse(text).map_err(broken)?;
            Ok((parsed.value, parsed.oddities))
        })
    }

    /// A YAML file.
    pub(in crate::compliance) fn yaml(&self, path: PathBuf) -> Document {
        self.document(path, |path, text| {
            let broken = |(reason, line)| Broken { key: "parse-error", reason, line };
            yaml11::parse(path, text).map_err(broken)
        })
    }

    fn document(
        &self,
        path: PathBuf,
        parse: impl Fn(&Path, &str) -> Result<(Value, Vec<super::Oddity>), Broken>,
    ) -> Document {
        let (is_file, text) = match self.target(&path) {
            Target::Nothing => {
                return Document {
                    path,
                    state: State::Absent,
                    oddities: Vec::new(),
                    is_file: false,
                    line: None,
                };
            }
            Target::Outside => (true, Err("it leads out of the audited directory".to_owned())),
            Target::Inside(meta) if meta.is_file() => (true, read(&path)),
            Target::Inside(_) => (false, Err("it is no regular file".to_owned())),
        };
        let parsed = text.map_err(|reason| Broken { key: "io-error", reason, line: None });
        let (state, oddities, line) = match parsed.and_then(|text| parse(&path, &text)) {
            Ok((value, oddities)) => (State::Parsed(value), oddities, None),
            Err(Broken { key, reason, line }) => (State::Unusable(key, reason), Vec::new(), line),
        };
        Document { path, state, oddities, is_file, line }
    }
}

/// The text of a file of at most [`MAX_BYTES`].
fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    // One byte more than allowed tells a file that is too large, whatever its metadata say.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_BYTES >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("it is not UTF-8 text: bad byte at offset {}", error.utf8_error().valid_up_to())
    })
}
