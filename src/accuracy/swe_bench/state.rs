//! The file by which a job is found again after the client was killed.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files;
use super::protocol::is_run_id;

/// The version of the file's format.
const FORMAT: u32 = 1;

/// A submitted job. Holds no secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobState {
    format: u32,
    /// The service's URL.
    pub service: String,
    /// The run at the service.
    pub run_id: String,
    /// What was asked: [`super::RunRequest::digest`].
    pub request: String,
    /// When it was submitted, in seconds since 1970.
    pub submitted_at: u64,
}

/// A state file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It cannot be read, written or removed.
    #[error("cannot {doing} {}: {source}", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{} is no state of a SWE-bench job: {reason}; remove it to start anew", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
}

impl JobState {
    /// The state of a job that was just submitted.
    pub fn new(service: String, run_id: String, request: String, submitted_at: u64) -> Self {
        Self { format: FORMAT, service, run_id, request, submitted_at }
    }

    /// Reads the file; none when there is no such file.
    ///
    /// # Errors
    /// It cannot be read, or holds something else.
    pub fn load(path: &Path) -> Result<Option<Self>, StateError> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(failed("read", path))?,
        };
        let invalid = |reason| StateError::Invalid { path: path.to_owned(), reason };
        let state: Self =
            serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
        if state.format != FORMAT {
            return Err(invalid(format!("format {}, expected {FORMAT}", state.format)));
        }
        if !is_run_id(&state.run_id) {
            return Err(invalid("its run id could not stand in a URL".to_owned()));
        }
        Ok(Some(state))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), StateError> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("plain values have no errors");
        bytes.push(b'\n');
        files::write(path, &bytes).map_err(failed("write", path))
    }

    /// Removes the file, if it is there.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(path: &Path) -> Result<(), StateError> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(failed("remove", path)),
        }
    }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StateError {
    move |source| StateError::Io { doing, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/r8.json");
        assert_eq!(JobState::load(&path).unwrap(), None);
        let state = JobState::new("http://h".into(), "r_1".into(), "d".into(), 7);
        state.save(&path).unwrap();
        assert_eq!(JobState::load(&path).unwrap(), Some(state));
        JobState::remove(&path).unwrap();
        JobState::remove(&path).unwrap();
        assert_eq!(JobState::load(&path).unwrap(), None);
    }

    #[test]
    fn what_is_no_state_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        for text in [
            "",
            "{}",
            r#"{"format":2,"service":"s","run_id":"r","request":"d","submitted_at":1}"#,
            r#"{"format":1,"service":"s","run_id":"../r","request":"d","submitted_at":1}"#,
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(JobState::load(&path), Err(StateError::Invalid { .. })), "{text}");
        }
    }
}
