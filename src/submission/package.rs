//! From runs to a submission's tree.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::curve::{self, Points};
use super::error::{Disagreement, SubmissionError};
use super::merge::Point;
use super::names;
use super::read;
use super::run::{Run, RunKind};
use super::shared::Shared;
use super::statement::Statement;
use super::supply;
use super::tree::{Content, Tree};
use crate::compliance::Power;
use crate::results::rfc3339;

const MARKER: &str = "# added by scenario package";
const VERSION: &str = concat!("scenario ", env!("CARGO_PKG_VERSION"));

/// What may be there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replacing {
    /// Nothing.
    #[default]
    Nothing,
    /// Any submission; it is replaced as a whole.
    Whole,
    /// A submission to which new points are added.
    Add,
    /// A submission in which the points are put in the place of old ones, or added.
    Points,
}

/// How a submission is built.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The directory in which `<organisation>/<id>` is made.
    pub out: &'a Path,
    /// The submission's id.
    pub id: &'a str,
    /// What a scenario states, for what the run folders lack.
    pub statement: Option<&'a Statement<'a>>,
    /// What may be there already.
    pub replacing: Replacing,
    /// Whether to pack the tree as `<id>.tar.gz` beside it, too.
    pub archive: bool,
}

/// A submission on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The tree's root, `<out>/<organisation>/<id>`.
    pub root: PathBuf,
    /// Its digest: SHA-256 over one line per file, `<sha256>  <path>`, in the order of the paths.
    pub digest: String,
    /// How many files it has.
    pub files: usize,
    /// How many points.
    pub points: usize,
    /// The archive, where one was asked for.
    pub archive: Option<PathBuf>,
    /// Whether the runs were against a simulated endpoint.
    pub simulated: bool,
}

/// Systems and models with their points.
type Curves = BTreeMap<(String, String), Points>;

/// Builds a submission of the runs at these paths: run folders, result directories, or other
/// submissions. Nothing is left behind when it cannot be built.
///
/// # Errors
/// Why not: a file is missing or cannot be used, two say different things, or the target exists.
pub fn package(paths: &[PathBuf], options: &Options<'_>) -> Result<Package, SubmissionError> {
    let mut runs = Vec::new();
    for path in paths {
        for place in read::find(path)? {
            runs.push(supply::read(&place, options.statement)?);
        }
    }
    let organisation = organisation(&runs)?;
    let parent = options.out.join(&organisation);
    let root = parent.join(options.id);
    let old = earlier(&root, options.replacing)?;
    let simulated = runs.iter().any(Run::is_simulated);
    let (curves, shared) = arrange(runs, old, options)?;
    let points = curves.values().map(BTreeMap::len).sum();
    let tree = lay_out(&curves, &shared);

    fs::create_dir_all(&parent).map_err(SubmissionError::write(&parent))?;
    let mut building = tempfile::Builder::new();
    building.prefix(".building-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        building.permissions(fs::Permissions::from_mode(0o777));
    }
    // Removed on every way out but the last.
    let building = building.tempdir_in(&parent).map_err(SubmissionError::write(&parent))?;
    let fresh = building.path().join("tree");
    let digest = tree.write(&fresh)?;
    let archive = options.archive.then(|| parent.join(format!("{}.tar.gz", options.id)));
    if let Some(archive) = &archive {
        tree.pack(&fresh, options.id, archive)?;
    }
    if root.symlink_metadata().is_ok() {
        let aside = building.path().join("old");
        fs::rename(&root, &aside).map_err(SubmissionError::write(&root))?;
        if let Err(error) = fs::rename(&fresh, &root) {
            // The old one goes back to its place.
            let _ = fs::rename(&aside, &root);
            return Err(SubmissionError::Write { path: root, source: error });
        }
    } else {
        fs::rename(&fresh, &root).map_err(SubmissionError::write(&root))?;
    }
    Ok(Package { root, digest, files: tree.len(), points, archive, simulated })
}

/// The organisation's directory; every run names the same organisation.
fn organisation(runs: &[Run]) -> Result<String, SubmissionError> {
    const FIELD: &str = "submitter_org_names";
    let Some(first) = runs.first() else {
        return Err(SubmissionError::Incomplete("no run was named".to_owned()));
    };
    let name = |run: &Run| run.described(FIELD).unwrap_or_default().to_owned();
    for run in runs {
        if name(run) != name(first) {
            return Err(SubmissionError::Disagree(Box::new(Disagreement {
                file: run.system.path.clone(),
                field: FIELD.to_owned(),
                found: format!("{:?}", name(run)),
                other: first.system.path.clone(),
                expected: format!("{:?}", name(first)),
            })));
        }
    }
    Ok(names::organisation(&name(first)))
}

