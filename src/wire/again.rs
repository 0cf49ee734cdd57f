//! Chunks that differ from the last one in their text alone.

use memchr::memchr2;

/// Where the text of a chunk belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The answer.
    Content,
    /// The reasoning.
    Reasoning,
    /// The arguments of the tool call at this position.
    Arguments(u32),
}

/// What stood around the text of a chunk, to know the next one by.
///
/// A server writes hundreds of chunks that are equal but for a few letters. Where the bytes before
/// and behind are those of a chunk that was parsed, and what stands between them is the inside of a
/// JSON string, then so is the whole: after the same bytes a parser stands inside the same string,
/// and leaves it at the same quote.
#[derive(Debug, Default)]
pub(super) struct Again {
    before: Vec<u8>,
    behind: Vec<u8>,
    place: Option<Place>,
}

impl Again {
    /// Remembers a chunk whose only text is `text`, unless `text` is not a part of `data` since it
    /// had escapes.
    pub(super) fn learn(&mut self, data: &[u8], text: &str, place: Place) {
        let start = (text.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize);
        let end = start.wrapping_add(text.len());
        let quoted =
            start > 0 && data.get(start - 1) == Some(&b'"') && data.get(end) == Some(&b'"');
        if text.is_empty() || !quoted || data.get(start..end) != Some(text.as_bytes()) {
            return;
        }
        self.before.clear();
        self.before.extend_from_slice(&data[..start]);
        self.behind.clear();
        self.behind.extend_from_slice(&data[end..]);
        self.place = Some(place);
    }

    /// The text of a chunk that differs from the remembered one in nothing else; none where that
    /// cannot be told without parsing it.
    pub(super) fn text<'a>(&self, data: &'a [u8]) -> Option<(&'a str, Place)> {
        let place = self.place?;
        let text = data.strip_prefix(&*self.before)?.strip_suffix(&*self.behind)?;
        let plain = memchr2(b'"', b'\\', text).is_none() && text.iter().all(|byte| *byte >= b' ');
        if text.is_empty() || !plain {
            return None;
        }
        Some((str::from_utf8(text).ok()?, place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(data: &str, text: &str) -> Again {
        let at = data.find(text).unwrap();
        let mut again = Again::default();
        again.learn(data.as_bytes(), &data[at..at + text.len()], Place::Content);
        again
    }

    #[test]
    fn only_the_text_may_differ() {
        let again = known(r#"{"n":1,"content":"abc"}"#, "abc");
        let text = |data: &'static str| again.text(data.as_bytes()).map(|(text, _)| text);
        assert_eq!(text(r#"{"n":1,"content":"größer"}"#), Some("größer"));
        for other in [
            r#"{"n":2,"content":"abc"}"#,
            r#"{"n":1,"content":""}"#,
            r#"{"n":1,"content":"a\n"}"#,
            r#"{"n":1,"content":"a","more":"b"}"#,
            r#"{"n":1,"content":"abc"} "#,
            "{\"n\":1,\"content\":\"a\tb\"}",
            r#"{"n":1,"content":"}"#,
        ] {
            assert_eq!(text(other), None, "{other}");
        }
        assert_eq!(again.text(b"{\"n\":1,\"content\":\"\xff\"}"), None);
        assert_eq!(Again::default().text(b""), None);
    }

    #[test]
    fn a_text_from_elsewhere_teaches_nothing() {
        let mut again = Again::default();
        again.learn(br#"{"content":"abc"}"#, &String::from("abc"), Place::Content);
        assert_eq!(again.text(br#"{"content":"abc"}"#), None);
        let mut again = known(r#"{"content":"abc"}"#, "abc");
        again.learn(br#"{"content":"a\n"}"#, "a\n", Place::Content);
        assert_eq!(again.text(br#"{"content":"b"}"#), Some(("b", Place::Content)));
    }

    proptest! {
        /// Whatever follows a known chunk, the text found is the one that a parser finds.
        #[test]
        fn a_text_found_is_the_one_that_a_parser_finds(
            first in "[a-z]{1,8}", next in "[ -~ä\\x00-\\x1f]{0,12}", tail in "[a-z\",:]{0,6}",
        ) {
            let chunk = |text: &str, tail: &str| format!(r#"{{"id":"x","content":"{text}"{tail}}}"#);
            let again = known(&chunk(&first, ""), &first);
            let data = chunk(&next, &tail);
            if let Some((found, _)) = again.text(data.as_bytes()) {
                let parsed: serde_json::Value = serde_json::from_str(&data).unwrap();
                prop_assert_eq!(parsed["content"].as_str(), Some(found));
            }
        }
    }
}
