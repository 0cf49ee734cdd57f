//! A copy of the valid submission that a test may break.

use std::path::{Path, PathBuf};

use scenario::compliance::{Finding, Registries, Report, audit};
use scenario::diagnostics::Severity;
use scenario::ruleset::Ruleset;
use serde_json::Value;
use tempfile::TempDir;

/// The submission's own level below the fixture.
const SUBMISSION: &str = "example_org/00000000-0000-4000-8000-000000000001";
pub(crate) const SYSTEM: &str = "results/ExampleCorp_A1x16_vLLM";
pub(crate) const CURVE: &str = "results/ExampleCorp_A1x16_vLLM/qwen3_6-35b-a3b";
/// The concurrencies of the curve.
pub(crate) const POINTS: [u32; 7] = [8, 12, 32, 48, 128, 256, 512];

/// A directory with a copy of the valid submission.
pub(crate) struct Tree {
    root: PathBuf,
    /// Keeps the directory until the value goes away.
    kept: Option<TempDir>,
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

pub(crate) fn ruleset() -> &'static Ruleset {
    Ruleset::named("mlperf-endpoints-agentic/v1.0").unwrap()
}

pub(crate) fn judge(path: &Path) -> Report {
    audit(path, ruleset(), &Registries::load(ruleset(), None, None))
}

pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::write(&target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

impl Tree {
    /// A valid submission that goes away with the value.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut tree = Self::at(directory.path());
        tree.kept = Some(directory);
        tree
    }

    /// A valid submission at a place.
    pub(crate) fn at(root: &Path) -> Self {
        copy(&fixture("valid-submission").join(SUBMISSION), root);
        Self { root: root.to_owned(), kept: None }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the tree: `@` stands for the curve, `$` for the system.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(expand(path))
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        std::fs::rename(self.path(from), self.path(to)).unwrap();
    }

    pub(crate) fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Replaces a text that must stand in the file.
    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, &text.replacen(from, to, 1));
    }

    /// Replaces a text in point.yaml of every point.
    pub(crate) fn replace_all(&self, from: &str, to: &str) {
        for point in POINTS.iter().filter(|n| self.path(&format!("@r{n}/point.yaml")).exists()) {
            self.replace(&format!("@r{point}/point.yaml"), from, to);
        }
    }

    /// Removes a top-level block of a YAML file with all that is indented below it.
    pub(crate) fn cut(&self, path: &str, key: &str) {
        let text = std::fs::read_to_string(self.path(path)).unwrap();
        let (mut kept, mut inside) = (String::new(), false);
        for line in text.lines() {
            inside =
                line.starts_with(&format!("{key}:")) || (inside && line.starts_with([' ', '-']));
            if !inside {
                kept.push_str(line);
                kept.push('\n');
            }
        }
        assert_ne!(kept, text, "{path} has no {key}");
        self.write(path, &kept);
    }

    /// Changes a JSON file.
    pub(crate) fn edit(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let text = std::fs::read_to_string(self.path(path)).unwrap();
        let mut value: Value = serde_json::from_str(&text).unwrap();
        change(&mut value);
        self.write(path, &serde_json::to_string_pretty(&value).unwrap());
    }

    /// Sets a value of a JSON file by its pointer.
    pub(crate) fn set(&self, path: &str, pointer: &str, value: Value) {
        self.edit(path, |document| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            match document.pointer_mut(parent).unwrap() {
                Value::Object(map) => drop(map.insert(key.to_owned(), value)),
                Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
                other => panic!("{pointer}: {other}"),
            }
        });
    }

    /// Removes a value of a JSON file by its pointer.
    pub(crate) fn unset(&self, path: &str, pointer: &str) {
        self.edit(path, |document| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            let removed = match document.pointer_mut(parent).unwrap() {
                Value::Object(map) => map.remove(key),
                Value::Array(items) => Some(items.remove(key.parse::<usize>().unwrap())),
                other => panic!("{pointer}: {other}"),
            };
            assert!(removed.is_some(), "{path} has no {pointer}");
        });
    }

    /// Sets a value of every point's `system_desc.json`.
    pub(crate) fn set_systems(&self, pointer: &str, value: &Value) {
        for point in POINTS {
            self.set(&format!("@r{point}/system_desc.json"), pointer, value.clone());
        }
    }

    /// Everything wrong with it, one line a finding: severity, rule, key, path.
    pub(crate) fn faults(&self) -> Vec<String> {
        let report = judge(&self.root);
        report.faults().map(|finding| line(finding, &self.root)).collect()
    }
}

/// A path of the table as a path below the root.
pub(crate) fn expand(path: &str) -> String {
    match path.as_bytes().first() {
        Some(b'@') => format!("{CURVE}/{}", &path[1..]).trim_end_matches('/').to_owned(),
        Some(b'$') => format!("{SYSTEM}/{}", &path[1..]).trim_end_matches('/').to_owned(),
        _ => path.to_owned(),
    }
}

/// A finding as one line, with the table's short paths.
pub(crate) fn line(finding: &Finding, root: &Path) -> String {
    let severity = match finding.severity() {
        Severity::Error => "E",
        Severity::Warning => "W",
        Severity::Note => "I",
    };
    let path = finding.path.as_ref().map_or_else(
        || "-".to_owned(),
        |path| {
            let path = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
            let short = |prefix: &str, sign: &str| {
                let rest = path.strip_prefix(prefix)?;
                Some(format!("{sign}{}", rest.trim_start_matches('/')))
            };
            short(CURVE, "@").or_else(|| short(SYSTEM, "$")).unwrap_or(path)
        },
    );
    format!("{severity} {} {} {path}", finding.rule.id, finding.message.key)
}
