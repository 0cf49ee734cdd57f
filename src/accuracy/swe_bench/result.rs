//! The score of a SWE-bench result.

use serde_json::{Map, Value};

use crate::accuracy::SweBenchEntry;

/// The counters of a harness's report that the score needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweBenchResult {
    /// Instances that were to be evaluated.
    pub evaluated: u64,
    /// Of these, the ones with a prediction.
    pub submitted: u64,
    /// Of these, the ones that were resolved.
    pub resolved: u64,
}

/// A report that holds no usable counters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// Not an object, or a run that did not succeed.
    #[error("{0}")]
    Shape(String),
    /// A counter is absent or no whole number.
    #[error("`{key}` is {found}, expected a whole number")]
    Counter {
        /// The counter.
        key: &'static str,
        /// What stands there.
        found: String,
    },
    /// More of one than of what it is a part of.
    #[error("{resolved} resolved, {submitted} submitted and {evaluated} evaluated do not fit")]
    Order {
        /// Resolved instances.
        resolved: u64,
        /// Submitted instances.
        submitted: u64,
        /// Evaluated instances.
        evaluated: u64,
    },
}

impl SweBenchResult {
    /// The counters of a report about `evaluated` instances.
    ///
    /// # Errors
    /// A counter is missing, or they contradict each other.
    pub fn of_report(report: &Map<String, Value>, evaluated: u64) -> Result<Self, ResultError> {
        let counter = |key: &'static str| {
            let found = || report.get(key).map_or("absent".to_owned(), shown);
            let value = report.get(key).and_then(Value::as_u64);
            value.ok_or_else(|| ResultError::Counter { key, found: found() })
        };
        let (submitted, resolved) =
            (counter("submitted_instances")?, counter("resolved_instances")?);
        if resolved > submitted || submitted > evaluated {
            return Err(ResultError::Order { resolved, submitted, evaluated });
        }
        Ok(Self { evaluated, submitted, resolved })
    }

    /// Reads a file from elsewhere: the harness's report, or the service's status with the report
    /// under `result`. Evaluated are `evaluated` instances, or without that the report's
    /// `total_instances`.
    ///
    /// # Errors
    /// Not JSON, a run that did not succeed, or no usable counters.
    pub fn parse(bytes: &[u8], evaluated: Option<u64>) -> Result<Self, ResultError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| ResultError::Json(error.to_string()))?;
        let Value::Object(mut report) = value else {
            return Err(ResultError::Shape(
                "expected an object with the harness's counters".into(),
            ));
        };
        if let Some(status) = report.get("status").and_then(Value::as_str)
            && status != "succeeded"
        {
            return Err(ResultError::Shape(format!("the run is `{status}`, expected `succeeded`")));
        }
        if let Some(Value::Object(inner)) = report.remove("result") {
            report = inner;
        }
        let total = report.get("total_instances").and_then(Value::as_u64);
        let evaluated = evaluated.or(total).ok_or_else(|| ResultError::Counter {
            key: "total_instances",
            found: report.get("total_instances").map_or("absent".to_owned(), shown),
        })?;
        Self::of_report(&report, evaluated)
    }

    /// Resolved over evaluated; none when nothing was submitted.
    #[expect(clippy::cast_precision_loss, reason = "hundreds of instances")]
    pub fn score(self) -> Option<f64> {
        (self.submitted > 0).then(|| self.resolved as f64 / self.evaluated as f64)
    }

    /// The entry for `accuracy_results.json`.
    pub fn entry(self, duration_ns: u64) -> SweBenchEntry {
        SweBenchEntry {
            score: self.score(),
            instances: self.evaluated,
            duration_ns,
            complete: self.submitted == self.evaluated,
        }
    }
}

fn shown(value: &Value) -> String {
    crate::wire::excerpt(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str, evaluated: Option<u64>) -> Result<SweBenchResult, ResultError> {
        SweBenchResult::parse(text.as_bytes(), evaluated)
    }

    #[test]
    fn reports_and_status_documents() {
        let report =
            r#"{"total_instances":200,"submitted_instances":198,"resolved_instances":142}"#;
        let found = parse(report, None).unwrap();
        assert_eq!(found.score(), Some(0.71));
        let entry = found.entry(5);
        assert_eq!((entry.instances, entry.complete, entry.duration_ns), (200, false, 5));
        let status = format!(r#"{{"run_id":"r","status":"succeeded","result":{report}}}"#);
        assert_eq!(parse(&status, Some(200)).unwrap(), found);
        let none = r#"{"submitted_instances":0,"resolved_instances":0}"#;
        assert_eq!(parse(none, Some(200)).unwrap().score(), None);
    }

    #[test]
    fn half_a_result_says_what_is_wrong() {
        let errors: Vec<String> = [
            ("{", None),
            ("[]", None),
            (r#"{"submitted_instances":1}"#, Some(2)),
            (r#"{"submitted_instances":1,"resolved_instances":-1}"#, Some(2)),
            (r#"{"submitted_instances":1.5,"resolved_instances":1}"#, Some(2)),
            (r#"{"submitted_instances":"1","resolved_instances":1}"#, Some(2)),
            (r#"{"submitted_instances":1,"resolved_instances":2}"#, Some(2)),
            (r#"{"submitted_instances":3,"resolved_instances":2}"#, Some(2)),
            (r#"{"submitted_instances":3,"resolved_instances":2}"#, None),
            (r#"{"status":"failed","result":{}}"#, None),
        ]
        .map(|(text, evaluated)| parse(text, evaluated).unwrap_err().to_string())
        .into();
        insta::assert_snapshot!(errors.join("\n"), @r#"
        not JSON: EOF while parsing an object at line 1 column 1
        expected an object with the harness's counters
        `resolved_instances` is absent, expected a whole number
        `resolved_instances` is -1, expected a whole number
        `submitted_instances` is 1.5, expected a whole number
        `submitted_instances` is "1", expected a whole number
        2 resolved, 1 submitted and 2 evaluated do not fit
        2 resolved, 3 submitted and 2 evaluated do not fit
        `total_instances` is absent, expected a whole number
        the run is `failed`, expected `succeeded`
        "#);
    }

    proptest! {
        #[test]
        fn scores_are_fractions(submitted in 0_u64..300, resolved in 0_u64..300, evaluated in 0_u64..300) {
            let text = format!(r#"{{"submitted_instances":{submitted},"resolved_instances":{resolved}}}"#);
            if let Ok(found) = parse(&text, Some(evaluated)) {
                prop_assert!(found.score().is_none_or(|score| (0.0..=1.0).contains(&score)));
            } else {
                prop_assert!(resolved > submitted || submitted > evaluated);
            }
        }
    }
}
