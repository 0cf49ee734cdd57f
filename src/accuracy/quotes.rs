//! Blanking the quoted parts of a shell command.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

use super::work::Work;

/// The command with every quoted part, its quotes included, replaced by one blank.
///
/// `'…'` and `` `…` `` end at the next such quote. `"…"` skips escaped characters, but an escaped
/// line break cannot stand in it. A quote without an end is an ordinary character, and the search
/// goes on behind it.
pub(super) fn blank<'a>(command: &'a str, work: &mut Work) -> Cow<'a, str> {
    let bytes = command.as_bytes();
    let mut dead = Dead::default();
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(offset) = memchr3(b'\'', b'"', b'`', &bytes[at..]) {
        work.steps(offset + 1);
        let open = at + offset;
        let close = match bytes[open] {
            b'"' => double_quote_end(bytes, open + 1, &mut dead, work),
            quote => single_quote_end(bytes, open + 1, quote, work),
        };
        at = open + 1;
        if let Some(close) = close {
            out.push_str(&command[copied..open]);
            out.push(' ');
            at = close + 1;
            copied = at;
        }
    }
    work.steps(bytes.len() - at);
    if copied == 0 {
        return Cow::Borrowed(command);
    }
    out.push_str(&command[copied..]);
    Cow::Owned(out)
}

/// Where the part that started before `start` ends: at the next `quote`.
///
/// A search that fails found no such quote up to the end, so there is none to start another.
fn single_quote_end(bytes: &[u8], start: usize, quote: u8, work: &mut Work) -> Option<usize> {
    let end = memchr(quote, &bytes[start..]);
    work.steps(end.unwrap_or(bytes.len() - start));
    end.map(|offset| start + offset)
}

/// Places from which a search for the end of a double-quoted part is known to fail.
///
/// Escaped quotes make such searches overlap: `"\"\"\"…` without an end would cost a square of its
/// length. Searches from the same place go the same way, so each place is walked once.
#[derive(Default)]
struct Dead(Vec<bool>);

impl Dead {
    fn contains(&self, at: usize) -> bool {
        self.0.get(at).is_some_and(|dead| *dead)
    }

    fn insert(&mut self, at: usize, len: usize) {
        if self.0.is_empty() {
            self.0.resize(len, false);
        }
        if let Some(dead) = self.0.get_mut(at) {
            *dead = true;
        }
    }
}

/// Where the double-quoted part whose inside starts at `start` ends.
fn double_quote_end(bytes: &[u8], start: usize, dead: &mut Dead, work: &mut Work) -> Option<usize> {
    let mut at = start;
    while let Some(next) = after(bytes, at).filter(|_| !dead.contains(at)) {
        work.step();
        if bytes[at] == b'"' {
            return Some(at);
        }
        at = next;
    }
    let failed = at;
    at = start;
    while at < failed {
        work.step();
        dead.insert(at, bytes.len());
        at = after(bytes, at).unwrap_or(failed);
    }
    None
}

/// The place behind the character at `at`, an escape counting as one; none where the part cannot
/// go on: at the end, or at an escaped line break.
fn after(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        // Behind the first byte of a longer character stand bytes that mean nothing here.
        b'\\' => bytes.get(at + 1).filter(|escaped| **escaped != b'\n').map(|_| at + 2),
        _ => Some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn blanked(command: &str) -> String {
        blank(command, &mut Work::default()).into_owned()
    }

    #[test]
    fn quoting_rules() {
        let cases = [
            ("ls", "ls"),
            ("", ""),
            ("echo 'a; b' | wc", "echo   | wc"),
            ("echo \"a | b\"", "echo  "),
            ("echo `date; ls`", "echo  "),
            // Escapes count inside double quotes only.
            (r#"echo "a \" ; b" c"#, "echo   c"),
            (r#"echo "a \\" ; b"#, "echo   ; b"),
            (r"echo 'a \' ; b'", "echo   ; b'"),
            (r#"echo \"a"#, r#"echo \"a"#),
            // Quotes inside other quotes are text.
            (r#"bash -c "echo 'x' && ls""#, "bash -c  "),
            (r#"bash -c 'echo "x" && ls'"#, "bash -c  "),
            (r#"echo "it's" 'a "b'"#, "echo    "),
            ("echo \"`ls`\"", "echo  "),
            // Without an end: an ordinary character.
            ("echo 'a b", "echo 'a b"),
            ("don't say \"x\" it's", "don s"),
            ("don't say \"x\" it", "don't say   it"),
            ("\"a 'b' ", "\"a   "),
            ("\"", "\""),
            ("\"\\", "\"\\"),
            ("''\"\"``", "   "),
            // Line breaks may stand in quotes, but not escaped in double quotes.
            ("echo 'a\nb' c", "echo   c"),
            ("echo \"a\nb\" c", "echo   c"),
            ("echo \"a\\\nb\" c", "echo \"a\\\nb\" c"),
            ("echo \"a\\\nb\" c\"", "echo \"a\\\nb "),
            ("echo \"é\\é\" 'ü' ö", "echo     ö"),
        ];
        for (command, expected) in cases {
            assert_eq!(blanked(command), expected, "{command:?}");
        }
    }

    /// Every search failing, each overlapping the one before it.
    #[test]
    fn unclosed_escaped_quotes_cost_linear_work() {
        for tail in ["", "\\", "\\\n"] {
            for unit in ["\\\"", "\"\\\"\\", "a\\\"", "\"\\\\\\", "\\\"\\'\\`"] {
                let command = format!("\"{}{tail}", unit.repeat(20_000));
                let mut work = Work::default();
                blank(&command, &mut work);
                assert!(work.total() <= 6 * command.len() as u64, "{unit:?} {tail:?} {work:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn work_is_linear_and_nothing_panics(command in "[\\\\\"'`\na é]{0,200}") {
            let mut work = Work::default();
            let out = blank(&command, &mut work);
            prop_assert!(out.len() <= command.len());
            prop_assert!(work.total() <= 6 * command.len() as u64);
        }
    }
}
