//! The audited tree, read once: what the checks look at.

use std::path::{Path, PathBuf};

use crate::ruleset::Ruleset;

use super::document::{Document, Folder, Listed, Problem, State, Value};
use super::model::{Accuracy, Point, Summary};
use super::registry::Registries;

/// Most points of a curve whose files are read.
pub(super) const MAX_POINTS: usize = 1024;

/// What is audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A submission, `results/<system>/<model>/r<N>/`.
    Submission,
    /// A result directory of ours, `points/r<N>/`: one curve.
    Curve,
    /// A run folder: one point.
    Run,
}

/// Everything that the checks may look at.
pub(super) struct Context<'a> {
    pub(super) kind: Kind,
    pub(super) folder: Folder,
    pub(super) ruleset: &'a Ruleset,
    pub(super) registries: &'a Registries,
    pub(super) systems: Vec<System>,
}

/// A system.
pub(super) struct System {
    pub(super) path: PathBuf,
    pub(super) power: Document,
    pub(super) curves: Vec<Curve>,
    /// The first readable description, which tells the division, the cooling and the nodes.
    pub(super) description: Option<usize>,
    pub(super) descriptions: Vec<Document>,
}

/// One system with one model.
pub(super) struct Curve {
    pub(super) path: PathBuf,
    /// The directory's name; of a result directory or a run folder, the declared model.
    pub(super) name: String,
    pub(super) points: Vec<PointFiles>,
    /// Points beyond the limit, which were not read.
    pub(super) unread: usize,
}

/// One point's files.
pub(super) struct PointFiles {
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// N of r<N>; absent for a run folder.
    pub(super) number: Option<i128>,
    pub(super) config: Document,
    pub(super) point: Document,
    pub(super) system: Document,
    pub(super) summary: Document,
    pub(super) accuracy: Document,
    /// Read only where there is no accuracy file.
    pub(super) results: Document,
    pub(super) disclosure: Result<Point, Vec<Problem>>,
    pub(super) measured: Result<Summary, Vec<Problem>>,
}

impl<'a> Context<'a> {
    /// Reads the tree at a path.
    pub(super) fn read(path: &Path, ruleset: &'a Ruleset, registries: &'a Registries) -> Self {
        let folder = Folder::new(path);
        let kind = kind(&folder, path);
        let folder = if kind == Kind::Submission { submission(folder, path) } else { folder };
        let root = folder.root().to_owned();
        let systems = match kind {
            Kind::Submission => {
                let systems = folder.directories(&root.join("results"));
                systems.into_iter().map(|listed| System::read(&folder, listed)).collect()
            }
            Kind::Curve => {
                let points = point_directories(&folder, &root.join("points"));
                vec![System::of_runs(&folder, &root, points)]
            }
            Kind::Run => {
                let name = root.file_name().unwrap_or(root.as_os_str()).to_owned();
                let number = name.to_str().and_then(point_number);
                let listed = Listed { path: root.clone(), name };
                vec![System::of_runs(&folder, &root, vec![(number, listed)])]
            }
        };
        Self { kind, folder, ruleset, registries, systems }
    }

    /// The root of the tree.
    pub(super) fn root(&self) -> &Path {
        self.folder.root()
    }

    /// Whether a point says that its endpoint was simulated.
    pub(super) fn is_simulated(&self) -> bool {
        self.curves().flat_map(|curve| &curve.points).any(|files| {
            [&files.summary, &files.point].into_iter().any(|document| {
                let label = document.map().and_then(|map| map.given("simulated"));
                matches!(label, Some(Value::Bool(true)))
            })
        })
    }

    /// Every curve.
    pub(super) fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.systems.iter().flat_map(|system| &system.curves)
    }
}

/// What a path holds.
fn kind(folder: &Folder, path: &Path) -> Kind {
    if folder.is_file(&path.join("manifest.json")) && folder.is_dir(&path.join("points")) {
        return Kind::Curve;
    }
    let is_run = ["point.yaml", "config.yaml", "performance"]
        .iter()
        .any(|name| folder.exists(&path.join(name)));
    if is_run && !folder.is_dir(&path.join("results")) { Kind::Run } else { Kind::Submission }
}

/// The submission's own level: the path, or its only child with results/.
fn submission(folder: Folder, path: &Path) -> Folder {
    if !folder.is_dir(path) || folder.is_dir(&path.join("results")) {
        return folder;
    }
    let mut children = folder.directories(path);
    children.retain(|child| folder.is_dir(&child.path.join("results")));
    match children.as_slice() {
        [only] => Folder::new(&only.path),
        _ => folder,
    }
}

/// N of a name r<N>.
fn point_number(name: &str) -> Option<i128> {
    let digits = name.strip_prefix('r')?;
    let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse().unwrap_or(i128::MAX))
}

/// The point directories of a directory, by number.
fn point_directories(folder: &Folder, path: &Path) -> Vec<(Option<i128>, Listed)> {
    let numbered = |listed: Listed| {
        let number = listed.name.to_str().and_then(point_number)?;
        Some((Some(number), listed))
    };
    let mut points: Vec<_> = folder.directories(path).into_iter().filter_map(numbered).collect();
    points.sort_by(|(a, left), (b, right)| (a, &left.path).cmp(&(b, &right.path)));
    points
}

