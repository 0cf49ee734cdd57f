//! Runs the checks.

use std::borrow::Cow;
use std::path::Path;

use crate::diagnostics::Diagnostic;
use crate::ruleset::{Ruleset, RulesetError};
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
    let found = named.map(|named| find_ruleset(scenario, named)).transpose();
    let ruleset = found.as_ref().ok().and_then(Option::as_deref);
    let mut context = Context { root, scenario, ruleset, diagnostics };
    if let (Some(name), Err(error)) = (named, &found) {
        no_ruleset(&mut context, name, error);
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

/// The ruleset of a name, or of a file that is relative to the scenario.
fn find_ruleset(scenario: &Partial, named: &str) -> Result<Cow<'static, Ruleset>, RulesetError> {
    if Ruleset::is_file(named) {
        return Ruleset::read(&scenario.home.absolute(Path::new(named))).map(Cow::Owned);
    }
    Ruleset::find(named)
}

/// A ruleset that the program does not have, or a file that is none.
fn no_ruleset(context: &mut Context<'_>, name: &str, error: &RulesetError) {
    let at = ["compliance", "ruleset"];
    let message = match error {
        RulesetError::Unknown(_) => None,
        RulesetError::Read { source, .. } => Some(format!("`{name}` cannot be read: {source}")),
        RulesetError::Invalid { reason, .. } => Some(format!("`{name}` is no ruleset: {reason}")),
    };
    if let Some(message) = message {
        let help = "such a file may name another ruleset in `extends` and say only what differs";
        context.error(&at, "ruleset-file", message).help(help);
        return;
    }
    let known: Vec<&str> = Ruleset::all().iter().map(|ruleset| ruleset.name.as_str()).collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("known rulesets: {}", known.join(", ")),
    };
    context.error(&at, "ruleset-unknown", error.to_string()).help(help);
}
