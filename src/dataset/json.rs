//! JSON values of a row, looked at without copying them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::findings::excerpt;

/// The most members of an object, or elements of an array, that are looked at: far above any
/// honest row, and a bound on what a hostile one makes of its bytes.
const MAX_PARTS: usize = 10_000;

/// Why a value cannot be used; a sentence without its subject.
pub(super) type Unfit = String;

/// What kind of value this is, for messages.
pub(super) fn kind(raw: &RawValue) -> &'static str {
    match raw.get().as_bytes().first() {
        Some(b'"') => "text",
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// `is a number (`5`), expected text`
fn mismatch(raw: &RawValue, expected: &str) -> Unfit {
    match kind(raw) {
        "null" => format!("is null, expected {expected}"),
        found => format!("is {found} ({}), expected {expected}", excerpt(raw.get())),
    }
}

/// The text of a string.
pub(super) fn text(raw: &RawValue) -> Result<String, Unfit> {
    borrowed_text(raw).map(Cow::into_owned)
}

/// The text of a string, borrowed where it holds no escapes.
pub(super) fn borrowed_text(raw: &RawValue) -> Result<Cow<'_, str>, Unfit> {
    if kind(raw) != "text" {
        return Err(mismatch(raw, "text"));
    }
    let inner = &raw.get()[1..raw.get().len() - 1];
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(inner));
    }
    unescape(inner).map(Cow::Owned).ok_or_else(|| {
        "holds half of a surrogate pair (a `\\ud800`-like escape), which is no character".to_owned()
    })
}

/// The text of a string's inside whose syntax was checked before; none where an escape stands for
/// half a character. Texts are most of a data set, and a general parser takes twice as long.
fn unescape(inner: &str) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let (c, length) = match rest.as_bytes().get(at + 1)? {
            b'n' => ('\n', 2),
            b't' => ('\t', 2),
            b'r' => ('\r', 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            b'u' => unescape_unit(&rest[at..])?,
            // The three that stand for themselves.
            byte => (char::from(*byte), 2),
        };
        out.push(c);
        rest = rest.get(at + length..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// The character of a `\u` escape, or of two that make a surrogate pair, and its length.
fn unescape_unit(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u32::from_str_radix(text.get(at..at + 4)?, 16).ok();
    let high = unit(2)?;
    if let Some(c) = char::from_u32(high) {
        return Some((c, 6));
    }
    let low = if text.get(6..8) == Some("\\u") { unit(8)? } else { return None };
    let paired = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let joined = paired.then(|| 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((char::from_u32(joined)?, 12))
}

/// A whole number of at least 1.
pub(super) fn positive(raw: &RawValue) -> Result<u64, Unfit> {
    match raw.get().parse() {
        Ok(number) if number >= 1 => Ok(number),
        _ => Err(mismatch(raw, "a whole number of at least 1")),
    }
}

/// A number.
pub(super) fn number(raw: &RawValue) -> Result<f64, Unfit> {
    if kind(raw) != "a number" {
        return Err(mismatch(raw, "a number"));
    }
    // Infinite where it does not fit.
    raw.get().parse().map_err(|_| mismatch(raw, "a number"))
}

/// A boolean.
pub(super) fn boolean(raw: &RawValue) -> Result<bool, Unfit> {
    serde_json::from_str(raw.get()).map_err(|_| mismatch(raw, "true or false"))
}

/// The elements of an array.
pub(super) fn array(raw: &RawValue) -> Result<Vec<&RawValue>, Unfit> {
    if kind(raw) != "an array" {
        return Err(mismatch(raw, "an array"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    deserializer.deserialize_seq(ElementsVisitor).map_err(|_| too_many("elements"))
}

fn too_many(parts: &str) -> Unfit {
    format!("has more than {MAX_PARTS} {parts}")
}

/// The members of an object.
pub(super) fn object(raw: &RawValue) -> Result<Members<'_>, Unfit> {
    if kind(raw) != "an object" {
        return Err(mismatch(raw, "an object"));
    }
    Members::parse(raw.get()).map_err(|_| too_many("members"))
}

/// The members of an object in their order, duplicates included.
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Parses the text of one object.
    pub(super) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let members = deserializer.deserialize_map(MembersVisitor)?;
        deserializer.end()?;
        Ok(members)
    }

    /// The first member with this name that is not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, raw)| key == name && raw.get() != "null").map(|(_, raw)| *raw)
    }

    /// All members.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(key, raw)| (&**key, *raw))
    }
}

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            if elements.len() == MAX_PARTS {
                return Err(A::Error::custom(too_many("elements")));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(8);
        while let Some(Key(key)) = map.next_key()? {
            if members.len() == MAX_PARTS {
                return Err(A::Error::custom(too_many("members")));
            }
            members.push((key, map.next_value()?));
        }
        Ok(Members(members))
    }
}

/// A member's name; serde borrows no `Cow` by itself.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Half surrogates, pairs, and everything else, as a general parser reads them.
        #[test]
        fn unescapes_as_serde_json_does(
            inner in r#"([a-zé😀 ]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}){0,12}"#,
        ) {
            let expected = serde_json::from_str::<String>(&format!("\"{inner}\"")).ok();
            prop_assert_eq!(unescape(&inner), expected);
        }
    }
}
