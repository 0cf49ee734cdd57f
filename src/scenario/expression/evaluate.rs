//! A check and a point's values.

use serde_json::Value;

use super::parse::{Expression, ExpressionError};
use crate::scenario::model::Check;

/// What became of a check at one point.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Its `when` leaves the point out.
    Elsewhere,
    /// It holds.
    Holds,
    /// It does not hold: the values that it looked at, by name.
    Broken(Vec<(String, Value)>),
    /// It cannot be judged: names without a value at this point.
    Unknown(Vec<String>),
    /// It cannot be evaluated, and why.
    Failed(String),
}

/// Evaluates a check over a point's values, a mapping by the names of the vocabulary.
///
/// # Errors
/// An expression that is none.
pub fn evaluate(check: &Check, values: &Value) -> Result<Outcome, ExpressionError> {
    let when = check.when.as_deref().map(Expression::parse).transpose()?;
    let require = Expression::parse(&check.require)?;
    for (expression, is_when) in when.iter().map(|when| (when, true)).chain([(&require, false)]) {
        let missing = missing(expression, values);
        if !missing.is_empty() {
            return Ok(Outcome::Unknown(missing));
        }
        match expression.eval(values) {
            Err(reason) => return Ok(Outcome::Failed(reason)),
            Ok(true) => {}
            Ok(false) if is_when => return Ok(Outcome::Elsewhere),
            Ok(false) => {
                let named = |name: &String| Some((name.clone(), find(values, name)?.clone()));
                return Ok(Outcome::Broken(require.names().iter().filter_map(named).collect()));
            }
        }
    }
    Ok(Outcome::Holds)
}

/// Names that the expression needs and the point has no value for.
fn missing(expression: &Expression, values: &Value) -> Vec<String> {
    if expression.is_guarded() {
        return Vec::new();
    }
    expression.names().iter().filter(|name| find(values, name).is_none()).cloned().collect()
}

fn find<'a>(values: &'a Value, name: &str) -> Option<&'a Value> {
    let found = name.split('.').try_fold(values, |value, part| value.get(part))?;
    (!found.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(when: Option<&str>, require: &str) -> Outcome {
        let check = Check {
            id: "c".to_owned(),
            when: when.map(str::to_owned),
            require: require.to_owned(),
            severity: crate::scenario::model::CheckSeverity::Error,
        };
        let values = json!({
            "concurrency": 8, "region": "low_concurrency",
            "ttft": { "p50_ms": 120.5, "p90_ms": 2310.25 }, "turns": { "issued": 98, "failed": 1 },
        });
        evaluate(&check, &values).unwrap()
    }

    #[test]
    fn checks_hold_or_name_the_values_that_break_them() {
        assert_eq!(outcome(None, "ttft.p50_ms <= 2000"), Outcome::Holds);
        let broken = [("ttft.p90_ms".to_owned(), json!(2310.25))];
        assert_eq!(outcome(None, "ttft.p90_ms <= 2000"), Outcome::Broken(broken.to_vec()));
        assert_eq!(outcome(Some("concurrency > 32"), "ttft.p90_ms <= 2000"), Outcome::Elsewhere);
        assert_eq!(
            outcome(Some("region == 'low_concurrency'"), "turns.issued > 1"),
            Outcome::Holds
        );
        assert_eq!(outcome(None, "turns.failed / turns.issued < 0.02"), Outcome::Holds);
        assert_eq!(outcome(None, "(ttft.p90_ms / ttft.p50_ms)|round < 20"), Outcome::Holds);
        assert_eq!(outcome(None, "concurrency in [1, 8]"), Outcome::Holds);
    }

    #[test]
    fn a_missing_value_is_never_taken_for_one() {
        let unknown = |name: &str| Outcome::Unknown(vec![name.to_owned()]);
        assert_eq!(outcome(None, "tpot.p90_ms <= 50"), unknown("tpot.p90_ms"));
        assert_eq!(
            outcome(None, "accuracy.inline_percent > 50"),
            unknown("accuracy.inline_percent")
        );
        assert_eq!(
            outcome(Some("tpot.p90_ms is defined"), "tpot.p90_ms <= 50"),
            Outcome::Elsewhere
        );
        let guarded = "accuracy.inline_percent is undefined or accuracy.inline_percent > 50";
        assert_eq!(outcome(None, guarded), Outcome::Holds);
        assert_eq!(outcome(None, "tpot.p90_ms|default(0) <= 50"), Outcome::Holds);
    }

    #[test]
    fn what_cannot_be_evaluated_says_why() {
        assert!(matches!(outcome(None, "region / 2 > 1"), Outcome::Failed(_)));
        let long = format!("{}concurrency", "concurrency + ".repeat(1000));
        assert!(matches!(Expression::parse(&long), Err(ExpressionError::Grammar { .. })));
        for (text, reason) in [
            ("concurrency <=", "is no expression"),
            ("concurrency|frobnicate", "unknown filter"),
            ("1 < 2", "does not depend on the results"),
        ] {
            let error = Expression::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn evaluating_is_bounded() {
        let hostile = "(region * 1000000000) == region";
        assert!(matches!(outcome(None, hostile), Outcome::Failed(_)));
    }
}
