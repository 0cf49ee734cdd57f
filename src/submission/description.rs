//! `system_desc.json` of a point.

use serde_json::{Map, Value};

use crate::scenario::model::{PointStatement, Submission};

/// The description of the system with what is different at a point.
pub(super) fn describe(
    system: &Map<String, Value>,
    submission: &Submission,
    point: Option<&PointStatement>,
) -> Map<String, Value> {
    let mut described = Map::new();
    let missing = |key: &str| system.get(key).is_none_or(Value::is_null);
    if missing("division") {
        described.insert("division".to_owned(), submission.division.name().into());
    }
    for (key, value) in system {
        if !(key == "division" && missing(key)) {
            described.insert(key.clone(), value.clone());
        }
    }
    if missing("submitter_org_names") {
        described.insert("submitter_org_names".to_owned(), submission.organisation.clone().into());
    }
    let Some(point) = point else { return described };
    let overrides = [
        ("tensor_parallel", point.tensor_parallel.map(Value::from)),
        ("pipeline_parallel", point.pipeline_parallel.map(Value::from)),
        ("expert_parallel", point.expert_parallel.map(Value::from)),
        ("data_parallel", point.data_parallel.map(Value::from)),
        ("disaggregated", point.disaggregated.map(Value::from)),
        ("batch", point.batch.map(Value::from)),
        ("config_summary", point.config_summary.clone().map(Value::from)),
        ("config_summary_notes", point.config_summary_notes.clone().map(Value::from)),
    ];
    for (key, value) in overrides {
        if let Some(value) = value {
            described.insert(key.to_owned(), value);
        }
    }
    described
}
