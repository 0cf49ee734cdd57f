//! Paths into a tree.

use std::borrow::Cow;
use std::fmt;

use super::node::{Entry, Kind, Node, Origin};

/// A path into a tree: a JSON pointer (RFC 6901), one segment per level.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointer(Vec<String>);

impl Pointer {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a JSON pointer; segments that are not escaped rightly are taken as they are.
    pub fn parse(pointer: &str) -> Self {
        let unescape = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
        Self(pointer.split('/').skip(1).map(unescape).collect())
    }

    /// The segments from the root down.
    pub fn segments(&self) -> &[String] {
        &self.0
    }

    /// This path with one more segment.
    #[must_use]
    pub fn join(&self, segment: impl fmt::Display) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment.to_string());
        Self(segments)
    }

    /// The path as people write it: `datasets[0].path`; empty for the root. Of a key with blanks only
    /// the first word, for it may be a key and a value whose colon is missing, and the value a
    /// secret.
    pub fn dotted(&self) -> String {
        let mut text = String::new();
        for segment in &self.0 {
            if segment.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
                text.extend(["[", segment, "]"]);
            } else {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&first_word(segment));
            }
        }
        text
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|segment| write!(f, "/{}", segment.replace('~', "~0").replace('/', "~1")))
    }
}

/// A key for a message: its first word, and dots for the others.
pub(super) fn first_word(key: &str) -> Cow<'_, str> {
    match key.split_whitespace().next() {
        Some(first) if first != key => Cow::Owned(format!("{first} ...")),
        _ => Cow::Borrowed(key),
    }
}

impl Node {
    /// The value at a path.
    pub fn at(&self, pointer: &Pointer) -> Option<&Self> {
        pointer.segments().iter().try_fold(self, |node, segment| match &node.kind {
            Kind::Map(_) => node.get(segment),
            Kind::List(items) => items.get(segment.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The value at a path, to change it.
    pub fn at_mut(&mut self, pointer: &Pointer) -> Option<&mut Self> {
        pointer.segments().iter().try_fold(self, |node, segment| match &mut node.kind {
            Kind::Map(entries) => {
                entries.iter_mut().find(|entry| entry.key == *segment).map(|entry| &mut entry.value)
            }
            Kind::List(items) => items.get_mut(segment.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// The best place to show for the value at a path: a scalar itself, else the key of a list or
    /// mapping, else of the nearest level above that exists.
    pub fn origin_of(&self, pointer: &Pointer) -> Origin {
        let mut best = self.origin.clone();
        let mut node = self;
        for segment in pointer.segments() {
            let next = match &node.kind {
                Kind::Map(_) => node.entry(segment).map(|Entry { key_origin, value, .. }| {
                    best = key_origin.clone();
                    value
                }),
                Kind::List(items) => segment.parse().ok().and_then(|i: usize| items.get(i)),
                _ => None,
            };
            let Some(next) = next else { return best };
            node = next;
            if let Kind::List(_) | Kind::Map(_) = node.kind {
                if let Some(entry) = node.entries().first().filter(|_| is_index(segment)) {
                    best = entry.key_origin.clone();
                }
            } else if !node.origin.span.is_empty() {
                best = node.origin.clone();
            }
        }
        best
    }
}

/// Whether a segment is a position in a list.
fn is_index(segment: &str) -> bool {
    segment.bytes().all(|byte| byte.is_ascii_digit())
}
