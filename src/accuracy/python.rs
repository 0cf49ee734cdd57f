//! Characters and numbers as the reference scorer, a Python program, takes them.

use std::sync::LazyLock;

use regex::Regex;

/// What `\s` matches and `str.split` splits at: Unicode's white space and four control characters.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// What `\d` matches: any script's decimal digits.
pub(super) fn is_digit(c: char) -> bool {
    static DIGIT: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{Nd}"));
    c.is_ascii_digit() || (!c.is_ascii() && matches(&DIGIT, c))
}

/// What `\w` matches: letters, numbers and the underscore, but no combining marks.
pub(super) fn is_word(c: char) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| class(r"^[\p{L}\p{N}]"));
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && matches(&WORD, c))
}

/// `round(value, 4)`: the nearest number with four decimals, by the exact binary value and with
/// ties to even, which is also how Rust prints.
pub(super) fn round4(value: f64) -> f64 {
    format!("{value:.4}").parse().unwrap_or(value)
}

/// `round(value, 3)`.
pub(super) fn round3(value: f64) -> f64 {
    format!("{value:.3}").parse().unwrap_or(value)
}

fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern that tests compile")
}

fn matches(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_pythons() {
        for c in ['\t', '\n', '\u{1c}', '\u{1f}', ' ', '\u{85}', '\u{a0}', '\u{2003}', '\u{3000}'] {
            assert!(is_space(c), "{c:?}");
        }
        assert!(!is_space('\u{200b}') && !is_space('\u{1b}') && !is_space('\u{feff}'));
        assert!(is_digit('7') && is_digit('٣') && is_digit('０'));
        assert!(!is_digit('²') && !is_digit('Ⅳ') && !is_digit('x'));
        assert!(is_word('_') && is_word('é') && is_word('中') && is_word('²') && is_word('Ⅳ'));
        // A combining vowel sign is alphabetic to Unicode, yet no letter to Python.
        assert!(!is_word('\u{93e}') && '\u{93e}'.is_alphanumeric());
        assert!(!is_word('-') && !is_word('→') && !is_word('\u{301}'));
    }

    #[test]
    fn rounds_half_to_even_by_the_exact_value() {
        let cases = [
            (0.03125, 0.0312),
            (0.09375, 0.0938),
            (0.66665, 0.6666),
            (0.12345, 0.1235),
            (2.0 / 3.0, 0.6667),
            (0.99995, 1.0),
            (0.0, 0.0),
        ];
        for (value, rounded) in cases {
            assert_eq!(round4(value).to_bits(), f64::to_bits(rounded), "{value}");
        }
        assert_eq!(round3(0.705_037_168).to_bits(), f64::to_bits(0.705));
    }
}
