//! Runs the checks.

use crate::diagnostics::Diagnostic;
use crate::ruleset::Ruleset;
use crate::yaml::{Node, nearest};

use super::super::load::Depth;
use super::super::partial::Partial;
use super::context::Context;
use super::{accuracy, checks, data, datasets, endpoint, files, model, rules, submission, sweep};

/// Adds every finding about the meaning of a document.
pub(in super::super) fn validate(
    root: &Node,
    scenario: &Partial,
    depth: Depth,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let named = scenario.compliance.as_ref().and_then(|section| section.ruleset.as_deref());
    let ruleset = named.and_then(Ruleset::named);
    let mut context = Context { root, scenario, ruleset, diagnostics };
    if let (Some(name), None) = (named, ruleset) {
        unknown_ruleset(&mut context, name);
    }
    endpoint::check(&mut context);
    model::check(&mut context);
    files::check(&mut context);
    datasets::check(&mut context);
    sweep::check(&mut context);
    rules::check(&mut context);
    accuracy::check(&mut context);
    checks::check(&mut context);
    submission::check(&mut context);
    if depth == Depth::Full {
        data::check(&mut context);
    }
}

/// A ruleset that the program does not have.
fn unknown_ruleset(context: &mut Context<'_>, name: &str) {
    let known: Vec<&str> = Ruleset::all().iter().map(|ruleset| ruleset.name.as_str()).collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known rulesets: {}", known.join(", ")),
    };
    context
        .error(&["compliance", "ruleset"], "ruleset-unknown", format!("unknown ruleset `{name}`"))
        .help(help);
}
