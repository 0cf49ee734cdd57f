//! Reading a YAML file: bounded and checked before anything is parsed.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::diagnostics::{Diagnostic, Place};

/// Largest YAML file, in bytes. Scenarios are a few kilobytes; data sets are not YAML.
pub const MAX_BYTES: u64 = 1 << 20;

/// Reads a text file of at most [`MAX_BYTES`], without a byte-order mark. What is wrong is a
/// finding about the file as a whole, or about its first byte that is no UTF-8.
pub fn read(path: &Path) -> Result<String, Box<Diagnostic>> {
    let unreadable = |error: &std::io::Error| {
        Box::new(
            Diagnostic::error("file-unreadable", format!("`{}` {}", path.display(), why(error)))
                .at(path, Place::File, ""),
        )
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large, whatever its metadata say.
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Box::new(
            Diagnostic::error(
                "file-too-large",
                format!("`{}` is larger than 1 MiB", path.display()),
            )
            .at(path, Place::File, "")
            .help("a scenario file is a few kilobytes; is this a data set?"),
        ));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => Err(Box::new(not_utf8(path, &error))),
    }
}

/// The finding of a file that is no UTF-8.
fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Diagnostic {
    let valid = error.utf8_error().valid_up_to();
    let bytes = error.as_bytes();
    let line = bytes[..valid].split(|byte| *byte == b'\n').count();
    let byte = bytes.get(valid).copied().unwrap_or_default();
    Diagnostic::error(
        "file-not-utf8",
        format!("`{}` is not UTF-8 text: byte 0x{byte:02x} at offset {valid}", path.display()),
    )
    .at(path, Place::Line(line as u64), "")
    .help("save the file as UTF-8")
}

/// An I/O error in words that follow the file's name.
fn why(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "does not exist".to_owned(),
        std::io::ErrorKind::PermissionDenied => "may not be read: permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}
