//! What the points of a system must agree on.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use super::error::{Disagreement, SubmissionError};
use super::merge::Point;
use super::run::{Parsed, Run};
use crate::compliance::EXEMPT_FIELDS;

/// The points of one system with one model, by concurrency.
pub(super) type Points = BTreeMap<u32, Point>;

/// Checks one curve: every point is complete, and all describe one system and one submission.
pub(super) fn check(points: &Points) -> Result<(), SubmissionError> {
    let runs: Vec<&Run> = points.values().flat_map(Point::runs).collect();
    let Some(first) = runs.first() else { return Ok(()) };
    for run in &runs {
        complete(run)?;
        itself(run)?;
        description(first, run)?;
        for field in ["model_name", "seed_set", "target_cohort", "dataset", "division"] {
            agree(&first.point, &run.point, field)?;
        }
        if first.is_simulated() != run.is_simulated() {
            let says = |run: &Run| format!("simulated: {}", run.is_simulated());
            return Err(disagree(&run.folder, "", says(run), &first.folder, says(first)));
        }
    }
    drafters(&runs)?;
    lower_bound(points, first)
}

/// Every point of a system has the same power description, and the same organisation.
pub(super) fn one_system<'a>(runs: impl Iterator<Item = &'a Run>) -> Result<(), SubmissionError> {
    let mut first: Option<&Parsed> = None;
    for power in runs.filter_map(|run| run.power.as_ref()) {
        let Some(known) = first else {
            first = Some(power);
            continue;
        };
        differing(&known.map, &power.map, &[])
            .map_or(Ok(()), |field| Err(fields_differ(known, power, &field)))?;
    }
    Ok(())
}

/// The run came to its end and measured something.
fn complete(run: &Run) -> Result<(), SubmissionError> {
    let Some(summary) = &run.summary else { return Ok(()) };
    let refuse = |field: &str, reason: &str| {
        Err(SubmissionError::unusable(&summary.path, field, format!("{reason}; repeat the run")))
    };
    if summary.map.get("complete") == Some(&Value::Bool(false)) {
        return refuse("complete", "found false: the run did not come to its end");
    }
    match summary.map.get("state").and_then(Value::as_str) {
        Some("complete") | None => {}
        Some(_) => return refuse("state", "found another word than complete"),
    }
    match summary.map.get("duration_ns").and_then(Value::as_f64) {
        Some(duration) if duration > 0.0 => Ok(()),
        _ => refuse("duration_ns", "found no duration: nothing was measured"),
    }
}

/// The files of one run say the same of division, highest concurrency and model.
fn itself(run: &Run) -> Result<(), SubmissionError> {
    for field in ["division", "max_supported_concurrency"] {
        let (stated, described) = (run.point.map.get(field), run.system.map.get(field));
        let (Some(stated), Some(described)) = (stated, described) else { continue };
        let word = |value: &Value| value.as_str().map(|text| text.trim().to_lowercase());
        let equal = match (word(stated), word(described)) {
            (Some(a), Some(b)) => a == b,
            _ => same(stated, described),
        };
        if !equal {
            let (found, expected) = (stated.to_string(), described.to_string());
            return Err(disagree(&run.point.path, field, found, &run.system.path, expected));
        }
    }
    let c_max = run.system.map.get("max_supported_concurrency");
    if !c_max.is_some_and(Value::is_number) {
        let found = c_max.map_or_else(|| "nothing".to_owned(), Value::to_string);
        let reason = format!("found {found}, expected a whole number");
        let field = "max_supported_concurrency";
        return Err(SubmissionError::unusable(&run.system.path, field, reason));
    }
    Ok(())
}

/// Two system descriptions of a curve differ in exempt fields only.
fn description(first: &Run, run: &Run) -> Result<(), SubmissionError> {
    match differing(&first.system.map, &run.system.map, &EXEMPT_FIELDS) {
        Some(field) => Err(fields_differ(&first.system, &run.system, &field)),
        None => Ok(()),
    }
}

/// A field that two files must agree on; one that leaves it out says nothing.
fn agree(first: &Parsed, other: &Parsed, field: &str) -> Result<(), SubmissionError> {
    match (first.map.get(field), other.map.get(field)) {
        (Some(a), Some(b)) if !same(a, b) => Err(fields_differ(first, other, field)),
        _ => Ok(()),
    }
}

/// One drafter along the curve; a point may do without.
fn drafters(runs: &[&Run]) -> Result<(), SubmissionError> {
    let used = runs.iter().filter_map(|run| {
        let drafter = run.point.map.get("speculative_decoding")?.as_object()?;
        (!drafter.is_empty()).then_some((*run, drafter))
    });
    let mut first: Option<(&Run, &Map<String, Value>)> = None;
    for (run, drafter) in used {
        let Some((known, reference)) = first else {
            first = Some((run, drafter));
            continue;
        };
        for key in ["model_id", "weight_checksum", "target_checksum"] {
            let (a, b) = (reference.get(key), drafter.get(key));
            if a != b {
                let field = format!("speculative_decoding.{key}");
                let text = |value: Option<&Value>| value.map_or("nothing".into(), Value::to_string);
                return Err(disagree(&run.point.path, &field, text(b), &known.point.path, text(a)));
            }
        }
    }
    Ok(())
}

/// `c_min_override` names a point of the curve.
fn lower_bound(points: &Points, first: &Run) -> Result<(), SubmissionError> {
    let Some(stated) = first.system.map.get("c_min_override").filter(|value| !value.is_null())
    else {
        return Ok(());
    };
    let point = stated.as_u64().and_then(|number| u32::try_from(number).ok());
    if point.is_some_and(|number| points.contains_key(&number)) {
        return Ok(());
    }
    let reason = format!("found {stated}, which is no point of the curve");
    Err(SubmissionError::unusable(&first.system.path, "c_min_override", reason))
}

/// The first field in which two mappings differ, beside those that may.
fn differing(a: &Map<String, Value>, b: &Map<String, Value>, exempt: &[&str]) -> Option<String> {
    let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let differs = |key: &&&String| {
        !exempt.contains(&key.as_str())
            && match (a.get(**key), b.get(**key)) {
                (Some(a), Some(b)) => !same(a, b),
                _ => true,
            }
    };
    keys.iter().find(differs).map(|key| (**key).clone())
}

/// Whether two values are equal, whole numbers and floats alike.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(key, x)| y.get(key).is_some_and(|y| same(x, y)))
        }
        _ => a == b,
    }
}

fn fields_differ(first: &Parsed, other: &Parsed, field: &str) -> SubmissionError {
    let value = |parsed: &Parsed| match parsed.map.get(field) {
        Some(value) => shortened(&value.to_string()),
        None => "nothing".to_owned(),
    };
    disagree(&other.path, field, value(other), &first.path, value(first))
}

/// A value for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn disagree(
    file: &Path,
    field: &str,
    found: String,
    other: &Path,
    expected: String,
) -> SubmissionError {
    SubmissionError::Disagree(Box::new(Disagreement {
        file: file.to_owned(),
        field: field.to_owned(),
        found,
        other: other.to_owned(),
        expected,
    }))
}
