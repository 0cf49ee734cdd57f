//! A scenario that passed every check.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::diagnostics::SourceMap;
use crate::digest::sha256_hex;
use crate::ruleset::Ruleset;
use crate::yaml::{Node, Origin, Pointer};

use super::model::Scenario;
use super::origins::{ValueOrigin, origins};
use super::paths::Home;
use super::statements::Statements;

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
    origins: Vec<ValueOrigin>,
    /// Where every value stands; no values, since they may be secrets.
    places: BTreeMap<Pointer, Origin>,
    statements: Statements,
}

impl ValidScenario {
    /// Reads a document that passed the schema, whose paths are relative to `home`.
    pub(super) fn new(
        document: &Value,
        home: &Home,
        source_text: String,
    ) -> Result<Self, serde_json::Error> {
        let mut scenario: Scenario = serde_json::from_value(document.clone())?;
        let resolved = serde_json::to_value(&scenario)?;
        let digest = sha256_hex(resolved.to_string().as_bytes());
        absolutise(&mut scenario, home);
        let ruleset = scenario.compliance.ruleset.as_deref().map(Ruleset::find);
        let ruleset = ruleset.and_then(Result::ok);
        Ok(Self {
            scenario,
            resolved,
            source_text,
            ruleset,
            digest,
            origins: Vec::new(),
            places: BTreeMap::new(),
            statements: Statements::default(),
        })
    }

    /// Notes where the values of `root`, from which the document was made, came from.
    #[must_use]
    pub(super) fn located(mut self, root: &Node, sources: &SourceMap) -> Self {
        self.origins = origins(root, &self.resolved, sources);
        root.visit(&Pointer::root(), &mut |pointer, node| {
            self.places.insert(pointer.clone(), node.origin.clone());
        });
        self
    }

    /// Adds the files that the submission section names.
    #[must_use]
    pub(super) fn stated(mut self, statements: Statements) -> Self {
        self.statements = statements;
        self
    }

    /// What is said of the system and its power, for a submission.
    pub fn statements(&self) -> &Statements {
        &self.statements
    }

    /// Where a value of the document stands, or the nearest one that holds it.
    pub fn place_of(&self, path: &[&str]) -> Option<&Origin> {
        (0..=path.len()).rev().find_map(|length| {
            let pointer = path[..length].iter().fold(Pointer::root(), |at, part| at.join(part));
            self.places.get(&pointer)
        })
    }

    /// Every value of the resolved document with its origin, in the order of the document.
    pub fn origins(&self) -> &[ValueOrigin] {
        &self.origins
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

/// Makes every path absolute.
fn absolutise(scenario: &mut Scenario, home: &Home) {
    let absolute = |path: &Path| home.absolute(path);
    let mend = |path: &mut Option<PathBuf>| *path = path.as_deref().map(absolute);
    mend(&mut scenario.model.tokenizer);
    mend(&mut scenario.endpoint.ca_file);
    for dataset in &mut scenario.datasets {
        dataset.path = absolute(&dataset.path);
    }
    if let Some(swe_bench) = &mut scenario.accuracy.swe_bench {
        mend(&mut swe_bench.instance_ids);
    }
    if let Some(ruleset) = scenario.compliance.ruleset.as_mut().filter(|r| Ruleset::is_file(r)) {
        *ruleset = absolute(Path::new(ruleset.as_str())).display().to_string();
    }
    if let Some(submission) = &mut scenario.submission {
        mend(&mut submission.system);
        mend(&mut submission.power);
        mend(&mut submission.implementation);
        mend(&mut submission.docs);
        mend(&mut submission.server_configs);
    }
}
