//! What a schema forbids, in words for the author.

use serde_json::Value;

use crate::diagnostics::Diagnostic;
use crate::units::{HumanDuration, mask_url_credentials};

use super::known::Known;
use super::node::{Kind, Node};
use super::pointer::first_word;
use super::suggest::nearest;
use super::violation::{Rule, Violation};

/// The finding about a violation. A secret is never quoted.
pub(super) fn explain(
    violation: &Violation,
    root: &Node,
    known: &Known,
    secret: bool,
) -> Diagnostic {
    let value = root.at(&violation.pointer);
    let shown = value.filter(|_| !secret).and_then(quoted);
    Explainer { violation, root, known, value, shown }.explain()
}

/// A violation with what its finding is made of.
struct Explainer<'a> {
    violation: &'a Violation,
    root: &'a Node,
    known: &'a Known,
    /// The value at fault.
    value: Option<&'a Node>,
    /// The value as a message quotes it; nothing of secrets, lists and mappings.
    shown: Option<String>,
}

impl Explainer<'_> {
    fn explain(&self) -> Diagnostic {
        match &self.violation.rule {
            Rule::UnknownKey(key) => self.unknown_key(key),
            Rule::MissingKey(key) => self.missing_key(key),
            Rule::Type(_) if self.known.is_duration(&self.violation.pointer) => {
                let finding = self.no_duration(&format!("found {}", self.found()));
                finding.help("write a text with a unit, such as `30s`")
            }
            Rule::Type(types) => {
                let wanted = any_type(types);
                self.must_be("wrong-type", &wanted, format!("expected {wanted}"))
            }
            Rule::OneOf(options) => self.choice(options, None),
            Rule::OneOfOr(options, types) => self.choice(options, Some(any_type(types))),
            Rule::AtLeast(limit) => self.bound(&format!("at least {limit}")),
            Rule::AtMost(limit) => self.bound(&format!("at most {limit}")),
            Rule::Above(limit) => self.bound(&format!("greater than {limit}")),
            Rule::Below(limit) => self.bound(&format!("less than {limit}")),
            Rule::Fewer(limit) => self.count(*limit, "at least"),
            Rule::More(limit) => self.count(*limit, "at most"),
            Rule::Pattern(pattern) => self.format(pattern),
            Rule::Other(keyword) => {
                let message = format!("{} breaks the schema's rule `{keyword}`", self.subject());
                self.finding("schema-violation", message, String::new())
            }
        }
    }

    /// How a message names the value.
    fn subject(&self) -> String {
        let dotted = self.violation.pointer.dotted();
        if dotted.is_empty() { "the document".to_owned() } else { format!("`{dotted}`") }
    }

    /// Where a message says that a key is, if not at the top.
    fn inside(&self) -> String {
        let dotted = self.violation.pointer.dotted();
        if dotted.is_empty() { String::new() } else { format!(" in `{dotted}`") }
    }

    /// What was found: its kind, and the value itself where it may be shown.
    fn found(&self) -> String {
        let kind = self.value.map_or("nothing", Node::describe);
        self.shown.as_ref().map_or(kind.to_owned(), |shown| format!("{kind}, {shown}"))
    }

    /// A finding about the value, with what the schema says about it.
    fn finding(&self, code: &'static str, message: String, label: String) -> Diagnostic {
        let origin = self.root.origin_of(&self.violation.pointer);
        let finding = Diagnostic::error(code, message).at(&*origin.file, origin.place(), label);
        match self.known.description(&self.violation.pointer) {
            Some(description) => finding.note(description),
            None => finding,
        }
    }

    /// A finding that says what the value must be and what it is.
    fn must_be(&self, code: &'static str, wanted: &str, label: String) -> Diagnostic {
        let found = if code == "wrong-type" { None } else { self.shown.clone() };
        let found = found.unwrap_or_else(|| self.found());
        self.finding(code, format!("{} must be {wanted}, found {found}", self.subject()), label)
    }

    /// A key that the schema does not know.
    fn unknown_key(&self, key: &str) -> Diagnostic {
        let pointer = &self.violation.pointer;
        let entry = self.value.and_then(|map| map.entry(key));
        let origin =
            entry.map_or_else(|| self.root.origin_of(pointer), |entry| entry.key_origin.clone());
        let message = format!("unknown key `{}`{}", first_word(key), self.inside());
        let finding = Diagnostic::error("unknown-key", message).at(
            &*origin.file,
            origin.place(),
            "not known here",
        );
        let siblings = self.known.keys(pointer);
        let key = key.split_whitespace().next().unwrap_or(key);
        if let Some(sibling) = siblings.iter().find(|sibling| *sibling == key) {
            finding.help(format!("is a colon missing behind `{sibling}`?"))
        } else if let Some(nearest) = nearest(key, siblings.iter().map(String::as_str)) {
            finding.help(format!("did you mean `{nearest}`?"))
        } else if let Some(home) = self.known.home(key) {
            finding.help(format!("did you mean `{home}`?"))
        } else if siblings.is_empty() {
            finding
        } else {
            finding.note(format!("known keys: {}", siblings.join(", ")))
        }
    }

    /// A key that is not there.
    fn missing_key(&self, key: &str) -> Diagnostic {
        let pointer = &self.violation.pointer;
        let origin = self.root.origin_of(pointer);
        let message = format!("the key `{key}` is missing{}", self.inside());
        let label = format!("`{key}` is required");
        let finding =
            Diagnostic::error("missing-key", message).at(&*origin.file, origin.place(), label);
        match self.known.description(&pointer.join(key)) {
            Some(description) => finding.help(format!("add `{key}`: {description}")),
            None => finding.help(format!("add `{key}`")),
        }
    }

    /// A value that is none of a choice.
    fn choice(&self, options: &[Value], or: Option<String>) -> Diagnostic {
        let texts: Vec<String> = options
            .iter()
            .map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned))
            .collect();
        let mut list: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        list.extend(or);
        let list = alternatives(&list);
        let finding = self.must_be("wrong-value", &list, format!("expected {list}"));
        let given = self.value.and_then(Node::as_str).unwrap_or_default();
        match nearest(given, texts.iter().map(String::as_str)) {
            Some(nearest) => finding.help(format!("did you mean `{nearest}`?")),
            None => finding,
        }
    }

    /// A number outside its bounds.
    fn bound(&self, bound: &str) -> Diagnostic {
        self.must_be("out-of-range", bound, format!("must be {bound}"))
    }

    /// A text, list or mapping that holds too much or too little.
    fn count(&self, limit: u64, bound: &str) -> Diagnostic {
        let (unit, found) = match self.value.map(|value| &value.kind) {
            Some(Kind::List(items)) => ("item", items.len()),
            Some(Kind::Map(entries)) => ("key", entries.len()),
            Some(Kind::String(text)) => ("character", text.chars().count()),
            _ => ("item", 0),
        };
        let plural = if limit == 1 { "" } else { "s" };
        let rule = format!("must hold {bound} {limit} {unit}{plural}");
        self.finding("out-of-range", format!("{} {rule}, found {found}", self.subject()), rule)
    }

    /// A text that does not match its expression.
    fn format(&self, pattern: &str) -> Diagnostic {
        let text = self.value.and_then(Node::as_str).unwrap_or_default();
        if pattern == HumanDuration::PATTERN {
            let why = match text.parse::<HumanDuration>() {
                Ok(_) => format!("`{text}` has another form"),
                Err(error) => error.to_string(),
            };
            return self.no_duration(&why);
        }
        let found = self.shown.as_ref().map_or(String::new(), |shown| format!(", found {shown}"));
        let message = format!("{} must match `{pattern}`{found}", self.subject());
        self.finding("wrong-format", message, "has another form".to_owned())
    }

    /// A value that is no duration.
    fn no_duration(&self, why: &str) -> Diagnostic {
        let message = format!("{} must be a duration: {why}", self.subject());
        let label = "expected a duration such as 250ms, 30s or 4h".to_owned();
        self.finding("wrong-format", message, label)
    }
}

/// The value as a message quotes it; nothing of lists, mappings and null.
fn quoted(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::String(text) => Some(quote(text)),
        Kind::Number(number) => Some(format!("`{number}`")),
        Kind::Bool(value) => Some(format!("`{value}`")),
        Kind::Null | Kind::List(_) | Kind::Map(_) => None,
    }
}

/// A text in backticks, shortened and on one line.
fn quote(text: &str) -> String {
    let line = mask_url_credentials(text).replace('\n', " ");
    if line.chars().count() <= 60 {
        return format!("`{line}`");
    }
    format!("`{}...`", line.chars().take(57).collect::<String>())
}

/// JSON type names in the words of this program.
fn any_type(types: &[String]) -> String {
    let words: Vec<String> = types
        .iter()
        .map(|name| match name.as_str() {
            "array" => "a list",
            "object" => "a mapping",
            "string" => "a text",
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            "null" => "nothing",
            other => other,
        })
        .map(str::to_owned)
        .collect();
    alternatives(&words)
}

/// `a`, `a or b`, `a, b or c`.
fn alternatives(words: &[String]) -> String {
    match words {
        [] => "something else".to_owned(),
        [word] => word.clone(),
        [init @ .., last] => format!("{} or {last}", init.join(", ")),
    }
}
