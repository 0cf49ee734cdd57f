//! Values without a chosen type take the one that the schema asks for.

use serde_json::Number;

use super::node::{Kind, Node};
use super::violation::{Rule, Violation};

/// Gives every value that came from a variable or the command line, and whose type the schema
/// refuses, the type that it asks for, where its text can be read so. Says whether any changed.
pub(super) fn adapt(root: &mut Node, violations: &[Violation]) -> bool {
    let mut changed = false;
    for violation in violations {
        let (Rule::Type(types) | Rule::OneOfOr(_, types)) = &violation.rule else { continue };
        let Some(node) = root.at_mut(&violation.pointer) else { continue };
        let Some(text) = &node.loose else { continue };
        if let Some(kind) = types.iter().find_map(|wanted| read_as(text, wanted)) {
            node.kind = kind;
            node.loose = None;
            changed = true;
        }
    }
    changed
}

/// A text read as a JSON type.
fn read_as(text: &str, wanted: &str) -> Option<Kind> {
    match wanted {
        "string" => Some(Kind::String(text.to_owned())),
        "boolean" => text.parse().ok().map(Kind::Bool),
        "integer" => whole(text).map(Kind::Number),
        "number" => {
            whole(text).or_else(|| text.parse().ok().and_then(Number::from_f64)).map(Kind::Number)
        }
        _ => None,
    }
}

/// A whole number of at most 64 bits.
fn whole(text: &str) -> Option<Number> {
    text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from)).ok()
}
