//! The list of SWE-bench instances, from the user's file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest file that is read.
const MAX_BYTES: u64 = 1 << 20;
/// The longest id.
const MAX_ID: usize = 200;

/// Instance ids in the data set's order, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceIds(Vec<String>);

/// A file that is no list of instances.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// The file cannot be read.
    #[error("cannot read the instance ids {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file's content is no list of ids.
    #[error("{}: {reason}", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What was found, and where.
        reason: String,
    },
}

impl InstanceIds {
    /// Reads a file: one id per line (empty lines and lines that start with `#` are skipped), or a
    /// JSON list of texts.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else, an id twice, or none.
    pub fn read(path: &Path) -> Result<Self, InstanceError> {
        let failed = |source| InstanceError::Read { path: path.to_owned(), source };
        let size = std::fs::metadata(path).map_err(failed)?.len();
        let invalid = |reason| InstanceError::Invalid { path: path.to_owned(), reason };
        if size > MAX_BYTES {
            return Err(invalid(format!("{size} bytes; a list of ids has at most {MAX_BYTES}")));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Self::parse(&text).map_err(invalid)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let placed: Vec<(String, String)> = if text.trim_start().starts_with(['[', '{', '"']) {
            let list: Vec<String> = serde_json::from_str(text)
                .map_err(|error| format!("no JSON list of instance ids: {error}"))?;
            (1..).zip(list).map(|(n, id)| (format!("item {n}"), id)).collect()
        } else {
            let lines = (1..).zip(text.lines()).map(|(n, line)| (n, line.trim()));
            let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            lines.map(|(n, line)| (format!("line {n}"), line.to_owned())).collect()
        };
        let (mut seen, mut ids) = (BTreeSet::new(), Vec::new());
        for (place, id) in placed {
            if !is_id(&id) {
                let shown = crate::wire::excerpt(id.as_bytes());
                return Err(format!(
                    "{place}: {shown:?} is no instance id such as `django__django-11099`"
                ));
            }
            if !seen.insert(id.clone()) {
                return Err(format!("{place}: `{id}` stands there twice"));
            }
            ids.push(id);
        }
        if ids.is_empty() { Err("no instance ids".to_owned()) } else { Ok(Self(ids)) }
    }

    /// The first ids; an error text when there are fewer.
    ///
    /// # Errors
    /// The list is too short.
    pub fn first(&self, count: usize) -> Result<Vec<String>, String> {
        match self.0.get(..count) {
            Some(first) => Ok(first.to_vec()),
            None => Err(format!("{} instance ids, but {count} are to be run", self.0.len())),
        }
    }
}

fn is_id(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !text.is_empty() && text.len() <= MAX_ID && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<String>, String> {
        InstanceIds::parse(text).map(|ids| ids.0)
    }

    #[test]
    fn lines_and_json_read_alike() {
        let ids = ["django__django-1", "scikit-learn__scikit-learn-2"];
        assert_eq!(
            parse("# first two\r\n\n django__django-1 \r\nscikit-learn__scikit-learn-2").unwrap(),
            ids
        );
        assert_eq!(
            parse("\n [\"django__django-1\",\n\"scikit-learn__scikit-learn-2\"]\n").unwrap(),
            ids
        );
        let list = InstanceIds::parse("a\nb\nc").unwrap();
        assert_eq!(list.first(2).unwrap(), ["a", "b"]);
        assert_eq!(list.first(4).unwrap_err(), "3 instance ids, but 4 are to be run");
    }

    #[test]
    fn what_is_no_list_says_where() {
        let errors: Vec<String> =
            ["", "# none", "[]", "[1]", "{\"a\":1}", "a\n../b", "a\n\na", "[\"a\",\"a\"]", "a b"]
                .map(|text| parse(text).unwrap_err())
                .into();
        insta::assert_snapshot!(errors.join("\n"), @r#"
        no instance ids
        no instance ids
        no instance ids
        no JSON list of instance ids: invalid type: integer `1`, expected a string at line 1 column 2
        no JSON list of instance ids: invalid type: map, expected a sequence at line 1 column 0
        line 2: "../b" is no instance id such as `django__django-11099`
        line 3: `a` stands there twice
        item 2: `a` stands there twice
        line 1: "a b" is no instance id such as `django__django-11099`
        "#);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = InstanceIds::read(Path::new("/nowhere/ids.txt")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read the instance ids /nowhere/ids.txt: "), "{error}");
    }
}
