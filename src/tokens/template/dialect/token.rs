//! The tokens inside a tag, as Jinja2's lexer sees them.

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier or keyword.
    Name(String),
    /// A text literal's value.
    Text(String),
    /// A number literal as minijinja reads it.
    Number(String),
    /// An operator or bracket.
    Operator(&'static str),
}

/// What is wrong, and the byte where.
pub(super) type LexError = (usize, String);

/// How many tokens a tag may have; real ones have up to 100.
const MAX_TOKENS: usize = 4096;

/// Longest first, so that the first match is the right one.
const OPERATORS: [&str; 27] = [
    "**", "//", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
    ">", "<", "=", ".", ":", "|", ",", ";", "!",
];

/// Reads tokens from byte `at` of `source` until `end` (`%}` or `}}`) outside brackets; gives the
/// tokens, the marker in front of the end (`-`, `+` or nothing) and the byte behind the end.
pub(super) fn tag(
    source: &str,
    mut at: usize,
    end: &str,
) -> Result<(Vec<Token>, &'static str, usize), LexError> {
    let mut tokens = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        let rest = trimmed;
        if rest.is_empty() {
            return Err((at, format!("the tag does not end with {end}")));
        }
        if open.is_empty()
            && let Some(marker) = end_marker(rest, end)
        {
            return Ok((tokens, marker, at + marker.len() + end.len()));
        }
        let (token, length) = next(rest, tokens.last()).map_err(|message| (at, message))?;
        if let Token::Operator(operator) = token {
            balance(operator, &mut open).map_err(|message| (at, message))?;
        }
        tokens.push(token);
        at += length;
        if tokens.len() > MAX_TOKENS {
            return Err((at, format!("the tag has more than {MAX_TOKENS} parts")));
        }
    }
}

fn end_marker(rest: &str, end: &str) -> Option<&'static str> {
    if rest.starts_with(end) {
        return Some("");
    }
    // `+}}` is no end of a variable tag.
    ["-", "+"].into_iter().find(|marker| {
        rest.strip_prefix(marker).is_some_and(|rest| rest.starts_with(end))
            && (*marker == "-" || end == "%}")
    })
}

fn balance(operator: &str, open: &mut Vec<&'static str>) -> Result<(), String> {
    match operator {
        "(" => open.push(")"),
        "[" => open.push("]"),
        "{" => open.push("}"),
        ")" | "]" | "}" => match open.pop() {
            Some(expected) if expected == operator => {}
            Some(expected) => {
                return Err(format!("unexpected '{operator}', expected '{expected}'"));
            }
            None => return Err(format!("unexpected '{operator}'")),
        },
        _ => {}
    }
    Ok(())
}

fn next(rest: &str, before: Option<&Token>) -> Result<(Token, usize), String> {
    let first = rest.chars().next().unwrap_or_default();
    if first.is_ascii_digit() {
        let after_dot = before == Some(&Token::Operator("."));
        return number(rest, after_dot);
    }
    if first == '_' || first.is_alphabetic() {
        let length =
            rest.find(|char: char| !(char == '_' || char.is_alphanumeric())).unwrap_or(rest.len());
        return Ok((Token::Name(rest[..length].to_owned()), length));
    }
    if first == '"' || first == '\'' {
        return text(rest, first);
    }
    OPERATORS
        .into_iter()
        .find(|operator| rest.starts_with(operator))
        .map(|operator| (Token::Operator(operator), operator.len()))
        .ok_or_else(|| format!("unexpected char {first:?}"))
}

