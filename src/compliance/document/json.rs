//! JSON as Python's parser takes it: with `NaN` and infinities, and with the last of equal keys.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::value::{Map, Oddity, OddityKind, Value};

/// Deepest nesting.
const MAX_DEPTH: usize = 500;
/// Most values of one document; bounds memory.
const MAX_VALUES: usize = 2_000_000;
/// Most oddities that are kept.
const MAX_ODDITIES: usize = 20;

/// A parsed text with what was odd about it.
pub(in crate::compliance) struct Parsed {
    pub(in crate::compliance) value: Value,
    pub(in crate::compliance) oddities: Vec<Oddity>,
}

/// Where fields stand in a text, by their dotted paths: a scalar itself, else its key. What stands
/// before a fault is found in a broken text, too.
pub(in crate::compliance) fn spans(
    text: &str,
    wanted: BTreeSet<String>,
) -> BTreeMap<String, Range<usize>> {
    let mut parser = Parser::new(text);
    parser.wanted = wanted;
    // What is wrong with the text was told when it was read.
    let _ = parser.value(0);
    parser.spans
}

/// Parses a text; the error names the line and column, and tells the line.
pub(in crate::compliance) fn parse(text: &str) -> Result<Parsed, (String, u64)> {
    let mut parser = Parser::new(text);
    let value = parser.value(0).and_then(|value| {
        parser.space();
        if parser.at == text.len() { Ok(value) } else { Err("text after the document's end") }
    });
    match value {
        Ok(value) => Ok(Parsed { value, oddities: parser.oddities }),
        Err(reason) => {
            let before = &text[..parser.at.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            Err((format!("{reason} at line {line}, column {column}"), line as u64))
        }
    }
}

type Step<T> = Result<T, &'static str>;

struct Parser<'a> {
    text: &'a str,
    /// A byte offset on a character boundary.
    at: usize,
    values: usize,
    oddities: Vec<Oddity>,
    path: Vec<String>,
    /// Fields to be found.
    wanted: BTreeSet<String>,
    spans: BTreeMap<String, Range<usize>>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            values: 0,
            oddities: Vec::new(),
            path: Vec::new(),
            wanted: BTreeSet::new(),
            spans: BTreeMap::new(),
        }
    }
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a word if it stands next.
    fn take(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn odd(&mut self, kind: OddityKind, name: Option<&str>) {
        if self.oddities.len() < MAX_ODDITIES {
            let mut path = self.path.clone();
            path.extend(name.map(str::to_owned));
            let line = self.text[..self.at].matches('\n').count() as u64 + 1;
            self.oddities.push(Oddity { kind, name: path.join("."), line: Some(line) });
        }
    }

    /// A value below the document; of one that is looked for the place is noted: itself, or `key`
    /// where it is a list or a mapping.
    fn below(&mut self, key: Option<Range<usize>>, depth: usize) -> Step<Value> {
        let path = if self.wanted.is_empty() { None } else { Some(self.path.join(".")) };
        let Some(path) = path.filter(|path| self.wanted.contains(path)) else {
            return self.value(depth);
        };
        self.space();
        let start = self.at;
        if matches!(self.peek(), Some(b'{' | b'[')) {
            // Before what is inside, which may be broken.
            self.spans.insert(path, key.unwrap_or(start..start + 1));
            return self.value(depth);
        }
        let value = self.value(depth)?;
        self.spans.insert(path, start..self.at);
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Step<Value> {
        self.values += 1;
        if depth > MAX_DEPTH {
            return Err("nesting deeper than 500 levels");
        }
        if self.values > MAX_VALUES {
            return Err("more than 2 000 000 values");
        }
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') if !self.rest().starts_with("-I") => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Step<Value> {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.take(word) {
                return Ok(value);
            }
        }
        let numbers =
            [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", f64::NEG_INFINITY)];
        for (word, value) in numbers {
            if self.take(word) {
                self.odd(OddityKind::NotFinite, None);
                return Ok(Value::Float(value));
            }
        }
        Err("expected a value")
    }

    fn object(&mut self, depth: usize) -> Step<Value> {
        self.at += 1;
        let (mut entries, mut known) = (Vec::new(), BTreeMap::new());
        self.space();
        if self.take("}") {
            return Ok(Value::Map(Map(entries)));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err("expected a key in double quotes");
            }
            let start = self.at;
            let key = self.string()?;
            let place = start..self.at;
            self.space();
            if !self.take(":") {
                return Err("expected `:` after a key");
            }
            self.path.push(key.clone());
            let value = self.below(Some(place), depth + 1)?;
            self.path.pop();
            if let Some(first) = known.get(&key) {
                let first: &usize = first;
                entries[*first] = (key.clone(), value);
                self.odd(OddityKind::DuplicateKey, Some(&key));
            } else {
                known.insert(key.clone(), entries.len());
                entries.push((key, value));
            }
            self.space();
            if self.take("}") {
                return Ok(Value::Map(Map(entries)));
            }
            if !self.take(",") {
                return Err("expected `,` or `}`");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Step<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.take("]") {
            return Ok(Value::List(items));
        }
        loop {
            self.path.push(items.len().to_string());
            let item = self.below(None, depth + 1)?;
            self.path.pop();
            items.push(item);
            self.space();
            if self.take("]") {
                return Ok(Value::List(items));
            }
            if !self.take(",") {
                return Err("expected `,` or `]`");
            }
        }
    }

    fn number(&mut self) -> Step<Value> {
        let start = self.at;
        self.take("-");
        let whole = self.digits();
        let digits = &self.text.as_bytes()[self.at - whole..self.at];
        if whole == 0 || (whole > 1 && digits[0] == b'0') {
            return Err("expected a number");
        }
        let mut is_float = false;
        let before = self.at;
        if self.take(".") {
            is_float = self.digits() > 0;
            if !is_float {
                self.at = before;
            }
        }
        let before = self.at;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() > 0 {
                is_float = true;
            } else {
                self.at = before;
            }
        }
        let text = &self.text[start..self.at];
        Ok(match (is_float, text.parse::<i128>()) {
            (false, Ok(value)) => Value::Int(value),
            _ => Value::Float(text.parse().map_err(|_| "expected a number")?),
        })
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Step<String> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let stop = rest.find(|c: char| c == '"' || c == '\\' || c < ' ');
            let stop = stop.ok_or("a text without an end")?;
            out.push_str(&rest[..stop]);
            self.at += stop + 1;
            match self.text.as_bytes()[self.at - 1] {
                b'"' => return Ok(out),
                b'\\' => out.push(self.escape()?),
                _ => {
                    self.at -= 1;
                    return Err("a control character in a text");
                }
            }
        }
    }

    fn escape(&mut self) -> Step<char> {
        let letter = self.peek().ok_or("a text without an end")?;
        self.at += usize::from(letter.is_ascii());
        Ok(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) || !self.rest().starts_with("\\u") {
                    return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                let before = self.at;
                self.at += 2;
                let low = self.hex()?;
                if !(0xdc00..0xe000).contains(&low) {
                    self.at = before;
                    return Ok(char::REPLACEMENT_CHARACTER);
                }
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err("an unknown escape"),
        })
    }

    fn hex(&mut self) -> Step<u32> {
        let digits = self.text.get(self.at..self.at + 4).ok_or("an escape without four digits")?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err("an escape without four digits");
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| "an escape without four digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_takes_is_taken() {
        let parsed =
            parse(r#" {"a": [1, -2.5e3, NaN, -Infinity], "a": "\ud83d\ude00\n"} "#).unwrap();
        assert_eq!(parsed.value.as_map().unwrap().get("a").unwrap().as_text(), Some("😀\n"));
        let odd = |kind, name: &str| Oddity { kind, name: name.to_owned(), line: Some(1) };
        assert_eq!(
            parsed.oddities,
            [
                odd(OddityKind::NotFinite, "a.2"),
                odd(OddityKind::NotFinite, "a.3"),
                odd(OddityKind::DuplicateKey, "a"),
            ]
        );
        assert_eq!(parse("10487924139932647040").unwrap().value.strict_int().unwrap() >> 63, 1);
    }

    #[test]
    fn what_is_no_json_names_its_place() {
        for (text, reason) in [
            ("", "expected a value at line 1, column 1"),
            ("{\n  \"a\" 1}", "expected `:` after a key at line 2, column 7"),
            ("[1,]", "expected a value at line 1, column 4"),
            ("01", "expected a number at line 1, column 3"),
            ("\"a\tb\"", "a control character in a text at line 1, column 3"),
            ("\"\\ué\"", "an escape without four digits at line 1, column 4"),
            ("{} x", "text after the document's end at line 1, column 4"),
        ] {
            assert_eq!(parse(text).err().unwrap().0, reason, "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse(&deep).err().unwrap().0.starts_with("nesting deeper than 500 levels"));
    }
}
