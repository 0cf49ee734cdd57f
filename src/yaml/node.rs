//! The located tree.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde_json::Number;

use crate::diagnostics::Place;

use super::pointer::Pointer;

/// Where a key or a value was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, as findings name it.
    pub file: Arc<Path>,
    /// The bytes of the file's text.
    pub span: Range<usize>,
}

impl Origin {
    /// The place for a label.
    pub fn place(&self) -> Place {
        Place::Span(self.span.clone())
    }
}

/// A value with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub kind: Kind,
    /// Where it was written. Of a list or mapping: its start, without length.
    pub origin: Origin,
    /// The text of a scalar whose type the author did not choose, because it came from a variable
    /// or the command line: it takes the type that the schema asks for.
    pub loose: Option<String>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`, `~` or nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A text.
    String(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping in the order written; keys are unique.
    Map(Vec<Entry>),
}

/// One entry of a mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key was written.
    pub key_origin: Origin,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node without children whose type is fixed.
    pub fn new(kind: Kind, origin: Origin) -> Self {
        Self { kind, origin, loose: None }
    }

    /// The entries of a mapping; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The entry of a mapping under a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value of a mapping under a key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        match &self.kind {
            Kind::List(items) => items,
            _ => &[],
        }
    }

    /// The text of a text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// Moves every origin by this many bytes, for a document that is a part of a longer text.
    pub fn shift(&mut self, bytes: usize) {
        let shift = |origin: &mut Origin| {
            origin.span = origin.span.start + bytes..origin.span.end + bytes;
        };
        shift(&mut self.origin);
        match &mut self.kind {
            Kind::List(items) => items.iter_mut().for_each(|item| item.shift(bytes)),
            Kind::Map(entries) => entries.iter_mut().for_each(|entry| {
                shift(&mut entry.key_origin);
                entry.value.shift(bytes);
            }),
            _ => {}
        }
    }

    /// Calls a function with every value below this one and its path, parents first.
    pub fn visit<'a>(&'a self, path: &Pointer, visitor: &mut dyn FnMut(&Pointer, &'a Self)) {
        visitor(path, self);
        for (i, item) in self.items().iter().enumerate() {
            item.visit(&path.join(i), visitor);
        }
        for entry in self.entries() {
            entry.value.visit(&path.join(&entry.key), visitor);
        }
    }

    /// Calls a function with every value below this one and its path, parents first, to change
    /// it.
    pub fn visit_mut(&mut self, path: &Pointer, visitor: &mut dyn FnMut(&Pointer, &mut Self)) {
        visitor(path, self);
        match &mut self.kind {
            Kind::List(items) => {
                for (i, item) in items.iter_mut().enumerate() {
                    item.visit_mut(&path.join(i), visitor);
                }
            }
            Kind::Map(entries) => {
                for entry in entries {
                    entry.value.visit_mut(&path.join(&entry.key), visitor);
                }
            }
            _ => {}
        }
    }

    /// What kind of value it is, for a message.
    pub fn describe(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }
}
