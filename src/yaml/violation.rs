//! What a schema forbids, in words for the author.

use serde_json::Value;

use crate::diagnostics::Diagnostic;
use crate::units::{HumanDuration, mask_url_credentials};

use super::known::Known;
use super::node::{Kind, Node};
use super::pointer::Pointer;
use super::suggest::nearest;

/// The codes of schema findings, with what they mean.
pub const CODES: &[(&str, &str)] = &[
    ("unknown-key", "A mapping holds a key that the schema does not know."),
    ("missing-key", "A mapping lacks a key that the schema requires."),
    ("wrong-type", "A value has another type than the schema asks for."),
    ("wrong-value", "A value is none of those that are allowed."),
    ("out-of-range", "A number, length or count is outside its bounds."),
    ("wrong-format", "A text does not have the form that it must have."),
    ("schema-violation", "A value breaks another rule of the schema."),
];

/// One thing that the schema forbids.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    /// The value at fault; of an unknown or missing key, the mapping.
    pub(super) pointer: Pointer,
    /// What it breaks.
    pub(super) rule: Rule,
}

/// What a value breaks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Rule {
    /// The mapping may not hold this key.
    UnknownKey(String),
    /// The mapping must hold this key.
    MissingKey(String),
    /// One of these JSON types.
    Type(Vec<String>),
    /// One of these values.
    OneOf(Vec<Value>),
    /// One of these values, or one of these JSON types.
    OneOfOr(Vec<Value>, Vec<String>),
    /// A number from here up.
    AtLeast(Value),
    /// A number up to here.
    AtMost(Value),
    /// A number greater than this.
    Above(Value),
    /// A number smaller than this.
    Below(Value),
    /// At least this many characters, items or keys.
    Fewer(u64),
    /// At most this many.
    More(u64),
    /// A text that matches this expression.
    Pattern(String),
    /// Another keyword of the schema.
    Other(String),
}

impl Violation {
    /// Whether another violation says the same better: a key that is missing because it is
    /// misspelt.
    pub(super) fn is_explained_by(&self, others: &[Self]) -> bool {
        let Rule::MissingKey(key) = &self.rule else { return false };
        others.iter().any(|other| {
            other.pointer == self.pointer
                && matches!(&other.rule, Rule::UnknownKey(unknown)
                    if nearest(unknown, std::iter::once(key.as_str())).is_some())
        })
    }

    /// The finding. A secret is never quoted.
    pub(super) fn explain(&self, root: &Node, known: &Known, secret: bool) -> Diagnostic {
        let value = root.at(&self.pointer);
        let shown = if secret { None } else { value.and_then(quoted) };
        let found = || {
            let kind = value.map_or("nothing", Node::describe);
            shown.as_ref().map_or(kind.to_owned(), |shown| format!("{kind}, {shown}"))
        };
        let what = self.subject();
        match &self.rule {
            Rule::UnknownKey(key) => self.unknown_key(key, root, known),
            Rule::MissingKey(key) => self.missing_key(key, root, known),
            Rule::Type(_) if known.is_duration(&self.pointer) => self.no_duration(
                format!("found {}", found()),
                Some("write a text with a unit, such as `30s`").filter(|_| shown.is_some()),
                root,
                known,
            ),
            Rule::Type(types) => self.value_finding(
                ("wrong-type", format!("{what} must be {}, found {}", any_type(types), found())),
                format!("expected {}", any_type(types)),
                root,
                known,
            ),
            Rule::OneOf(options) => self.choice(options, None, shown, root, known),
            Rule::OneOfOr(options, types) => {
                self.choice(options, Some(any_type(types)), shown, root, known)
            }
            Rule::AtLeast(limit) => self.bound(&format!("at least {limit}"), shown, root, known),
            Rule::AtMost(limit) => self.bound(&format!("at most {limit}"), shown, root, known),
            Rule::Above(limit) => self.bound(&format!("greater than {limit}"), shown, root, known),
            Rule::Below(limit) => self.bound(&format!("less than {limit}"), shown, root, known),
            Rule::Fewer(limit) => self.count(value, *limit, "at least", root, known),
            Rule::More(limit) => self.count(value, *limit, "at most", root, known),
            Rule::Pattern(pattern) => self.format(pattern, value, secret, root, known),
            Rule::Other(keyword) => self.value_finding(
                ("schema-violation", format!("{what} breaks the schema's rule `{keyword}`")),
                String::new(),
                root,
                known,
            ),
        }
    }

    /// How a message names the value.
    fn subject(&self) -> String {
        let dotted = self.pointer.dotted();
        if dotted.is_empty() { "the document".to_owned() } else { format!("`{dotted}`") }
    }

