//! The intent that a reply names.

use memchr::{memchr, memrchr};

use super::python::{is_digit, is_space, is_word};
use super::work::Work;

/// The intent of a reply, such as `I042`: the first `intent: I042` of the reasoning, then of the
/// content; where neither has one, the last bare `I042` of the reasoning, then of the content.
pub(super) fn of_reply(reasoning: &str, content: &str, work: &mut Work) -> Option<String> {
    let fields = [reasoning, content];
    fields
        .iter()
        .find_map(|text| first_named(text, work))
        .or_else(|| fields.iter().find_map(|text| last_bare(text, work)))
}

/// The code behind the first `intent:`, in any case and with any white space between.
fn first_named(text: &str, work: &mut Work) -> Option<String> {
    let mut from = 0;
    while let Some(offset) = memchr(b':', &text.as_bytes()[from..]) {
        work.steps(offset + 1);
        let colon = from + offset;
        from = colon + 1;
        if !ends_in_word_intent(&text[..colon]) {
            continue;
        }
        let code = text[from..].trim_start_matches(is_space);
        // Blanks are walked once: no two colons share the blanks behind them.
        work.steps(text.len() - from - code.len());
        let mut chars = code.chars();
        if chars.next().is_some_and(is_any_i)
            && let Some(end) = bounded_digits(chars.as_str())
        {
            let length = code.len() - chars.as_str().len() + end;
            return Some(code[..length].to_uppercase());
        }
    }
    work.steps(text.len() - from);
    None
}

/// Whether a text ends in `intent`, in any case, with no word character before it.
fn ends_in_word_intent(text: &str) -> bool {
    let mut chars = text.chars().rev();
    let tail = ['t', 'n', 'e', 't', 'n'];
    tail.into_iter().all(|c| chars.next().is_some_and(|found| found.eq_ignore_ascii_case(&c)))
        && chars.next().is_some_and(is_any_i)
        && !chars.next().is_some_and(is_word)
}

/// What the letter i matches in any case: Python adds the two Turkish ones.
fn is_any_i(c: char) -> bool {
    matches!(c, 'i' | 'I' | 'İ' | 'ı')
}

/// The last word that is a capital `I` and three digits.
fn last_bare(text: &str, work: &mut Work) -> Option<String> {
    let mut to = text.len();
    while let Some(at) = memrchr(b'I', &text.as_bytes()[..to]) {
        work.steps(to - at);
        to = at;
        if text[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        if let Some(end) = bounded_digits(&text[at + 1..]) {
            return Some(text[at..=at + end].to_owned());
        }
    }
    work.steps(to);
    None
}

/// The length of the three digits that `text` starts with; none unless there are three and no word
/// character follows.
fn bounded_digits(text: &str) -> Option<usize> {
    let mut chars = text.chars();
    for _ in 0..3 {
        chars.next().filter(|c| is_digit(*c))?;
    }
    let length = text.len() - chars.as_str().len();
    (!chars.next().is_some_and(is_word)).then_some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn intent(reasoning: &str, content: &str) -> Option<String> {
        of_reply(reasoning, content, &mut Work::default())
    }

    #[test]
    fn named_intents() {
        let cases = [
            ("intent: I042", Some("I042")),
            ("INTENT:i042.", Some("I042")),
            ("Intent:\n\t I042", Some("I042")),
            ("intent:\u{3000}I042", Some("I042")),
            ("intent: I001 intent: I002", Some("I001")),
            ("intent: none, intent: I002", Some("I002")),
            ("intent:intent: I002", Some("I002")),
            ("(intent:I002)", Some("I002")),
            ("the-intent: I002", Some("I002")),
            ("→intent: I002", Some("I002")),
            // A named one goes before a later bare one.
            ("intent: I001 … I009", Some("I001")),
            // Not named, but bare.
            ("my_intent: I002", Some("I002")),
            ("intents: I002", Some("I002")),
            ("intent I002", Some("I002")),
            ("intent : I002", Some("I002")),
            ("**intent**: I002", Some("I002")),
            ("intent: \"I002\"", Some("I002")),
            // Neither.
            ("intent: I0042", None),
            ("intent: I42", None),
            ("intent: I042x", None),
            ("intent: i42", None),
            ("myintent: i002", None),
            ("éintent: i002", None),
            ("intent: I042_", None),
            ("intent:", None),
            ("", None),
            // What Python's case folding and digits add.
            ("ıntent: ı042", Some("I042")),
            ("İNTENT: İ042", Some("İ042")),
            ("intent: I٠٤٢", Some("I٠٤٢")),
        ];
        for (text, expected) in cases {
            assert_eq!(intent("", text).as_deref(), expected, "{text}");
            assert_eq!(intent(text, "").as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn bare_intents() {
        let cases = [
            ("I001, then I002.", Some("I002")),
            ("I001 i002", Some("I001")),
            ("I001I002", None),
            ("xI001 I00 I0011 I001é _I001", None),
            ("-I001-", Some("I001")),
            ("I001\u{301}", Some("I001")),
            ("中I001", None),
            ("I001中", None),
            ("III001 II001", None),
        ];
        for (text, expected) in cases {
            assert_eq!(intent("", text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn reasoning_goes_before_content_and_named_before_bare() {
        assert_eq!(intent("intent: I001", "intent: I002").as_deref(), Some("I001"));
        assert_eq!(intent("I001", "intent: I002").as_deref(), Some("I002"));
        assert_eq!(intent("I001", "I002").as_deref(), Some("I001"));
        assert_eq!(intent("none", "I002").as_deref(), Some("I002"));
    }

    #[test]
    fn hostile_texts_cost_linear_work() {
        for unit in ["intent:", "intent: ", "I", "I00", ":", "intent:\n\n\n", "I001x", "é:"] {
            let text = unit.repeat(100_000);
            let mut work = Work::default();
            of_reply(&text, &text, &mut work);
            assert!(work.total() <= 6 * text.len() as u64, "{unit:?} {work:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_works_linearly(
            text in "\\PC{0,200}|([iIİı]ntent|:| |I|0|1|é|x|\n|中){0,60}",
        ) {
            let mut work = Work::default();
            let found = of_reply(&text, &text, &mut work);
            prop_assert!(work.total() <= 6 * text.len() as u64);
            if let Some(found) = found {
                prop_assert_eq!(found.chars().count(), 4);
            }
        }

        #[test]
        fn a_named_code_is_found(code in "I[0-9]{3}", before in "[a-z I0-9.]{0,20}[ .]") {
            prop_assert_eq!(intent("", &format!("{before}intent: {code}")), Some(code));
        }
    }
}