/// A number; behind a dot (`list.0.1`) only its digits.
fn number(rest: &str, after_dot: bool) -> Result<(Token, usize), String> {
    let bytes = rest.as_bytes();
    let digits = |from: usize, allowed: fn(&u8) -> bool| {
        bytes[from..].iter().take_while(|byte| allowed(byte) || **byte == b'_').count()
    };
    let prefix = rest.get(..2).unwrap_or_default().to_ascii_lowercase();
    let radix = match prefix.as_str() {
        "0x" => Some(16),
        "0o" => Some(8),
        "0b" => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        let length = 2 + digits(2, u8::is_ascii_hexdigit);
        let value = u128::from_str_radix(&rest[2..length].replace('_', ""), radix)
            .map_err(|error| format!("bad number {}: {error}", &rest[..length]))?;
        return Ok((Token::Number(value.to_string()), length));
    }
    let mut length = digits(0, u8::is_ascii_digit);
    let mut float = false;
    if !after_dot {
        if bytes.get(length) == Some(&b'.') && bytes.get(length + 1).is_some_and(u8::is_ascii_digit)
        {
            length += 1 + digits(length + 1, u8::is_ascii_digit);
            float = true;
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            if bytes.get(length + 1 + sign).is_some_and(u8::is_ascii_digit) {
                length += 1 + sign + digits(length + 1 + sign, u8::is_ascii_digit);
                float = true;
            }
        }
    }
    let literal = rest[..length].replace('_', "");
    if !float {
        return Ok((Token::Number(literal), length));
    }
    let value: f64 = literal.parse().map_err(|error| format!("bad number {literal}: {error}"))?;
    // Rust's shortest form without an exponent, which every parser reads; infinity is a number
    // beyond the range, in Python too.
    let shown =
        if value.is_infinite() { format!("1{}", "0".repeat(309)) } else { format!("{value}") };
    let shown = if shown.contains('.') { shown } else { format!("{shown}.0") };
    Ok((Token::Number(shown), length))
}

/// A text literal, with Python's escapes.
fn text(rest: &str, quote: char) -> Result<(Token, usize), String> {
    let mut value = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        if char == quote {
            return Ok((Token::Text(value), at + 1));
        }
        if char != '\\' {
            value.push(char);
            continue;
        }
        let Some((_, escape)) = chars.next() else { break };
        let digits = |count: usize| rest.get(at + 2..at + 2 + count);
        let (escaped, skip) = match escape {
            '\n' => (None, 0),
            'n' => (Some('\n'), 0),
            't' => (Some('\t'), 0),
            'r' => (Some('\r'), 0),
            'a' => (Some('\u{7}'), 0),
            'b' => (Some('\u{8}'), 0),
            'f' => (Some('\u{c}'), 0),
            'v' => (Some('\u{b}'), 0),
            '\\' | '\'' | '"' => (Some(escape), 0),
            'x' => (Some(code(digits(2))?), 2),
            'u' => (Some(code(digits(4))?), 4),
            'U' => (Some(code(digits(8))?), 8),
            '0'..='7' => {
                let octal: String =
                    rest[at + 1..].chars().take(3).take_while(|c| c.is_digit(8)).collect();
                let value = u32::from_str_radix(&octal, 8).unwrap_or_default();
                (char::from_u32(value), octal.len() - 1)
            }
            'N' => return Err("named characters (\\N{…}) in texts are not supported".to_owned()),
            other => {
                // An unknown escape stays as it is, as in Python.
                value.push('\\');
                (Some(other), 0)
            }
        };
        value.extend(escaped);
        for _ in 0..skip {
            chars.next();
        }
    }
    Err("the text is not closed".to_owned())
}

fn code(digits: Option<&str>) -> Result<char, String> {
    digits
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .and_then(|digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?))
        .ok_or_else(|| "bad escape in a text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(source: &str) -> String {
        tag(source, 0, "}}").map_or_else(
            |(at, message)| format!("{at}: {message}"),
            |(tokens, marker, end)| format!("{tokens:?} {marker:?} {end}"),
        )
    }

    #[test]
    fn reads_tags() {
        insta::assert_snapshot!(values("{'a': {}}['a'] -}}x"), @r#"[Operator("{"), Text("a"), Operator(":"), Operator("{"), Operator("}"), Operator("}"), Operator("["), Text("a"), Operator("]")] "-" 18"#);
        insta::assert_snapshot!(values("l.0.1 + 1_0 * 1e3 0x1f 1.5}}"), @r#"[Name("l"), Operator("."), Number("0"), Operator("."), Number("1"), Operator("+"), Number("10"), Operator("*"), Number("1000.0"), Number("31"), Number("1.5")] "" 28"#);
        insta::assert_snapshot!(values("'a\\n\\'\\x41\\u00e9\\101\\q\\/\\\nb'}}"), @r#"[Text("a\n'AéA\\q\\/b")] "" 30"#);
        insta::assert_snapshot!(values("(a]"), @"2: unexpected ']', expected ')'");
        insta::assert_snapshot!(values("'a"), @"0: the text is not closed");
        insta::assert_snapshot!(values("a"), @"1: the tag does not end with }}");
    }
}
