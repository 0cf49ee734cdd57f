//! A data set file in the making: compressed by its name, hashed, and there only when complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use super::source::Compression;
use crate::digest::{self, Sha256Stream};

/// Why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing is overwritten unasked.
    #[error("{} exists", .0.display())]
    Exists(PathBuf),
    /// The name asks for Zstandard.
    #[error("{} would be Zstandard, which can be read but not written", .0.display())]
    Zstandard(PathBuf),
    /// The operating system said no.
    #[error("cannot write the data set {}: {source}", .path.display())]
    Write {
        /// The file as the user named it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// SHA-256 of its bytes as stored, 64 hex digits.
    pub sha256: String,
    /// Bytes as stored.
    pub bytes: u64,
}

/// Writes one data set file under a temporary name beside it; [`Store::finish`] gives it its own.
/// Dropped before that, it leaves nothing.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    replace: bool,
    encoder: Encoder,
}

#[derive(Debug)]
enum Encoder {
    Plain(BufWriter<Hashing>),
    Gzip(GzEncoder<BufWriter<Hashing>>),
}

impl Store {
    /// Begins the file `path`; names in `.gz` are compressed. What is there stays unless `replace`.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn create(path: &Path, replace: bool) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Write { path: path.to_owned(), source };
        if !replace && fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        let compression = Compression::of_name(path);
        if compression == Compression::Zstd {
            return Err(StoreError::Zstandard(path.to_owned()));
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".writing-");
        widen_permissions(&mut builder);
        let file = builder.tempfile_in(directory).map_err(failed)?;
        let hashing = Hashing { file, digest: Sha256Stream::new(), bytes: 0 };
        let buffered = BufWriter::with_capacity(256 * 1024, hashing);
        let encoder = match compression {
            // Without a time and a name in its header: the same text gives the same bytes.
            Compression::Gzip => {
                Encoder::Gzip(GzEncoder::new(buffered, flate2::Compression::default()))
            }
            _ => Encoder::Plain(buffered),
        };
        Ok(Self { path: path.to_owned(), replace, encoder })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// See [`StoreError`]; the file is not there then.
    pub fn finish(self) -> Result<Stored, StoreError> {
        let Self { path, replace, encoder } = self;
        let complete = || -> Result<Stored, io::Error> {
            let buffered = match encoder {
                Encoder::Plain(buffered) => buffered,
                Encoder::Gzip(gzip) => gzip.finish()?,
            };
            let Hashing { file, digest, bytes } =
                buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            let _: File =
                if replace { file.persist(&path)? } else { file.persist_noclobber(&path)? };
            Ok(Stored { sha256: digest::hex(&digest.finish()), bytes })
        };
        match complete() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(StoreError::Exists(path))
            }
            other => other.map_err(|source| StoreError::Write { path, source }),
        }
    }
}

impl Write for Store {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match &mut self.encoder {
            Encoder::Plain(out) => out.write(buf),
            Encoder::Gzip(out) => out.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encoder {
            Encoder::Plain(out) => out.flush(),
            Encoder::Gzip(out) => out.flush(),
        }
    }
}

/// The stored bytes, hashed as they pass.
struct Hashing {
    file: NamedTempFile,
    digest: Sha256Stream,
    bytes: u64,
}

impl std::fmt::Debug for Hashing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hashing").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Write for Hashing {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buf)?;
        self.digest.update(buf.get(..written).unwrap_or_default());
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Temporary files are private by default; a data set is as readable as any new file (the umask
/// still applies).
#[cfg(unix)]
fn widen_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn widen_permissions(_: &mut tempfile::Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Limits, Reader};

    const ROW: &[u8] =
        b"{\"conversation_id\":\"a\",\"turn\":1,\"role\":\"user\",\"content\":\"hi\"}\n";

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn files_are_compressed_by_name_and_hashed_as_stored() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "a.jsonl.gz"] {
            let path = directory.path().join(name);
            let mut store = Store::create(&path, false).unwrap();
            store.write_all(ROW).unwrap();
            let stored = store.finish().unwrap();
            let mut reader = Reader::open(&path, Limits::default()).unwrap();
            let facts = reader.finish();
            assert_eq!((facts.rows, reader.errors()), (1, 0), "{name}");
            assert_eq!((facts.sha256.unwrap(), facts.stored_bytes), (stored.sha256, stored.bytes));
        }
    }

    #[test]
    fn nothing_is_overwritten_unasked_and_nothing_is_left_behind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.jsonl");
        let mut dropped = Store::create(&path, false).unwrap();
        dropped.write_all(ROW).unwrap();
        drop(dropped);
        assert_eq!(names(directory.path()), Vec::<String>::new());

        // The other writer comes first.
        let slow = Store::create(&path, false).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(matches!(slow.finish(), Err(StoreError::Exists(_))));
        assert!(matches!(Store::create(&path, false), Err(StoreError::Exists(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");

        Store::create(&path, true).unwrap().finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
        assert_eq!(names(directory.path()), ["a.jsonl"]);
        let zst = Store::create(&directory.path().join("a.jsonl.zst"), false);
        assert!(matches!(zst, Err(StoreError::Zstandard(_))));
        let nowhere = Store::create(&directory.path().join("no/a.jsonl"), false);
        assert!(matches!(nowhere, Err(StoreError::Write { .. })));
    }
}
