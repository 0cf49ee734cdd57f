//! Loading fixtures in a fixed environment.

use std::path::{Path, PathBuf};

use scenario::diagnostics::{Severity, render_human};
use scenario::scenario::{Depth, LoadRequest, Loaded};

/// The severity of an error.
pub(super) const ERROR: Severity = Severity::Error;

/// The folder of bad scenario files, relative to the package, which tests run in.
pub(super) const FOLDER: &str = "tests/fixtures/scenarios";

/// The bad scenario files, in order.
pub(super) fn bad_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "yaml")).collect();
    files.sort();
    files
}

/// The environment of every test.
pub(super) fn environment(name: &str) -> Option<String> {
    let value = match name {
        "SET_URL" => "http://localhost:8000",
        "PASSES" => "3",
        "WORD" => "seven",
        "EMPTY" => "",
        "KEY" => "sk-from-the-environment",
        "KEY_WITH_NEWLINE" => "sk-from-a-file\n",
        _ => return None,
    };
    Some(value.to_owned())
}

/// Loads a file, data sets included.
pub(super) fn load(path: &Path) -> Loaded {
    load_with(path, &[])
}

/// Loads a file with overrides.
pub(super) fn load_with(path: &Path, set: &[(&str, &str)]) -> Loaded {
    let set: Vec<(String, String)> =
        set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let request = LoadRequest { path, env: &environment, set: &set, depth: Depth::Full };
    scenario::scenario::load(&request)
}

/// The findings for people, with the package's directory replaced.
pub(super) fn human(loaded: &Loaded) -> String {
    let text = render_human(&loaded.diagnostics, &loaded.sources, false);
    text.replace(env!("CARGO_MANIFEST_DIR"), "[package]")
}

/// Writes files into a temporary folder: name and text.
pub(super) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// One conversation with a system prompt, for data sets in temporary folders.
pub(super) const CONVERSATION: &str = r#"{"conversation_id":"sim_1","turn":1,"role":"user","content":"hello","system":"You help."}
{"conversation_id":"sim_1","turn":2,"role":"assistant","content":"hi"}
"#;
