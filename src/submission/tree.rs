//! The files of a submission, and how they get onto a disk or into an archive.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};

use super::error::SubmissionError;
use super::files;
use crate::digest::{Sha256Stream, hex};

/// Where a file's bytes come from.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// They were made.
    Bytes(Vec<u8>),
    /// They are copied.
    File(PathBuf),
}

impl Content {
    /// The bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, SubmissionError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes.clone()),
            Self::File(path) => files::bytes(path),
        }
    }

    /// Where they come from, for messages; `name` is the file's place in the tree.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        match self {
            Self::Bytes(_) => PathBuf::from(name),
            Self::File(path) => path.clone(),
        }
    }
}

/// Files by their path in the tree, with `/` between the parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    files: BTreeMap<String, Content>,
    directories: Vec<String>,
}

impl Tree {
    /// Adds a file.
    pub(super) fn add(&mut self, path: impl Into<String>, content: Content) {
        self.files.insert(path.into(), content);
    }

    /// Adds a directory that is there even if it is empty.
    pub(super) fn add_directory(&mut self, path: &str) {
        self.directories.push(path.to_owned());
    }

    /// How many files it has.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Writes everything below `root`, and returns the digest of the tree: SHA-256 over one line
    /// per file, `<sha256>  <path>`, in the order of the paths.
    pub(super) fn write(&self, root: &Path) -> Result<String, SubmissionError> {
        for directory in &self.directories {
            let path = root.join(directory);
            fs::create_dir_all(&path).map_err(SubmissionError::write(&path))?;
        }
        let mut digest = Sha256Stream::new();
        for (name, content) in &self.files {
            let path = root.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(SubmissionError::write(parent))?;
            }
            let sum = match content {
                Content::Bytes(bytes) => copy(&mut bytes.as_slice(), &path),
                Content::File(from) => {
                    let mut file = File::open(from).map_err(SubmissionError::read(from))?;
                    copy(&mut file, &path)
                }
            };
            let sum = sum.map_err(SubmissionError::write(&path))?;
            digest.update(format!("{sum}  {name}\n").as_bytes());
        }
        Ok(hex(&digest.finish()))
    }

    /// Packs the files of a written tree into a gzipped tar archive below one directory. Times,
    /// owners and order are fixed, so that the same tree gives the same bytes.
    pub(super) fn pack(
        &self,
        root: &Path,
        top: &str,
        archive: &Path,
    ) -> Result<(), SubmissionError> {
        let attempt = || -> io::Result<()> {
            let parent = archive.parent().unwrap_or(Path::new("."));
            let mut partial = tempfile::Builder::new();
            partial.prefix(".writing-");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                partial.permissions(fs::Permissions::from_mode(0o666));
            }
            let mut partial = partial.tempfile_in(parent)?;
            let zipped =
                GzBuilder::new().mtime(0).write(partial.as_file_mut(), Compression::best());
            let mut tar = tar::Builder::new(zipped);
            for directory in &self.directories {
                let mut header = header(tar::EntryType::Directory, 0o755, 0);
                tar.append_data(&mut header, format!("{top}/{directory}/"), io::empty())?;
            }
            for name in self.files.keys() {
                let file = File::open(root.join(name))?;
                let mut header = header(tar::EntryType::Regular, 0o644, file.metadata()?.len());
                tar.append_data(&mut header, format!("{top}/{name}"), file)?;
            }
            tar.into_inner()?.finish()?;
            partial.as_file().sync_all()?;
            partial.persist(archive)?;
            Ok(())
        };
        attempt().map_err(SubmissionError::write(archive))
    }
}

fn header(kind: tar::EntryType, mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(size);
    header
}

/// Copies bytes into a new file; their SHA-256.
fn copy(from: &mut dyn io::Read, to: &Path) -> io::Result<String> {
    let mut file = File::create_new(to)?;
    let mut digest = Sha256Stream::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        file.write_all(&buffer[..read])?;
    }
    file.sync_all()?;
    Ok(hex(&digest.finish()))
}
