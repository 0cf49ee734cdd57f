//! A scenario that passed every check.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::digest::sha256_hex;
use crate::ruleset::Ruleset;

use super::model::Scenario;
use super::paths::Home;

/// A scenario that passed every check. Its paths are absolute.
#[derive(Clone, Debug)]
pub struct ValidScenario {
    scenario: Scenario,
    /// With paths relative to the scenario file, and without secrets.
    resolved: Value,
    /// The scenario file's text as given, secrets masked.
    pub source_text: String,
    ruleset: Option<Cow<'static, Ruleset>>,
    /// SHA-256, in hexadecimal, of the resolved document as compact JSON: the same wherever the
    /// scenario lies, and whatever its secrets are.
    pub digest: String,
}

impl ValidScenario {
    /// Reads a checked document, whose paths are relative to `home`; `None` when it is none.
    pub(super) fn new(document: &Value, home: &Home, source_text: String) -> Option<Self> {
        let mut scenario = Scenario::deserialize_from(document)?;
        let resolved = serde_json::to_value(&scenario).ok()?;
        let digest = sha256_hex(resolved.to_string().as_bytes());
        absolutise(&mut scenario, home);
        let ruleset = scenario.compliance.ruleset.as_deref().map(Ruleset::find);
        let ruleset = ruleset.and_then(Result::ok);
        Some(Self { scenario, resolved, source_text, digest, ruleset })
    }

    /// The benchmark's rules, where the scenario names some.
    pub fn ruleset(&self) -> Option<&Ruleset> {
        self.ruleset.as_deref()
    }

    /// The document merged, expanded and with its defaults, without its secrets, as YAML. Paths
    /// are relative to the scenario file's directory.
    pub fn resolved_yaml(&self) -> String {
        serde_yaml::to_string(&self.resolved).expect("JSON values are YAML")
    }
}

impl Deref for ValidScenario {
    type Target = Scenario;

    fn deref(&self) -> &Scenario {
        &self.scenario
    }
}

impl Scenario {
    /// Reads a document that passed the schema.
    fn deserialize_from(document: &Value) -> Option<Self> {
        serde_json::from_value(document.clone()).ok()
    }
}

/// Makes every path absolute.
fn absolutise(scenario: &mut Scenario, home: &Home) {
    let absolute = |path: &Path| home.absolute(path);
    let mend = |path: &mut Option<PathBuf>| *path = path.as_deref().map(absolute);
    mend(&mut scenario.model.tokenizer);
    mend(&mut scenario.endpoint.ca_file);
    for dataset in &mut scenario.datasets {
        dataset.path = absolute(&dataset.path);
    }
    if let Some(ruleset) = scenario.compliance.ruleset.as_mut().filter(|r| Ruleset::is_file(r)) {
        *ruleset = absolute(Path::new(ruleset.as_str())).display().to_string();
    }
    if let Some(submission) = &mut scenario.submission {
        mend(&mut submission.system);
        mend(&mut submission.power);
        mend(&mut submission.implementation);
        mend(&mut submission.docs);
    }
}
