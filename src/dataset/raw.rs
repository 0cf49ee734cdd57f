//! Rows as they are stored, conversation by conversation; for copies that change nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::lines::Lines;
use super::reader::Limits;
use super::source::{Compression, Source};

/// A file whose rows could not be copied.
#[derive(Debug, thiserror::Error)]
#[error("cannot copy the rows of {}: {reason}", .path.display())]
pub struct RawError {
    /// The file.
    pub path: PathBuf,
    /// Why, with the line where one is to blame.
    pub reason: String,
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    conversation_id: Option<String>,
}

/// The rows of every conversation of a file, each with its line feed; decompressed where the name
/// says so. Memory holds the whole file. Rows without a conversation are left out.
///
/// # Errors
/// The file cannot be read, or a row is not JSON.
pub fn raw_conversations(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, RawError> {
    let failed = |reason: String| RawError { path: path.to_owned(), reason };
    let limits = Limits::default();
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let source = Source::new(file, Compression::of_name(path));
    let source = source.map_err(|error| failed(error.to_string()))?;
    let mut lines = Lines::new(source, limits.line_bytes, limits.total_bytes);
    let mut conversations: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    while let Some((number, bytes)) = lines.next().map_err(|error| failed(error.to_string()))? {
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let head: Head = serde_json::from_slice(bytes)
            .map_err(|error| failed(format!("line {number}: {error}")))?;
        let Some(id) = head.conversation_id else { continue };
        let rows = conversations.entry(id).or_default();
        rows.extend_from_slice(bytes.trim_ascii_end());
        rows.push(b'\n');
    }
    Ok(conversations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_as_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let text = "{\"_type\":\"dataset_metadata\"}\n{\"conversation_id\":\"b\", \"x\":1 }\r\n\n\
                    {\"conversation_id\":\"b\"}\n{\"conversation_id\":\"a\",\"ü\":\"\\u00fc\"}";
        std::fs::write(&path, text).unwrap();
        let found = raw_conversations(&path).unwrap();
        let ids: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(
            found["b"],
            b"{\"conversation_id\":\"b\", \"x\":1 }\n{\"conversation_id\":\"b\"}\n"
        );
        assert_eq!(found["a"], "{\"conversation_id\":\"a\",\"ü\":\"\\u00fc\"}\n".as_bytes());

        std::fs::write(&path, "{\"conversation_id\":\"b\"}\n{").unwrap();
        let error = raw_conversations(&path).unwrap_err().to_string();
        assert!(error.contains("line 2: "), "{error}");
    }
}
