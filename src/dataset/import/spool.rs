//! What waits for the end of its file, on disk instead of in memory.

use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use tempfile::{SpooledTempFile, spooled_tempfile, spooled_tempfile_in};

/// Up to here nothing goes to the disk.
const IN_MEMORY: usize = 4 << 20;

/// Some bytes of a [`Spool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    at: u64,
    length: u32,
}

impl Piece {
    /// Its bytes.
    pub(super) fn bytes(self) -> u64 {
        u64::from(self.length)
    }
}

/// A nameless file that is gone with this value.
pub(super) struct Spool {
    file: SpooledTempFile,
    end: u64,
    /// Where the file's own position is.
    position: u64,
}

impl Spool {
    /// An empty one; on disk in `directory`, or where the system keeps such files.
    pub(super) fn new(directory: Option<&Path>) -> Self {
        let file = match directory {
            Some(directory) => spooled_tempfile_in(IN_MEMORY, directory),
            None => spooled_tempfile(IN_MEMORY),
        };
        Self { file, end: 0, position: 0 }
    }

    /// Keeps some bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<Piece> {
        let length = u32::try_from(bytes.len())
            .map_err(|_| io::Error::other("a value is longer than 4 GiB"))?;
        self.seek(self.end)?;
        self.file.write_all(bytes)?;
        let piece = Piece { at: self.end, length };
        self.end += u64::from(length);
        self.position = self.end;
        Ok(piece)
    }

    /// Gives them back.
    pub(super) fn read(&mut self, piece: Piece) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; piece.length as usize];
        self.seek(piece.at)?;
        self.file.read_exact(&mut bytes)?;
        self.position = piece.at + piece.bytes();
        Ok(bytes)
    }

    fn seek(&mut self, to: u64) -> io::Result<()> {
        if self.position != to {
            self.position = self.file.seek(SeekFrom::Start(to))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_in_any_order_from_memory_and_from_disk() {
        let directory = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(Some(directory.path()));
        let text = |n: usize| vec![u8::try_from(n % 251).unwrap(); n * 7];
        let mut pieces: Vec<_> = (0..900).map(|n| spool.push(&text(n)).unwrap()).collect();
        assert_eq!(spool.read(pieces[3]).unwrap(), text(3));
        pieces.extend((900..1300).map(|n| spool.push(&text(n)).unwrap()));
        assert!(spool.end > IN_MEMORY as u64);
        for n in [1299, 0, 1, 700, 899, 900, 42] {
            assert_eq!(spool.read(pieces[n]).unwrap(), text(n), "{n}");
        }
        // The file has no name.
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
