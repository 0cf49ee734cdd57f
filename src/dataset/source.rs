//! The bytes of a data set file: hashed as stored, then decompressed by extension.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::digest::Sha256Stream;

/// How much is read from the file at once.
const CHUNK: usize = 256 * 1024;

/// How a file is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compression {
    /// As it is.
    None,
    /// gzip (RFC 1952), one or several members.
    Gzip,
    /// Zstandard (RFC 8878), one or several frames.
    Zstd,
}

impl Compression {
    /// The compression that a file's name announces.
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz" | "gzip") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The compression that a file's first bytes show.
    fn of_bytes(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A Zstandard frame, or a skippable one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain text",
            Self::Gzip => "gzip",
            Self::Zstd => "Zstandard",
        }
    }
}

/// Why bytes could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    /// The operating system could not read the file.
    #[error("cannot read the file: {0}")]
    Read(io::Error),
    /// The archive ends in the middle of a member or frame.
    #[error("the {} archive ends early", .0.name())]
    Truncated(Compression),
    /// The archive is not what its name says, or is damaged.
    #[error("the {} archive is damaged: {why}", .compression.name())]
    Damaged {
        /// From the extension.
        compression: Compression,
        /// The decoder's words.
        why: String,
    },
    /// The first bytes show another compression than the name.
    #[error("the file's name says {}, its first bytes say {}", .named.name(), .found.name())]
    Mismatch {
        /// From the extension.
        named: Compression,
        /// From the first bytes.
        found: Compression,
    },
}

/// The stored bytes, hashed as they pass.
struct Hashing<R> {
    inner: R,
    digest: Sha256Stream,
    bytes: u64,
    /// The operating system's error, to be told apart from a decoder's.
    failed: Option<io::ErrorKind>,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.inner.read(buf) {
            Ok(n) => {
                self.digest.update(buf.get(..n).unwrap_or_default());
                self.bytes += n as u64;
                Ok(n)
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::Interrupted {
                    self.failed = Some(error.kind());
                }
                Err(error)
            }
        }
    }
}

type Stored<R> = BufReader<Hashing<R>>;

enum Decoder<R: Read> {
    Plain(Stored<R>),
    Gzip(MultiGzDecoder<Stored<R>>),
    Zstd(Box<Frames<Stored<R>>>),
}

/// A data set's text, decompressed; yields the digest of the stored bytes at the end.
pub(super) struct Source<R: Read = File> {
    decoder: Decoder<R>,
    compression: Compression,
}

impl<R: Read> Source<R> {
    /// A source of the bytes of `stored`, which are compressed as `compression` says.
    pub(super) fn new(stored: R, compression: Compression) -> Result<Self, SourceError> {
        let hashing =
            Hashing { inner: stored, digest: Sha256Stream::new(), bytes: 0, failed: None };
        let mut stored = BufReader::with_capacity(CHUNK, hashing);
        let head = stored.fill_buf().map_err(SourceError::Read)?;
        let found = Compression::of_bytes(head);
        if head.is_empty() {
            // An empty file is an empty data set, whatever its name.
            return Ok(Self { decoder: Decoder::Plain(stored), compression });
        }
        if found != compression {
            return Err(SourceError::Mismatch { named: compression, found });
        }
        let decoder = match compression {
            Compression::None => Decoder::Plain(stored),
            Compression::Gzip => Decoder::Gzip(MultiGzDecoder::new(stored)),
            Compression::Zstd => Decoder::Zstd(Box::new(Frames::new(stored))),
        };
        Ok(Self { decoder, compression })
    }

    fn stored(&mut self) -> &mut Stored<R> {
        match &mut self.decoder {
            Decoder::Plain(stored) => stored,
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Zstd(decoder) => &mut decoder.source,
        }
    }

    /// Reads decompressed bytes; 0 at the end.
    pub(super) fn read(&mut self, buf: &mut [u8]) -> Result<usize, SourceError> {
        loop {
            let result = match &mut self.decoder {
                Decoder::Plain(stored) => stored.read(buf),
                Decoder::Gzip(decoder) => decoder.read(buf),
                Decoder::Zstd(decoder) => decoder.read(buf),
            };
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.classify(error)),
                Ok(n) => return Ok(n),
            }
        }
    }

    fn classify(&mut self, error: io::Error) -> SourceError {
        if self.compression == Compression::None || self.stored().get_ref().failed.is_some() {
            SourceError::Read(error)
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            SourceError::Truncated(self.compression)
        } else {
            SourceError::Damaged { compression: self.compression, why: error.to_string() }
        }
    }

    /// Reads the stored bytes that are left (behind damage, say); returns the SHA-256 and the
    /// number of all stored bytes.
    pub(super) fn finish(mut self) -> Result<([u8; 32], u64), SourceError> {
        io::copy(self.stored(), &mut io::sink()).map_err(SourceError::Read)?;
        let hashing = match self.decoder {
            Decoder::Plain(stored) => stored,
            Decoder::Gzip(decoder) => decoder.into_inner(),
            Decoder::Zstd(decoder) => decoder.source,
        }
        .into_inner();
        Ok((hashing.digest.finish(), hashing.bytes))
    }
}

