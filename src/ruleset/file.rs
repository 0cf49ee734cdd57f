//! Rulesets of the user's own, from files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::model::{Ruleset, embedded};

/// The ending by which a scenario's `compliance.ruleset` is a file and no name.
const ENDING: &str = ".json";
/// The key under which a file names the embedded ruleset that it changes.
const EXTENDS: &str = "extends";
/// The list of models, merged by their canonical names.
const MODELS: &str = "models";
const CANONICAL: &str = "canonical";

/// Why there is no such ruleset.
#[derive(Debug, thiserror::Error)]
pub enum RulesetError {
    /// No embedded ruleset has this name.
    #[error("unknown ruleset `{0}`")]
    Unknown(String),
    /// The file cannot be read.
    #[error("cannot read the ruleset {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file is no ruleset.
    #[error("{} is no ruleset: {reason}", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What was found, with its place.
        reason: String,
    },
}

impl Ruleset {
    /// Whether a reference, as `compliance.ruleset` states it, is a file: it ends in `.json`.
    pub fn is_file(reference: &str) -> bool {
        reference.to_ascii_lowercase().ends_with(ENDING)
    }

    /// The ruleset of a reference: an embedded one by its name, or a file.
    ///
    /// # Errors
    /// No such name, or a file that cannot be read or is no ruleset.
    pub fn find(reference: &str) -> Result<Cow<'static, Self>, RulesetError> {
        if Self::is_file(reference) {
            return Self::read(Path::new(reference)).map(Cow::Owned);
        }
        let unknown = || RulesetError::Unknown(reference.to_owned());
        Self::named(reference).map(Cow::Borrowed).ok_or_else(unknown)
    }

    /// Reads a file. One that says `"extends": "<name>"` states only what differs from that
    /// embedded ruleset: objects are merged key by key, models by their canonical names, all else
    /// replaces.
    ///
    /// # Errors
    /// The file cannot be read or is no ruleset.
    pub fn read(path: &Path) -> Result<Self, RulesetError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| RulesetError::Read { path: path.to_owned(), source })?;
        Self::parse(&text).map_err(|reason| RulesetError::Invalid { path: path.to_owned(), reason })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut own: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let base = own.as_object_mut().and_then(|own| own.shift_remove(EXTENDS));
        let whole = match base {
            None => own,
            Some(Value::String(name)) => {
                let base = embedded().find(|text| is_named(text, &name));
                let base =
                    base.ok_or_else(|| format!("it extends the unknown ruleset `{name}`"))?;
                let mut whole = serde_json::from_str(base).map_err(|error| error.to_string())?;
                merge(&mut whole, own);
                whole
            }
            Some(other) => return Err(format!("`extends` is {other}, expected a ruleset's name")),
        };
        let ruleset: Self = serde_path_to_error::deserialize(whole).map_err(|error| {
            let place = error.path().to_string();
            format!("`{place}`: {}", error.into_inner())
        })?;
        ruleset.check()?;
        Ok(ruleset)
    }

    /// What the types do not say.
    fn check(&self) -> Result<(), String> {
        for model in &self.models {
            if let Some(thresholds) = &model.thresholds {
                let range = thresholds.output_length;
                if range.min > range.max {
                    return Err(format!(
                        "`{}`: the output length's min {} is above its max {}",
                        model.canonical, range.min, range.max
                    ));
                }
            }
        }
        if self.min_durations.iter().rev().skip(1).any(|rule| rule.up_to.is_none()) {
            return Err("`min_durations`: only the last one may have no `up_to`".to_owned());
        }
        Ok(())
    }
}

fn is_named(text: &str, name: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| value["name"] == name)
}

/// Lays `own` over `base`.
fn merge(base: &mut Value, own: Value) {
    match (base, own) {
        (Value::Object(base), Value::Object(own)) => {
            for (key, value) in own {
                match base.get_mut(&key) {
                    Some(Value::Array(list)) if key == MODELS => merge_models(list, value),
                    Some(old) => merge(old, value),
                    None => drop(base.insert(key, value)),
                }
            }
        }
        (base, own) => *base = own,
    }
}

