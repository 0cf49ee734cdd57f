//! `compliance.checks`: the author's own rules can be evaluated.

use minijinja::Environment;

use super::super::model::Check;
use super::context::Context;

/// Checks the author's own rules.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(compliance) = &context.scenario.compliance else { return };
    let environment = Environment::new();
    for (i, check) in compliance.checks.iter().enumerate() {
        let index = i.to_string();
        unique(context, &compliance.checks, i);
        if let Some(when) = &check.when {
            expression(context, &environment, &["compliance", "checks", &index, "when"], when);
        }
        let at = ["compliance", "checks", &index, "require"];
        expression(context, &environment, &at, &check.require);
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

/// An expression compiles and says something about the point.
fn expression(context: &mut Context<'_>, environment: &Environment<'_>, at: &[&str], text: &str) {
    match environment.compile_expression(text) {
        Err(error) => {
            let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            context
                .error(at, "check-expression", format!("`{text}` is no expression: {detail}"))
                .help("write it like `ttft.p90_ms <= 2000`");
        }
        Ok(expression) if expression.undeclared_variables(false).is_empty() => {
            context
                .error(at, "check-constant", format!("`{text}` does not depend on the results"))
                .help("name a number of the point, such as `concurrency` or `ttft.p90_ms`");
        }
        Ok(_) => {}
    }
}
