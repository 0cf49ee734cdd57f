//! Loading: a path in, a valid scenario and every finding out.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::diagnostics::{Diagnostic, Place, SourceMap};

use super::model::Scenario;

/// How deep to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The file itself and whether the files that it names exist.
    File,
    /// The contents of the data sets too.
    Full,
}

/// What to load.
pub struct LoadRequest<'a> {
    /// The scenario file.
    pub path: &'a Path,
    /// Looks up an environment variable for `${VAR}`.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// Overrides (`--set path=value`), applied in order after `extends`.
    pub set: &'a [(String, String)],
    /// How deep to look.
    pub depth: Depth,
}

/// What loading gave.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario; present when no finding is an error.
    pub scenario: Option<ValidScenario>,
    /// Every finding of the three layers, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: SourceMap,
}

/// A scenario that passed every check. Its paths are absolute.
#[derive(Clone, Debug)]
pub struct ValidScenario {
    scenario: Scenario,
    resolved: serde_json::Value,
    /// The scenario file's text as given.
    pub source_text: String,
    /// SHA-256, in hexadecimal, of the resolved document without its secrets.
    pub digest: String,
}

impl ValidScenario {
    /// The document merged and expanded, without its secrets, as YAML.
    pub fn resolved_yaml(&self) -> String {
        serde_yaml::to_string(&self.resolved).unwrap_or_default()
    }
}

impl Deref for ValidScenario {
    type Target = Scenario;

    fn deref(&self) -> &Scenario {
        &self.scenario
    }
}

/// Loads and validates a scenario file. Never fails: what is wrong is a finding.
pub fn load(request: &LoadRequest<'_>) -> Loaded {
    let mut sources = SourceMap::default();
    let failed = |message: String, sources| Loaded {
        scenario: None,
        diagnostics: vec![Diagnostic::error("yaml-syntax", message).at(
            request.path,
            Place::File,
            "",
        )],
        sources,
    };
    let text = match std::fs::read_to_string(request.path) {
        Ok(text) => text,
        Err(error) => return failed(error.to_string(), sources),
    };
    sources.insert(request.path, text.clone());
    match serde_yaml::from_str::<Scenario>(&text) {
        Ok(mut scenario) => {
            let resolved = serde_json::to_value(&scenario).unwrap_or_default();
            let digest = format!("{:x}", HexDigest(&Sha256::digest(resolved.to_string())));
            absolutise(&mut scenario, request.path);
            let valid = ValidScenario { scenario, resolved, source_text: text, digest };
            Loaded { scenario: Some(valid), diagnostics: Vec::new(), sources }
        }
        Err(error) => failed(error.to_string(), sources),
    }
}

/// Makes every path absolute, against the directory of the file.
fn absolutise(scenario: &mut Scenario, file: &Path) {
    let base = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let base = base.parent().map(Path::to_owned).unwrap_or_default();
    let mend = |path: &mut Option<PathBuf>| {
        *path = path.take().filter(|path| !path.as_os_str().is_empty()).map(|p| base.join(p));
    };
    mend(&mut scenario.model.tokenizer);
    mend(&mut scenario.endpoint.ca_file);
    for dataset in &mut scenario.datasets {
        dataset.path = base.join(&dataset.path);
    }
    scenario.endpoint.api_key = scenario.endpoint.api_key.take().filter(|key| !key.is_empty());
}

/// Lower-case hexadecimal of some bytes.
struct HexDigest<'a>(&'a [u8]);

impl std::fmt::LowerHex for HexDigest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_valid_file_loads_with_absolute_paths() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plain.yaml");
        let text = "\
schema: scenario/v1
name: plain
model: { name: m, sampling: { temperature: 1.0, top_k: 20 } }
endpoint: { simulated: {} }
datasets: [{ name: a, path: a.jsonl }]
load: { concurrency: [1, 2], tool_delays: { scale: 0.1, max: 2s } }
";
        std::fs::write(&file, text).unwrap();
        let request = LoadRequest { path: &file, env: &|_| None, set: &[], depth: Depth::File };
        let loaded = load(&request);
        assert_eq!(loaded.diagnostics, []);
        let scenario = loaded.scenario.unwrap();
        assert_eq!(scenario.datasets[0].path, folder.path().join("a.jsonl"));
        assert_eq!(scenario.load.concurrency.points(), [1, 2]);
    }
}