    /// A finding about a value, with what the schema says about it.
    fn value_finding(
        &self,
        (code, message): (&'static str, String),
        label: String,
        root: &Node,
        known: &Known,
    ) -> Diagnostic {
        let origin = root.origin_of(&self.pointer);
        let mut finding = Diagnostic::error(code, message).at(&*origin.file, origin.place(), label);
        if let Some(description) = known.description(&self.pointer) {
            finding = finding.note(description);
        }
        finding
    }

    /// A key that the schema does not know.
    fn unknown_key(&self, key: &str, root: &Node, known: &Known) -> Diagnostic {
        let origin = root
            .at(&self.pointer)
            .and_then(|map| map.entry(key))
            .map_or_else(|| root.origin_of(&self.pointer), |entry| entry.key_origin.clone());
        let place = self.pointer.dotted();
        let inside = if place.is_empty() { String::new() } else { format!(" in `{place}`") };
        let finding = Diagnostic::error("unknown-key", format!("unknown key `{key}`{inside}")).at(
            &*origin.file,
            origin.place(),
            "not known here",
        );
        let siblings = known.keys(&self.pointer);
        let home = known.home(key);
        if let Some(nearest) = nearest(key, siblings.iter().map(String::as_str)) {
            finding.help(format!("did you mean `{nearest}`?"))
        } else if let Some(home) = home {
            finding.help(format!("did you mean `{home}`?"))
        } else if siblings.is_empty() {
            finding
        } else {
            finding.note(format!("known keys: {}", siblings.join(", ")))
        }
    }

    /// A key that is not there.
    fn missing_key(&self, key: &str, root: &Node, known: &Known) -> Diagnostic {
        let origin = root.origin_of(&self.pointer);
        let place = self.pointer.dotted();
        let inside = if place.is_empty() { String::new() } else { format!(" in `{place}`") };
        let finding = Diagnostic::error(
            "missing-key",
            format!("the key `{key}` is missing{inside}"),
        )
        .at(&*origin.file, origin.place(), format!("`{key}` is required"));
        match known.description(&self.pointer.join(key)) {
            Some(description) => finding.help(format!("add `{key}`: {description}")),
            None => finding.help(format!("add `{key}`")),
        }
    }

    /// A value that is none of a choice.
    fn choice(
        &self,
        options: &[Value],
        or: Option<String>,
        shown: Option<String>,
        root: &Node,
        known: &Known,
    ) -> Diagnostic {
        let texts: Vec<String> = options
            .iter()
            .map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned))
            .collect();
        let mut list: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        list.extend(or);
        let list = alternatives(&list);
        let value = root.at(&self.pointer);
        let found = shown.unwrap_or_else(|| value.map_or("nothing", Node::describe).to_owned());
        let message = format!("{} must be {list}, found {found}", self.subject());
        let finding =
            self.value_finding(("wrong-value", message), format!("expected {list}"), root, known);
        let given = value.and_then(Node::as_str).unwrap_or_default();
        match nearest(given, texts.iter().map(String::as_str)) {
            Some(nearest) => finding.help(format!("did you mean `{nearest}`?")),
            None => finding,
        }
    }

    /// A number outside its bounds.
    fn bound(&self, bound: &str, shown: Option<String>, root: &Node, known: &Known) -> Diagnostic {
        let found = shown.unwrap_or_default();
        let message = format!("{} must be {bound}, found {found}", self.subject());
        self.value_finding(("out-of-range", message), format!("must be {bound}"), root, known)
    }

    /// A text, list or mapping that holds too much or too little.
    fn count(
        &self,
        value: Option<&Node>,
        limit: u64,
        bound: &str,
        root: &Node,
        known: &Known,
    ) -> Diagnostic {
        let (unit, found) = match value.map(|value| &value.kind) {
            Some(Kind::List(items)) => ("item", items.len()),
            Some(Kind::Map(entries)) => ("key", entries.len()),
            Some(Kind::String(text)) => ("character", text.chars().count()),
            _ => ("item", 0),
        };
        let plural = if limit == 1 { "" } else { "s" };
        let rule = format!("hold {bound} {limit} {unit}{plural}");
        let message = format!("{} must {rule}, found {found}", self.subject());
        self.value_finding(("out-of-range", message), format!("must {rule}"), root, known)
    }

    /// A value that is no duration.
    fn no_duration(
        &self,
        why: String,
        help: Option<&str>,
        root: &Node,
        known: &Known,
    ) -> Diagnostic {
        let message = format!("{} must be a duration: {why}", self.subject());
        let label = "expected a duration such as 250ms, 30s or 4h".to_owned();
        let mut finding = self.value_finding(("wrong-format", message), label, root, known);
        finding.help = help.map(str::to_owned);
        finding
    }

    /// A text that does not match its expression.
    fn format(
        &self,
        pattern: &str,
        value: Option<&Node>,
        secret: bool,
        root: &Node,
        known: &Known,
    ) -> Diagnostic {
        let text = value.and_then(Node::as_str).unwrap_or_default();
        let what = self.subject();
        if pattern == HumanDuration::PATTERN {
            let why = text
                .parse::<HumanDuration>()
                .map_or_else(|error| error.to_string(), |_| format!("`{text}` is no duration"));
            return self.no_duration(why, None, root, known);
        }
        let found = if secret { String::new() } else { format!(", found {}", quote(text)) };
        self.value_finding(
            ("wrong-format", format!("{what} must match `{pattern}`{found}")),
            "has another form".to_owned(),
            root,
            known,
        )
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
