//! Text to located tree.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Number;
use serde_yaml::Spanned;

use crate::diagnostics::Diagnostic;

use super::error::{self, Hazard};
use super::node::{Entry, Kind, Node, Origin};

/// Deepest nesting of lists and mappings.
pub(super) const MAX_DEPTH: usize = 48;
/// Most values of one document, those that aliases repeat included.
pub(super) const MAX_NODES: usize = 100_000;

/// What parsing gave.
#[derive(Debug)]
pub struct Parsed {
    /// The tree; absent when the text is no YAML document.
    pub root: Option<Node>,
    /// What is wrong with it, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses one YAML document. Never panics and takes bounded time and memory, whatever the text.
pub fn parse(file: &Arc<Path>, text: &str) -> Parsed {
    let mut build = Builder { file, text, diagnostics: Vec::new() };
    let root = match serde_yaml::from_str_with_options::<Spanned<Raw>>(text, options()) {
        Ok(raw) => Some(build.node(raw)),
        Err(error) => {
            build.diagnostics.push(error::from_parser(&error, file, text));
            None
        }
    };
    Parsed { root, diagnostics: build.diagnostics }
}

/// YAML 1.2 core scalars, strict tags, bounded expansion.
fn options() -> serde_yaml::Options {
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_events: 4 * MAX_NODES,
            max_aliases: 10_000,
            max_anchors: 10_000,
            max_documents: 1,
            max_total_scalar_bytes: 16 << 20,
        },
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: 2 * MAX_NODES,
            max_replay_stack_depth: 16,
        },
        duplicate_keys: serde_yaml::options::DuplicateKeyPolicy::PassThrough,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: serde_yaml::options::NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// A value as the parser hands it over.
enum Raw {
    Null,
    Bool(bool),
    Number(Number),
    /// Written as a number, but not finite or beyond 64 bits.
    NoNumber,
    String(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

/// Takes whatever comes.
struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Raw, E> {
        Ok(Number::from_i128(value).map_or(Raw::NoNumber, Raw::Number))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Raw, E> {
        Ok(Number::from_u128(value).map_or(Raw::NoNumber, Raw::Number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Number::from_f64(value).map_or(Raw::NoNumber, Raw::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Raw, E> {
        Ok(Raw::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

/// Turns raw values into nodes and collects findings.
struct Builder<'a> {
    file: &'a Arc<Path>,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl Builder<'_> {
    /// The node of a raw value; recursion is bounded by [`MAX_DEPTH`].
    fn node(&mut self, raw: Spanned<Raw>) -> Node {
        let origin = self.origin(raw.defined);
        let kind = match raw.value {
            Raw::Null => Kind::Null,
            Raw::Bool(value) => Kind::Bool(value),
            Raw::Number(value) if !(value.is_f64() && self.is_whole(&origin.span)) => {
                Kind::Number(value)
            }
            Raw::Number(_) | Raw::NoNumber => {
                self.report(Hazard::Number, &origin);
                Kind::Null
            }
            Raw::String(value) => Kind::String(value),
            Raw::List(items) => Kind::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => Kind::Map(self.entries(entries)),
        };
        Node::new(kind, origin)
    }

    /// The entries of a mapping; the first of duplicates wins, the others are reported.
    fn entries(&mut self, raw: Vec<(Spanned<Raw>, Spanned<Raw>)>) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::with_capacity(raw.len());
        let mut known = std::collections::BTreeMap::new();
        for (raw_key, raw_value) in raw {
            let key_origin = self.origin(raw_key.defined);
            let value = self.node(raw_value);
            let Raw::String(key) = raw_key.value else {
                self.report(Hazard::Key, &key_origin);
                continue;
            };
            if let Some(first) = known.get(&key) {
                let first: &Origin = first;
                let finding = error::duplicate_key(&key, &key_origin, first);
                self.diagnostics.push(finding);
                continue;
            }
            known.insert(key.clone(), key_origin.clone());
            entries.push(Entry { key, key_origin, value });
        }
        entries
    }

    /// The origin of a parser's location.
    fn origin(&self, location: serde_yaml::Location) -> Origin {
        Origin { file: Arc::clone(self.file), span: error::span(location, self.text) }
    }

    /// Whether the text is a whole number, which the parser made a float because it is too large.
    fn is_whole(&self, span: &Range<usize>) -> bool {
        let text = self.text.get(span.clone()).unwrap_or_default().trim_start_matches(['-', '+']);
        text.len() > 15 && text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Adds the finding of a hazard.
    fn report(&mut self, hazard: Hazard, origin: &Origin) {
        self.diagnostics.push(error::hazard(hazard, origin));
    }
}
