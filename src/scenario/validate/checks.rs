//! `compliance.checks`: the author's own rules can be evaluated.

use super::super::expression::{Expression, ExpressionError};
use super::super::model::Check;
use super::context::Context;

/// Checks the author's own rules.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(compliance) = &context.scenario.compliance else { return };
    for (i, check) in compliance.checks.iter().enumerate() {
        let index = i.to_string();
        unique(context, &compliance.checks, i);
        if let Some(when) = &check.when {
            expression(context, &["compliance", "checks", &index, "when"], when);
        }
        expression(context, &["compliance", "checks", &index, "require"], &check.require);
    }
}

/// Ids occur once.
fn unique(context: &mut Context<'_>, checks: &[Check], i: usize) {
    let id = &checks[i].id;
    if let Some(first) = checks[..i].iter().position(|other| other.id == *id) {
        context
            .error(
                &["compliance", "checks", &i.to_string(), "id"],
                "check-id-twice",
                format!("two checks are called `{id}`"),
            )
            .label("second")
            .also(&["compliance", "checks", &first.to_string(), "id"], "first")
            .help("give each its own id");
    }
}

/// An expression compiles, and says something about the point in words that there are.
fn expression(context: &mut Context<'_>, at: &[&str], text: &str) {
    let Err(error) = Expression::parse(text) else { return };
    let message = error.to_string();
    match error {
        ExpressionError::Grammar { .. } => context
            .error(at, "check-expression", message)
            .help("write it like `ttft.p90_ms <= 2000`"),
        ExpressionError::Constant(_) => context
            .error(at, "check-constant", message)
            .help("name a number of the point, such as `concurrency` or `ttft.p90_ms`"),
        ExpressionError::Name { help, .. } => context.error(at, "check-name", message).help(help),
    };
}
