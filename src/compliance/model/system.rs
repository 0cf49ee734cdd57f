//! `system_desc.json`.

use super::super::document::{Fields, Map, Problem, Value, boolean, float, int, list, root, text};

/// Most characters of `shortened_system_name`.
const SHORT_NAME: usize = 20;
const AVAILABILITY: [&str; 3] =
    ["system_availability_status", "publication_status", "availability_status"];
const FLAT_ACCELERATOR: [&str; 6] = [
    "accelerator_model_name",
    "accelerators_per_node",
    "accelerator_memory_capacity",
    "accelerator_memory_type",
    "accelerator_interconnect",
    "accelerator_host_interconnect",
];

/// What the rules read of a valid system description.
#[derive(Clone, Copy, Debug)]
pub(in crate::compliance) struct System {
    pub(in crate::compliance) max_supported_concurrency: i128,
}

impl System {
    /// Reads the document's value.
    pub(in crate::compliance) fn read(value: &Value) -> Result<Self, Vec<Problem>> {
        if let Value::Map(map) = value {
            let status = availability(map);
            let words: Vec<String> = status
                .iter()
                .map(|(_, value)| value.show().trim_matches('"').trim().to_lowercase())
                .collect();
            if words.iter().any(|word| *word != words[0]) {
                let found: Vec<String> =
                    status.iter().map(|(key, value)| format!("{key} {}", value.show())).collect();
                let found = found.join(", ");
                return Err(vec![Problem {
                    at: String::new(),
                    key: "availability-conflict",
                    found,
                }]);
            }
        }
        root(value, system)
    }
}

/// The spellings of the availability that say something.
fn availability(map: &Map) -> Vec<(&'static str, &Value)> {
    let says = |key: &'static str| {
        let value = map.given(key).filter(|value| value.as_text() != Some(""))?;
        Some((key, value))
    };
    AVAILABILITY.into_iter().filter_map(says).collect()
}

fn system(fields: &mut Fields<'_>) -> Option<System> {
    fields.ignored(
        &["submitter_org_names", "submitter_contact", "submission_id", "submission_date"],
        text,
    );
    fields.ignored(&["publish_date", "system_category", "serving_framework", "endpoint_url"], text);
    let _ = fields.required("system_name", text);
    let status = availability_status(fields);
    let url = fields.optional("availability_url", text).filter(|url| !url.trim().is_empty());
    let date = fields.optional("target_availability_date", text);
    let date = date.filter(|date| !date.trim().is_empty());
    if let Some(date) = date.as_ref().filter(|date| !is_date(date)) {
        fields.problem("target_availability_date", "availability-date-invalid", date.clone());
    }
    let max_supported_concurrency = fields.required("max_supported_concurrency", int);
    if let Some(value) = fields.map().get("c_min_override").cloned()
        && !value.strict_int().is_some_and(|value| (1..=32).contains(&value))
    {
        fields.problem("c_min_override", "invalid", value.show());
    }
    let _ = fields.required("system_size", text);
    let _ = fields.required("system_node_ensemble_count", int);
    let _ = fields.required("system_node_ensemble_total", int);
    short_name(fields);
    let nodes = fields.required("node_types", |value| list(value).map(<[Value]>::to_vec));
    fields.each("node_types", &nodes.unwrap_or_default(), |fields| {
        node(fields);
        Some(())
    });
    deployment(fields);
    let _ = fields.required("division", |value| match value.as_text().map(word).as_deref() {
        Some("standardized" | "serviced" | "rdi") => Ok(()),
        Some(_) => Err("division-unknown"),
        None => Err("enum"),
    });
    if fields.is_clean() {
        match status {
            Some("available") if url.is_none() => {
                fields.problem("", "availability-url-missing", "no availability_url".to_owned());
            }
            Some("preview") if date.is_none() => {
                let found = "no target_availability_date".to_owned();
                fields.problem("", "availability-date-missing", found);
            }
            _ => {}
        }
    }
    Some(System { max_supported_concurrency: max_supported_concurrency? })
}