/// The runs of the submission that is there already.
fn earlier(root: &Path, replacing: Replacing) -> Result<Vec<Run>, SubmissionError> {
    let exists = root.symlink_metadata().is_ok();
    let path = root.to_owned();
    match (exists, replacing) {
        (true, Replacing::Nothing) => Err(SubmissionError::Exists {
            path,
            help: "add to it with --add, replace points with --replace, or all of it with --force",
        }),
        (false, Replacing::Add | Replacing::Points) => Err(SubmissionError::Missing {
            path,
            help: "there is no submission to change; leave --add and --replace out",
        }),
        (true, Replacing::Add | Replacing::Points) => {
            read::find(root)?.iter().map(Run::read).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// Sorts runs into curves, checks that they agree, and joins what they share.
fn arrange(
    runs: Vec<Run>,
    old: Vec<Run>,
    options: &Options<'_>,
) -> Result<(Curves, Shared), SubmissionError> {
    let mut shared = Shared::default();
    let mut earlier_shared = Shared::default();
    if let Some(statement) = options.statement {
        shared.add(&Shared::stated(statement.shared_files()))?;
    }
    let mut curves = Curves::new();
    for run in runs {
        shared.add(&run.shared)?;
        put(&mut curves, run)?;
    }
    for run in old {
        earlier_shared.add(&run.shared)?;
        let key = place(&run)?;
        let taken = curves.get(&key).and_then(|points| points.get(&run.concurrency));
        match (taken, options.replacing) {
            (Some(_), Replacing::Points) => {}
            (Some(new), _) => {
                return Err(SubmissionError::Twice {
                    first: run.folder,
                    second: new.run.folder.clone(),
                    what: format!("the point r{}; --replace takes the new one", run.concurrency),
                });
            }
            (None, _) => put(&mut curves, run)?,
        }
    }
    if options.replacing == Replacing::Points {
        earlier_shared.overlay(&shared);
        shared = earlier_shared;
    } else {
        shared.add(&earlier_shared)?;
    }
    for points in curves.values() {
        curve::check(points)?;
    }
    let systems: std::collections::BTreeSet<&String> =
        curves.keys().map(|(system, _)| system).collect();
    for system in systems {
        let of_system = curves.iter().filter(|((name, _), _)| name == system);
        curve::one_system(of_system.flat_map(|(_, p)| p.values().flat_map(Point::runs)))?;
    }
    sources(&curves, &shared)?;
    Ok((curves, shared))
}

/// The directories of a run's system and model.
fn place(run: &Run) -> Result<(String, String), SubmissionError> {
    let name = run.described("system_name").unwrap_or_default();
    let system = names::system(name).ok_or_else(|| {
        let reason = format!("found {name:?}, expected a name that can be a directory's");
        SubmissionError::unusable(&run.system.path, "system_name", reason)
    })?;
    Ok((system, names::model(run.model())))
}

fn put(curves: &mut Curves, run: Run) -> Result<(), SubmissionError> {
    let points = curves.entry(place(&run)?).or_default();
    if let Some(point) = points.get_mut(&run.concurrency) {
        return point.add(run);
    }
    points.insert(run.concurrency, Point::new(run));
    Ok(())
}

/// Every implementation has a README, and every pointer to a shared directory leads to one.
fn sources(curves: &Curves, shared: &Shared) -> Result<(), SubmissionError> {
    let implementations = shared.implementations();
    if implementations.is_empty() {
        return Err(SubmissionError::Incomplete(
            "there is no implementation: a run folder brings one as src/<name>/, a scenario names \
             one with `submission.implementation`"
                .to_owned(),
        ));
    }
    if let Some(bare) = implementations.iter().find(|name| !shared.has_readme(name)) {
        let message = format!("the implementation src/{bare} has no README.md at its top");
        return Err(SubmissionError::Incomplete(message));
    }
    for point in curves.values().flat_map(BTreeMap::values) {
        let run = &point.run;
        if run.kind == RunKind::Accuracy {
            let path = run.folder.join("performance/result_summary.json");
            let help = "an accuracy run needs the performance run at the same concurrency";
            return Err(SubmissionError::Missing { path, help });
        }
        for field in ["shared_src", "shared_docs"] {
            match run.point.map.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()) {
                None if field == "shared_src" && implementations.len() > 1 => {
                    let reason = format!(
                        "found nothing, and src/ has {}: one must be named",
                        implementations.join(", ")
                    );
                    return Err(SubmissionError::unusable(&run.point.path, field, reason));
                }
                Some(named) if !shared.has_directory(named) => {
                    let reason = format!("found {named:?}, which is no directory of the tree");
                    return Err(SubmissionError::unusable(&run.point.path, field, reason));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The tree of the curves.
fn lay_out(curves: &Curves, shared: &Shared) -> Tree {
    let mut tree = Tree::default();
    tree.add_directory("docs");
    for (name, content) in shared.files() {
        tree.add(name, content.clone());
    }
    let implementation = shared.implementations().first().map(|name| format!("src/{name}"));
    for ((system, model), points) in curves {
        let home = format!("results/{system}");
        let power = points.values().find_map(|point| point.run.power.as_ref());
        if let Some(power) = power {
            tree.add(format!("{home}/system_power.json"), pretty(&power.map));
        }
        let peak = points.values().filter_map(system_tps).fold(0.0, f64::max);
        for (concurrency, point) in points {
            let home = format!("{home}/{model}/{}", names::point(*concurrency));
            one_point(&mut tree, &home, point, peak, implementation.as_deref());
        }
    }
    tree.add("cli_metadata.json", pretty(&metadata(curves)));
    tree
}

/// The files of one point.
fn one_point(tree: &mut Tree, home: &str, point: &Point, peak: f64, implementation: Option<&str>) {
    let run = &point.run;
    tree.add(format!("{home}/point.yaml"), Content::Bytes(point_yaml(run, implementation)));
    tree.add(format!("{home}/config.yaml"), Content::File(run.config.path.clone()));
    let tps = system_tps(point);
    if let Some(summary) = &run.summary {
        let mut map = summary.map.clone();
        if !map.contains_key("system_tps_per_kw")
            && let Some(rate) = tps.zip(point_kw(run)).map(|(tps, kw)| tps / kw)
        {
            map.insert("system_tps_per_kw".to_owned(), json!(rate));
        }
        tree.add(format!("{home}/result_summary.json"), pretty(&map));
    }
    let mut system = run.system.map.clone();
    if let Some(tps) = tps.filter(|_| peak > 0.0) {
        system.insert("tps_utilization".to_owned(), json!(tps / peak));
    }
    tree.add(format!("{home}/system_desc.json"), pretty(&system));
    if let Some(results) = point.accuracy_results() {
        let mut bytes = results.to_json();
        bytes.push(b'\n');
        tree.add(format!("{home}/accuracy_results.json"), Content::Bytes(bytes));
    }
    for file in &run.copied {
        tree.add(format!("{home}/{}", file.name), Content::File(file.path.clone()));
    }
}

/// point.yaml byte for byte, with what it lacks of the shared directories at its end.
fn point_yaml(run: &Run, implementation: Option<&str>) -> Vec<u8> {
    let mut text = run.point_text.clone();
    let lacks = |field: &str| {
        let stated = run.point.map.get(field).and_then(Value::as_str);
        stated.is_none_or(str::is_empty)
    };
    let mut added = String::new();
    if let (true, Some(implementation)) = (lacks("shared_src"), implementation) {
        let _ = writeln!(added, "shared_src: {implementation}");
    }
    if lacks("shared_docs") {
        added.push_str("shared_docs: docs\n");
    }
    if !added.is_empty() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let _ = write!(text, "{MARKER}\n{added}");
    }
    text.into_bytes()
}

/// Output tokens per second of the measured span, as the official checker derives it.
fn system_tps(point: &Point) -> Option<f64> {
    let summary = &point.run.summary.as_ref()?.map;
    let seconds = summary.get("duration_ns")?.as_f64()? / 1e9;
    let tokens = summary.get("output_sequence_lengths")?.get("total")?.as_f64()?;
    (seconds > 0.0).then_some(tokens / seconds)
}

/// The power of the nodes that a point engages, in kilowatts; none where it cannot be computed.
fn point_kw(run: &Run) -> Option<f64> {
    let text = |map: &Map<String, Value>| Value::Object(map.clone()).to_string();
    let power = Power::of(&text(&run.power.as_ref()?.map), &text(&run.system.map)).ok()?;
    let whole = |value: &Value, key: &str| u32::try_from(value.get(key)?.as_u64()?).ok();
    let nodes = run.point.map.get("nodes_used").and_then(Value::as_array);
    let engaged: Vec<(u32, u32)> = nodes
        .into_iter()
        .flatten()
        .filter_map(|used| Some((whole(used, "system_node_ensemble_id")?, whole(used, "nodes")?)))
        .collect();
    let kw = power.point_kw(&engaged);
    (kw > 0.0).then_some(kw)
}

/// Who built the tree; dated by its latest run, so that the same runs give the same bytes.
fn metadata(curves: &Curves) -> Map<String, Value> {
    let started = |point: &Point| {
        let summary = &point.run.summary.as_ref()?.map;
        summary.get("test_started_at")?.as_u64()
    };
    let latest = curves.values().flat_map(BTreeMap::values).filter_map(started).max();
    let created = UNIX_EPOCH + Duration::from_nanos(latest.unwrap_or(0));
    let mut metadata = Map::new();
    for (key, value) in [
        ("command", "package".to_owned()),
        ("cli_version", VERSION.to_owned()),
        ("most_recent_cli_used", VERSION.to_owned()),
        ("created_at", rfc3339(created)),
    ] {
        metadata.insert(key.to_owned(), value.into());
    }
    metadata
}

fn pretty(map: &Map<String, Value>) -> Content {
    let mut bytes = serde_json::to_vec_pretty(map).expect("JSON values are JSON");
    bytes.push(b'\n');
    Content::Bytes(bytes)
}