/// Zstandard frames one after another; the crate's own reader stops behind the first.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), inside: false }
    }

    /// Starts the next frame; false at the end of the file.
    fn start(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped =
                        io::copy(&mut (&mut self.source).take(u64::from(length)), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(self.io_error(error)),
            }
        }
        Ok(false)
    }

    /// A decoder's error, as an early end where the file ended.
    fn io_error(&mut self, error: FrameDecoderError) -> io::Error {
        match self.source.fill_buf() {
            Err(error) => error,
            Ok([]) => io::Error::new(io::ErrorKind::UnexpectedEof, error),
            Ok(_) => io::Error::other(error),
        }
    }

    /// Compares the frame's checksum, where it has one, with the decoded bytes.
    fn check(&self) -> io::Result<()> {
        let (stated, found) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if stated.is_some() && stated != found {
            return Err(io::Error::other("its checksum does not match its content"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside {
                if !self.start()? {
                    return Ok(0);
                }
                self.inside = true;
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                if let Err(error) = self.decoder.decode_blocks(&mut self.source, blocks) {
                    return Err(self.io_error(error));
                }
            }
            let n = self.decoder.read(buf)?;
            if n > 0 || buf.is_empty() {
                return Ok(n);
            }
            self.check()?;
            self.inside = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::digest::sha256;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn read_all(stored: &[u8], compression: Compression) -> Result<Vec<u8>, SourceError> {
        let mut source = Source::new(stored, compression)?;
        let mut text = Vec::new();
        let mut buf = [0; 1000];
        loop {
            let n = source.read(&mut buf)?;
            if n == 0 {
                break;
            }
            text.extend_from_slice(&buf[..n]);
        }
        let (digest, bytes) = source.finish()?;
        assert_eq!((digest, bytes), (sha256(stored), stored.len() as u64));
        Ok(text)
    }

    fn text() -> Vec<u8> {
        (0..40_000_u32).flat_map(|n| format!("{n} row\n").into_bytes()).collect()
    }

    #[test]
    fn reads_members_and_frames_to_the_end() {
        let text = text();
        for (compression, part) in [
            (Compression::None, text.clone()),
            (Compression::Gzip, gzip(&text)),
            (Compression::Zstd, zstd(&text)),
        ] {
            let stored = [part.clone(), part].concat();
            assert_eq!(read_all(&stored, compression).unwrap(), text.repeat(2), "{compression:?}");
        }
    }

    #[test]
    fn skippable_frames_are_skipped() {
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let stored = [skippable.clone(), zstd(b"text"), skippable].concat();
        assert_eq!(read_all(&stored, Compression::Zstd).unwrap(), b"text");
    }

    #[test]
    fn a_cut_archive_is_told_from_a_damaged_one() {
        let text = text();
        for (compression, stored) in
            [(Compression::Gzip, gzip(&text)), (Compression::Zstd, zstd(&text))]
        {
            for cut in [4, 12, stored.len() / 2, stored.len() - 1] {
                let error = read_all(&stored[..cut], compression).unwrap_err();
                assert!(
                    matches!(error, SourceError::Truncated(c) if c == compression),
                    "{cut} {error}"
                );
            }
            let mut damaged = stored.clone();
            let middle = damaged.len() / 2;
            for byte in &mut damaged[middle..middle + 8] {
                *byte ^= 0x5a;
            }
            let error = read_all(&damaged, compression).unwrap_err();
            assert!(matches!(error, SourceError::Damaged { .. }), "{error}");
            for (stored, name) in [(&b"{}\n"[..], compression), (&*stored, Compression::None)] {
                let error = read_all(stored, name).unwrap_err();
                assert!(matches!(error, SourceError::Mismatch { .. }), "{error}");
            }
        }
    }

    #[test]
    fn an_empty_file_is_empty_text() {
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            assert_eq!(read_all(b"", compression).unwrap(), b"", "{compression:?}");
        }
    }
}