/// The availability in lower case, under whichever name it stands.
fn availability_status(fields: &mut Fields<'_>) -> Option<&'static str> {
    let stated = availability(fields.map()).first().map(|(_, value)| (*value).clone());
    let field = AVAILABILITY[0];
    let Some(value) = stated.or_else(|| fields.map().get(field).cloned()) else {
        fields.problem(field, "missing", "nothing".to_owned());
        return None;
    };
    match value.as_text().map(word).as_deref() {
        Some("available") => Some("available"),
        Some("preview") => Some("preview"),
        Some("rdi") => Some("rdi"),
        Some(_) => {
            fields.problem(field, "availability-unknown", value.show());
            None
        }
        None => {
            fields.problem(field, "enum", value.show());
            None
        }
    }
}

fn short_name(fields: &mut Fields<'_>) {
    let _ = fields.required("shortened_system_name", |value| {
        let name = text(value)?;
        if name.trim().is_empty() {
            return Err("shortened-name-empty");
        }
        if name.chars().count() > SHORT_NAME { Err("shortened-name-too-long") } else { Ok(()) }
    });
}

/// Fields about the deployment, and leftovers of earlier versions, of which only the types count.
fn deployment(fields: &mut Fields<'_>) {
    fields.ignored(&["node_config", "config_summary_notes", "link_config"], text);
    config_summary(fields);
    fields.ignored(&["disaggregated"], boolean);
    fields.ignored(
        &["expert_parallel", "tensor_parallel", "pipeline_parallel", "data_parallel", "batch"],
        int,
    );
    fields.ignored(&["tps_utilization"], float);
    fields.ignored(
        &["model_precision", "link_to_model", "link_to_model_transformation", "model_notes"],
        text,
    );
    fields.ignored(&["dataset_id", "dataset_name", "dataset_type", "dataset_link"], text);
    fields.ignored(&["input_token_average", "output_token_average"], float);
    measured_accuracy(fields);
}

/// An object with the parallelism, or prose of at least four characters.
fn config_summary(fields: &mut Fields<'_>) {
    let Some(value) = fields.map().given("config_summary").cloned() else { return };
    match &value {
        Value::Text(text) if text.chars().count() >= 4 => {}
        Value::Map(_) => {
            let clean = fields.below("config_summary.ConfigSummary", &value, |fields| {
                fields.ignored(&["disaggregated"], boolean);
                let whole = ["expert_parallel", "tensor_parallel", "pipeline_parallel"];
                fields.ignored(&whole, int);
                fields.ignored(&["data_parallel", "batch"], int);
                Some(fields.is_clean())
            });
            if clean == Some(false) {
                fields.problem("config_summary.text", "string_type", value.show());
            }
        }
        other => {
            fields.problem("config_summary.ConfigSummary", "model_type", other.show());
            let short = matches!(other, Value::Text(_));
            let key = if short { "string_too_short" } else { "string_type" };
            fields.problem("config_summary.text", key, other.show());
        }
    }
}

/// A text, a number, or scores by data set.
fn measured_accuracy(fields: &mut Fields<'_>) {
    const FIELD: &str = "measured_accuracy_score";
    let Some(value) = fields.map().given(FIELD).cloned() else { return };
    let map = match &value {
        Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_) => return,
        Value::Map(map) => map,
        other => {
            for key in ["string_type", "float_type", "dict_type"] {
                fields.problem(FIELD, key, other.show());
            }
            return;
        }
    };
    let mut clean = true;
    for (dataset, entry) in map.iter() {
        let below = format!("{FIELD}.{dataset}");
        let fine = fields.below(&below, entry, |fields| {
            let scores =
                fields.required("scores", |value| super::super::document::map(value).cloned());
            for (name, score) in scores.unwrap_or_default().iter() {
                if score.number().is_none() {
                    fields.problem(&format!("scores.{name}"), "float_type", score.show());
                }
            }
            Some(fields.is_clean())
        });
        clean &= fine == Some(true);
    }
    if !clean {
        fields.problem(FIELD, "string_type", value.show());
        fields.problem(FIELD, "float_type", value.show());
    }
}

fn node(fields: &mut Fields<'_>) {
    fields
        .ignored(&["system_node_ensemble_id", "number_of_nodes", "host_processors_per_node"], int);
    let cores = fields.optional("host_processor_core_count", int);
    let threads = fields.optional("host_processor_vcpu_count", int);
    for field in ["host_memory_configuration", "host_network_card_count", "driver", "filesystem"] {
        let _ = fields.required(field, text);
    }
    fields.ignored(
        &["host_processor_model_name", "host_memory_capacity", "host_networking", "hw_notes"],
        text,
    );
    fields.ignored(
        &["host_storage_capacity", "host_storage_type", "other_hardware", "cooling", "sw_notes"],
        text,
    );
    fields.ignored(
        &["inference_backend", "operating_system", "container_link", "other_software_stack"],
        text,
    );
    accelerators(fields);
    if fields.is_clean() && cores.is_none() && threads.is_none() {
        let found = "neither host_processor_core_count nor host_processor_vcpu_count";
        fields.problem("", "core-count-missing", found.to_owned());
    }
}

/// The list of accelerators, into which fields on the node itself are folded.
fn accelerators(fields: &mut Fields<'_>) {
    const FIELD: &str = "accelerator_info";
    let stated = fields.map().get(FIELD).cloned();
    if !stated.as_ref().is_some_and(Value::is_truthy) {
        let flat = FLAT_ACCELERATOR.iter().filter_map(|key| {
            fields.map().given(key).map(|value| ((*key).to_owned(), value.clone()))
        });
        let flat: Vec<(String, Value)> = flat.collect();
        if !flat.is_empty() {
            let mut map = Map::default();
            for (key, value) in flat {
                map.set(&key, value);
            }
            fields.each(FIELD, &[Value::Map(map)], |fields| {
                accelerator(fields);
                Some(())
            });
            return;
        }
    }
    let items = fields.present(FIELD, |value| list(value).map(<[Value]>::to_vec));
    fields.each(FIELD, &items.unwrap_or_default(), |fields| {
        accelerator(fields);
        Some(())
    });
}

fn accelerator(fields: &mut Fields<'_>) {
    for field in FLAT_ACCELERATOR {
        if field == "accelerators_per_node" {
            let _ = fields.optional(field, int);
        } else {
            let _ = fields.optional(field, text);
        }
    }
}

/// A word as the vocabularies compare it.
fn word(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Whether a text is a real date, `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok())?
    };
    let separators = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day), true) =
        (digits(0..4), digits(5..7), digits(8..10), separators)
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    year > 0 && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates_are_real() {
        for date in ["2026-10-01", "2028-02-29", "2000-02-29"] {
            assert!(is_date(date), "{date}");
        }
        for date in [
            "2026-02-29",
            "2026-13-01",
            "2026-1-01",
            "2026-10-00",
            "1900-02-29",
            "0000-01-01",
            "2026/10/01",
            "é",
        ] {
            assert!(!is_date(date), "{date}");
        }
    }
}