impl System {
    fn read(folder: &Folder, listed: Listed) -> Self {
        let path = listed.path;
        let models = folder.directories(&path);
        let curve = |model: &Listed| {
            let mut points = point_directories(folder, &model.path);
            let unread = points.len().saturating_sub(MAX_POINTS);
            points.truncate(MAX_POINTS);
            let points = points.into_iter().map(|(number, point)| {
                PointFiles::read(
                    folder,
                    number,
                    point,
                    &["result_summary.json"],
                    &["accuracy_results.json"],
                )
            });
            let name = model.name.to_string_lossy().into_owned();
            Curve { path: model.path.clone(), name, points: points.collect(), unread }
        };
        let curves: Vec<Curve> = models.iter().map(curve).collect();
        let descriptions = descriptions(folder, &models);
        let description = first_object(&descriptions);
        let power = folder.json(path.join("system_power.json"));
        Self { path, power, curves, description, descriptions }
    }

    /// The one system of run folders.
    fn of_runs(folder: &Folder, root: &Path, mut runs: Vec<(Option<i128>, Listed)>) -> Self {
        let unread = runs.len().saturating_sub(MAX_POINTS);
        runs.truncate(MAX_POINTS);
        let points: Vec<PointFiles> = runs
            .into_iter()
            .map(|(number, listed)| {
                let summary = ["performance", "result_summary.json"];
                PointFiles::read(
                    folder,
                    number,
                    listed,
                    &summary,
                    &["accuracy", "accuracy_results.json"],
                )
            })
            .collect();
        let power = points.iter().map(|point| point.path.join("system_power.json"));
        let power = power.clone().find(|path| folder.exists(path)).or_else(|| power.clone().next());
        let power = folder.json(power.unwrap_or_else(|| root.join("system_power.json")));
        let named = |point: &PointFiles| point.disclosure.as_ref().ok()?.model_name.clone();
        let name = points.iter().find_map(named).unwrap_or_default();
        let descriptions: Vec<Document> = points.iter().map(|point| point.system.clone()).collect();
        let description = first_object(&descriptions);
        let curves = vec![Curve { path: root.to_owned(), name, points, unread }];
        Self { path: root.to_owned(), power, curves, description, descriptions }
    }

    /// The first readable description.
    pub(super) fn description(&self) -> Option<&super::document::Map> {
        self.description.and_then(|at| self.descriptions[at].map())
    }
}

/// The descriptions below directories that start with r, in the order of their paths, up to the
/// first that is an object.
fn descriptions(folder: &Folder, models: &[Listed]) -> Vec<Document> {
    let mut found = Vec::new();
    for model in models {
        let points = folder.directories(&model.path).into_iter();
        let points = points.filter(|point| point.name.to_string_lossy().starts_with('r'));
        for point in points.take(MAX_POINTS) {
            let document = folder.json(point.path.join("system_desc.json"));
            let is_object = document.map().is_some();
            found.push(document);
            if is_object {
                return found;
            }
        }
    }
    found
}

fn first_object(descriptions: &[Document]) -> Option<usize> {
    descriptions.iter().position(|document| document.map().is_some())
}

impl PointFiles {
    fn read(
        folder: &Folder,
        number: Option<i128>,
        listed: Listed,
        summary: &[&str],
        accuracy: &[&str],
    ) -> Self {
        let path = listed.path;
        let at = |parts: &[&str]| parts.iter().fold(path.clone(), |path, part| path.join(part));
        let point = folder.yaml(at(&["point.yaml"]));
        let summary = folder.json(at(summary));
        let accuracy = folder.json(at(accuracy));
        let results = at(&["results.json"]);
        let results = if accuracy.exists() {
            let (state, oddities) = (State::Absent, Vec::new());
            Document { path: results, state, oddities, is_file: false, line: None }
        } else {
            folder.json(results)
        };
        let disclosure = typed(&point, Point::read);
        let measured = typed(&summary, Summary::read);
        Self {
            name: listed.name.to_string_lossy().into_owned(),
            number,
            config: folder.yaml(at(&["config.yaml"])),
            system: folder.json(at(&["system_desc.json"])),
            point,
            summary,
            accuracy,
            results,
            disclosure,
            measured,
            path,
        }
    }

    /// The concurrency: as disclosed, else as far as point.yaml can be read, else the directory's.
    pub(super) fn concurrency(&self) -> Option<i128> {
        if let Ok(point) = &self.disclosure {
            return Some(point.concurrency);
        }
        let raw = self.point.map().and_then(|map| map.get("concurrency"));
        raw.and_then(Value::strict_int).filter(|value| *value > 0).or(self.number)
    }

    /// The files, for checks that look at all of them.
    pub(super) fn documents(&self) -> [&Document; 6] {
        [&self.config, &self.point, &self.system, &self.summary, &self.accuracy, &self.results]
    }

    /// The accuracy results, from whichever file holds them: its document, and what it gives.
    /// `None` where there are none at all.
    pub(super) fn scores(&self) -> Option<(&Document, Result<Accuracy, Vec<Problem>>)> {
        if self.accuracy.exists() {
            return Some((&self.accuracy, typed(&self.accuracy, Accuracy::read)));
        }
        let scores = self.results.map()?.get("accuracy_scores")?;
        let is_empty = match scores {
            Value::Null => true,
            Value::List(items) => items.is_empty(),
            Value::Map(map) => map.is_empty(),
            _ => false,
        };
        (!is_empty).then(|| (&self.results, typed(&self.results, Accuracy::read)))
    }
}

/// A document as a typed value; no problems where there is no value at all.
fn typed<T>(
    document: &Document,
    read: impl Fn(&Value) -> Result<T, Vec<Problem>>,
) -> Result<T, Vec<Problem>> {
    match &document.state {
        State::Parsed(value) => read(value),
        State::Absent | State::Unusable(..) => Err(Vec::new()),
    }
}