fn merge_models(base: &mut Vec<Value>, own: Value) {
    let Value::Array(own) = own else { return };
    for model in own {
        match base.iter_mut().find(|old| old[CANONICAL] == model[CANONICAL]) {
            Some(old) => merge(old, model),
            None => base.push(model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "mlperf-endpoints-agentic/v1.0";

    fn parse(own: &str) -> Result<Ruleset, String> {
        Ruleset::parse(own)
    }

    #[test]
    fn a_file_changes_what_it_states_and_nothing_else() {
        let own = parse(
            r#"{ "extends": "mlperf-endpoints-agentic/v1.0", "name": "house rules",
                 "points": { "min": 3 },
                 "models": [
                   { "canonical": "kimi-k3", "thresholds": { "inline_percent": 40.5 } },
                   { "canonical": "mine", "title": "Mine", "submittable": false,
                     "swe_bench_template": null, "sampling": {}, "thresholds": null,
                     "reference": null, "checkpoints": [], "drafters": [] } ] }"#,
        )
        .unwrap();
        let base = Ruleset::named(NAME).unwrap();
        assert_eq!((own.name.as_str(), own.points.min, own.points.max), ("house rules", 3, 32));
        let (kimi, old) = (own.model("kimi-k3").unwrap(), base.model("kimi-k3").unwrap());
        let (thresholds, before) = (kimi.thresholds.unwrap(), old.thresholds.unwrap());
        assert_eq!(thresholds.inline_percent.to_bits(), 40.5_f64.to_bits());
        assert_eq!(thresholds.output_length, before.output_length);
        assert_eq!(own.models.len(), base.models.len() + 1);
        assert_eq!(own.model("qwen3_6-35b-a3b"), base.model("qwen3_6-35b-a3b"));
        assert_eq!(own.seed_sets, base.seed_sets);
    }

    #[test]
    fn what_is_no_ruleset_says_where() {
        let errors: Vec<String> = [
            "{",
            "[]",
            r#"{ "extends": 3 }"#,
            r#"{ "extends": "x/v1" }"#,
            r#"{ "extends": "mlperf-endpoints-agentic/v1.0", "point": {} }"#,
            r#"{ "extends": "mlperf-endpoints-agentic/v1.0",
                 "models": [{ "canonical": "kimi-k3", "thresholds": { "inline_percent": "58" } }] }"#,
            r#"{ "extends": "mlperf-endpoints-agentic/v1.0",
                 "models": [{ "canonical": "kimi-k3",
                              "thresholds": { "output_length": { "min": 999.0 } } }] }"#,
        ]
        .map(|text| parse(text).unwrap_err())
        .into();
        insta::assert_snapshot!(errors.join("\n"), @r#"
        EOF while parsing an object at line 1 column 1
        `.`: invalid length 0, expected struct Ruleset with 17 elements
        `extends` is 3, expected a ruleset's name
        it extends the unknown ruleset `x/v1`
        `point`: unknown field `point`, expected one of `name`, `benchmark`, `dataset`, `points`, `accuracy`, `ultra_low_max`, `margin`, `min_durations`, `seed_sets`, `seed_set_cohorts`, `drafter_lead_cohorts`, `drafters_approved`, `drafters_usable_from`, `models`, `other_models`, `single_turn`, `power`
        `models[0].thresholds.inline_percent`: invalid type: string "58", expected f64
        `kimi-k3`: the output length's min 999 is above its max 520
        "#);
    }

    #[test]
    fn references_are_names_or_files() {
        assert!(matches!(Ruleset::find(NAME), Ok(Cow::Borrowed(_))));
        assert_eq!(Ruleset::find("x/v1").unwrap_err().to_string(), "unknown ruleset `x/v1`");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rules.json");
        let reference = file.display().to_string();
        assert!(matches!(Ruleset::find(&reference), Err(RulesetError::Read { .. })));
        std::fs::write(&file, r#"{ "extends": "mlperf-endpoints-agentic/v1.0" }"#).unwrap();
        assert_eq!(Ruleset::find(&reference).unwrap().name, NAME);
    }
}
