//! A JSON schema's verdict on a tree. The only file that knows the schema validator.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::diagnostics::Diagnostic;

use super::explain::explain;
use super::known::Known;
use super::loose;
use super::node::Node;
use super::pointer::Pointer;
use super::violation::{Rule, Violation};

/// Most violations of one document that are explained; the author mends the first ones first.
const MAX_VIOLATIONS: usize = 1000;

/// A compiled JSON schema (draft 2020-12).
pub struct Schema {
    validator: Validator,
    known: Known,
}

/// A schema that cannot be compiled; a fault of the program, not of its user.
#[derive(Debug, thiserror::Error)]
#[error("the schema does not compile: {0}")]
pub struct SchemaError(String);

/// One thing that the schema forbids: where it is, and the finding about it.
#[derive(Debug)]
pub struct SchemaFinding {
    /// The value at fault; of an unknown or missing key, the mapping.
    pub pointer: Pointer,
    /// The finding.
    pub diagnostic: Diagnostic,
}

impl Schema {
    /// Compiles a schema.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        let validator =
            jsonschema::validator_for(&schema).map_err(|error| SchemaError(error.to_string()))?;
        Ok(Self { validator, known: Known::new(schema) })
    }

    /// Everything that the schema forbids, in the order of the pointers. Values without a chosen
    /// type ([`Node::loose`]) take the type that the schema asks for. `is_secret` says which
    /// values no finding may quote.
    pub fn check(
        &self,
        root: &mut Node,
        is_secret: &dyn Fn(&Pointer) -> bool,
    ) -> Vec<SchemaFinding> {
        let mut violations = self.violations(&root.to_json());
        if loose::adapt(root, &violations) {
            violations = self.violations(&root.to_json());
        }
        violations
            .iter()
            .filter(|violation| !violation.is_explained_by(&violations))
            .map(|violation| SchemaFinding {
                pointer: violation.pointer.clone(),
                diagnostic: explain(violation, root, &self.known, is_secret(&violation.pointer)),
            })
            .collect()
    }

    /// The keys that the mapping at a place may hold.
    pub fn keys(&self, pointer: &Pointer) -> Vec<String> {
        self.known.keys(pointer)
    }

    /// What the validator says, in our own words.
    fn violations(&self, document: &Value) -> Vec<Violation> {
        let mut violations = Vec::new();
        for error in self.validator.iter_errors(document) {
            translate(&error, &mut violations);
        }
        violations.sort_by(|a, b| a.pointer.cmp(&b.pointer));
        violations.dedup();
        violations.truncate(MAX_VIOLATIONS);
        violations
    }
}

/// The violations that one error of the validator stands for.
fn translate(error: &ValidationError<'_>, violations: &mut Vec<Violation>) {
    let pointer = Pointer::parse(error.instance_path().as_str());
    let rule = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            violations.extend(unexpected.iter().map(|key| Violation {
                pointer: pointer.clone(),
                rule: Rule::UnknownKey(key.clone()),
            }));
            return;
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            violations.extend(best_branch(&pointer, context));
            return;
        }
        ValidationErrorKind::Required { property } => {
            Rule::MissingKey(property.as_str().unwrap_or_default().to_owned())
        }
        ValidationErrorKind::Type { kind } => Rule::Type(match kind {
            TypeKind::Single(kind) => vec![kind.to_string()],
            TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect(),
        }),
        ValidationErrorKind::Enum { options } => {
            Rule::OneOf(options.as_array().cloned().unwrap_or_default())
        }
        ValidationErrorKind::Constant { expected_value } => {
            Rule::OneOf(vec![expected_value.as_ref().clone()])
        }
        ValidationErrorKind::Minimum { limit } => Rule::AtLeast(limit.clone()),
        ValidationErrorKind::Maximum { limit } => Rule::AtMost(limit.clone()),
        ValidationErrorKind::ExclusiveMinimum { limit } => Rule::Above(limit.clone()),
        ValidationErrorKind::ExclusiveMaximum { limit } => Rule::Below(limit.clone()),
        ValidationErrorKind::MinLength { limit }
        | ValidationErrorKind::MinItems { limit }
        | ValidationErrorKind::MinProperties { limit } => Rule::Fewer(*limit),
        ValidationErrorKind::MaxLength { limit }
        | ValidationErrorKind::MaxItems { limit }
        | ValidationErrorKind::MaxProperties { limit } => Rule::More(*limit),
        ValidationErrorKind::Pattern { pattern } => Rule::Pattern(pattern.clone()),
        other => Rule::Other(other.keyword().to_owned()),
    };
    violations.push(Violation { pointer, rule });
}

/// What to say when no alternative holds: the faults of the one whose type fits, else what all of
/// them ask for.
fn best_branch(pointer: &Pointer, branches: &[Vec<ValidationError<'_>>]) -> Vec<Violation> {
    let branches: Vec<Vec<Violation>> = branches
        .iter()
        .map(|errors| {
            let mut violations = Vec::new();
            for error in errors {
                translate(error, &mut violations);
            }
            violations
        })
        .collect();
    let is_alternative = |violation: &&Violation| {
        violation.pointer == *pointer && matches!(violation.rule, Rule::Type(_) | Rule::OneOf(_))
    };
    let fitting = branches
        .iter()
        .filter(|branch| !branch.iter().any(|v| is_alternative(&v)))
        .min_by_key(|b| b.len());
    if let Some(branch) = fitting {
        return branch.clone();
    }
    let (mut values, mut types) = (Vec::new(), Vec::new());
    for violation in branches.iter().flatten().filter(is_alternative) {
        match &violation.rule {
            Rule::OneOf(options) => values.extend(options.iter().cloned()),
            Rule::Type(kinds) => types.extend(kinds.iter().cloned()),
            _ => {}
        }
    }
    types.sort();
    types.dedup();
    let rule = match (values.is_empty(), types.is_empty()) {
        (true, _) => Rule::Type(types),
        (false, true) => Rule::OneOf(values),
        (false, false) => Rule::OneOfOr(values, types),
    };
    vec![Violation { pointer: pointer.clone(), rule }]
}
