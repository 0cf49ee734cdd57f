//! Writing scores into run folders. Nothing that says something else is replaced unasked.

use std::path::Path;

use serde_json::{Map, Value};

use super::Args;
use super::folder::Found;
use crate::accuracy::AccuracyVerdict;
use crate::accuracy::swe_bench::SweBenchResult;
use crate::cli::failure::Failure;
use crate::cli::scoring::{Measured, exists, read, write};
use crate::results;
use crate::ruleset::Ruleset;

/// Writes what the arguments ask for: scores and inline entries, and a SWE-bench result. First
/// everything is checked, so that a refusal leaves every file as it was.
pub(super) fn save(
    args: &Args,
    found: &Found,
    ruleset: Option<&Ruleset>,
    measured: &mut [Measured],
) -> Result<(), Failure> {
    let mut files = Vec::new();
    if let Some(file) = &args.swe_bench {
        attach(args, file, found, ruleset, measured)?;
    }
    for one in measured.iter_mut() {
        if args.write {
            one.set_inline(args.force, &mut files)?;
        }
        if args.write || args.swe_bench.is_some() {
            files.push((one.results_path.clone(), one.results.to_json()));
        }
    }
    write(&files)
}

/// Puts the verdict into the curve.json of a result directory, where there is one.
pub(super) fn verdict(directory: &Path, verdict: &AccuracyVerdict) -> Result<(), Failure> {
    let path = directory.join("curve.json");
    let Some(bytes) = read(&path)? else { return Ok(()) };
    let broken = |error: &dyn std::error::Error| {
        Failure::could_not(format!("{}: cannot be used", path.display())).because(error)
    };
    let mut curve: Map<String, Value> =
        serde_json::from_slice(&bytes).map_err(|error| broken(&error))?;
    let value = serde_json::to_value(verdict).map_err(|error| broken(&error))?;
    curve.insert("accuracy".to_owned(), value);
    let mut bytes = serde_json::to_vec_pretty(&curve).map_err(|error| broken(&error))?;
    bytes.push(b'\n');
    results::write_file(&path, &bytes).map_err(|error| Failure::could_not(error.to_string()))
}

/// Sets the SWE-bench entry of the one run folder that was named.
fn attach(
    args: &Args,
    file: &Path,
    found: &Found,
    ruleset: Option<&Ruleset>,
    measured: &mut [Measured],
) -> Result<(), Failure> {
    let [one] = measured else {
        let message = "--swe-bench: a result belongs to one point, but several were named";
        return Err(Failure::usage(message).help("name its run folder, such as RUN/points/r8"));
    };
    let missing = || Failure::usage(format!("{}: no such file", file.display()));
    let bytes = read(file)?.ok_or_else(missing)?;
    let of_rules = ruleset.map(|ruleset| u64::from(ruleset.accuracy.swe_bench_instances));
    let instances = args.instances.or(found.instances).or(of_rules);
    let result = SweBenchResult::parse(&bytes, instances).map_err(|error| {
        Failure::usage(format!("{}: no SWE-bench result", file.display()))
            .because(&error)
            .help("name the harness's report; --instances N says how many were evaluated")
    })?;
    let entry = result.entry(0);
    let old = one.results.swe_bench_score();
    if old.is_some() && old != entry.score && !args.force {
        return Err(exists(&one.results_path, "another SWE-bench score"));
    }
    let mut more = Map::new();
    more.insert("submitted_instances".to_owned(), Value::from(result.submitted));
    more.insert("resolved_instances".to_owned(), Value::from(result.resolved));
    one.results.set_swe_bench(&entry, more);
    Ok(())
}
