//! A text without the secrets in it.
//!
//! A finding shows the line that it points at, so every text is masked before anything can point
//! into it. Where the text parses, the tree tells where the secrets are. What parsing drops, and
//! texts that are no YAML, are searched for names that mean secrets.

use std::ops::Range;

use crate::units::mask_url_credentials;
use crate::yaml::{Kind, Node, Pointer};

use super::secrets::{is_secret, is_secret_name, is_stray_key};
use super::variables;

/// The text of a file with every secret in it masked, byte for byte, so that spans still hold.
/// `root` is the file's own tree, if it could be parsed.
pub(super) fn mask(text: &str, root: Option<&Node>) -> String {
    let mut spans = well_known_keys(text);
    match root {
        Some(root) => {
            in_tree(text, root, &mut spans);
            behind_names(text, &mut spans);
        }
        None => behind_words(text, &mut spans),
    }
    let mut masked = mask_url_credentials(text).into_owned();
    for span in spans {
        if let Some(secret) = masked.get(span.clone()).filter(|s| !variables::is_reference(s)) {
            let stars: String = secret
                .chars()
                .map(|c| if c == '\n' { "\n".to_owned() } else { "*".repeat(c.len_utf8()) })
                .collect();
            masked.replace_range(span, &stars);
        }
    }
    masked
}

/// How the keys of well-known services start.
const KEY_STARTS: [&str; 8] = ["sk-", "hf_", "nvapi-", "ghp_", "gho_", "glpat-", "gsk_", "xai-"];

/// Words anywhere in a text that look like a key of a well-known service.
fn well_known_keys(text: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let mut keys = Vec::new();
    for start in KEY_STARTS {
        for (at, _) in text.match_indices(start) {
            let word = text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at);
            if word >= 12 && !text[..at].ends_with(is_word) {
                keys.push(at..at + word);
            }
        }
    }
    keys
}

/// The secrets of a tree, and the comments behind them, which may hold the secrets before them.
fn in_tree(text: &str, root: &Node, spans: &mut Vec<Range<usize>>) {
    root.visit(&Pointer::root(), &mut |pointer, node| {
        let scalar = !matches!(node.kind, Kind::List(_) | Kind::Map(_));
        if scalar && is_secret(pointer) {
            let span = node.origin.span.clone();
            spans.extend(comment_behind(text, &span));
            spans.push(span);
        }
        for entry in node.entries() {
            // `api_key sk-1`, without the colon, is a key for the parser.
            let key = &entry.key_origin.span;
            let blank = text.get(key.clone()).and_then(|key| key.find(char::is_whitespace));
            if let Some(blank) = blank.filter(|_| is_stray_key(pointer, &entry.key)) {
                spans.push(key.start + blank + 1..key.end);
            }
        }
    });
}

/// The comment on the line where a secret ends.
fn comment_behind(text: &str, secret: &Range<usize>) -> Option<Range<usize>> {
    let line = text.get(secret.end..)?.lines().next()?;
    let start = line.find(" #")? + 1;
    let is_reference = text.get(secret.clone()).is_some_and(variables::is_reference);
    (!is_reference).then_some(secret.end + start..secret.end + line.len())
}

/// What stands behind `name:` or `name=` with a secret's name, in a text that parses: for what
/// parsing drops, such as the second of two equal keys.
fn behind_names(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        for (separator, _) in content.match_indices([':', '=']) {
            let before = &content[..separator];
            let in_variable = before.rfind("${").is_some_and(|at| !before[at..].contains('}'));
            if !in_variable && is_secret_name(last_word(before)) {
                let after = &content[separator + 1..];
                let start = content.len() - after.trim_start().len();
                let in_flow = before.contains(['{', '[']);
                let value = start..start + value_len(&content[start..], in_flow);
                let comment = comment_behind(content, &value);
                let spans_here = std::iter::once(value).chain(comment);
                spans.extend(spans_here.map(|s| line_start + s.start..line_start + s.end));
            }
        }
        line_start += line.len();
    }
}

/// The word at the end of a text, quotes and blanks behind it aside.
fn last_word(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', ' ']);
    let start = text
        .rfind(|c: char| !is_key_char(c))
        .map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

/// Whether a character can be inside a key.
fn is_key_char(c: char) -> bool {
    !c.is_whitespace() && !"{}[],:=\"'".contains(c)
}

/// The length of the value that a text starts with: up to its closing quote, or to what ends a
/// plain value; nothing of a block's mark.
fn value_len(text: &str, in_flow: bool) -> usize {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        return text[1..].find(quote).map_or(text.len(), |end| end + 2);
    }
    if text.starts_with(['|', '>']) {
        return 0;
    }
    let ends: &[&str] = if in_flow { &[", ", "}", "]", " #"] } else { &[" #"] };
    let variable = if text.starts_with("${") { text.find('}').map_or(0, |i| i + 1) } else { 0 };
    let rest = &text[variable..];
    variable + ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len())
}

/// What stands behind a word that means a secret, in a text that is no YAML: the rest of the line
/// and the lines below that are indented more, for nobody knows where the value ends.
fn behind_words(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut line_start = 0;
    // The indentation of the line with the word.
    let mut below: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        if below.is_some_and(|above| content.trim().is_empty() || indent > above) {
            spans.push(line_start + indent..line_start + content.len());
        } else {
            let secret = behind_word(content);
            below = secret.as_ref().map(|_| indent);
            spans.extend(secret.map(|start| line_start + start..line_start + content.len()));
        }
        line_start += line.len();
    }
}

/// Where the secret of a line starts, if it has one: behind the first secret's name whose value is
/// more than a variable; at the line's start where a stray character cuts a name in two.
fn behind_word(line: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = line[from..].find(is_key_char).map(|at| from + at) {
        let end = start + line[start..].find(|c| !is_key_char(c)).unwrap_or(line.len() - start);
        from = end;
        if !is_secret_name(&line[start..end]) {
            continue;
        }
        let value = end + line[end..].find(|c| !" :=\"'".contains(c)).unwrap_or(line.len() - end);
        let variable = line[value..].starts_with("${").then(|| line[value..].find('}')).flatten();
        match variable {
            Some(len) if variables::is_reference(&line[value..=value + len]) => {
                from = value + len + 1;
            }
            _ => return Some(value),
        }
    }
    let squashed: String = line.chars().filter(char::is_ascii_alphanumeric).collect();
    let squashed = squashed.to_lowercase();
    let is_cut = ["apikey", "authorization"].iter().any(|name| squashed.contains(name));
    (is_cut && !line.contains("${")).then_some(line.len() - line.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
api_key: sk-1
endpoint: { api_key: sk-2, urls: [http://me:pw@host] }
\"token\" : 'sk, 3' # why
api_key: ${KEY:-} # fine
api_key: ${KEY:-sk-4}
api_key: |
  sk-5

  sk-6
name: x
  api_key \"sk-7
  more of it
endpoint.api_key=sk-8
x: [${KEY}, token, sk-9]
inter_token: 4ms # hf_0123456789
";

    #[test]
    fn a_text_that_is_no_yaml_shows_nothing_behind_a_secrets_name() {
        let masked = mask(TEXT, None);
        assert_eq!(masked.len(), TEXT.len());
        insta::assert_snapshot!(masked, @r#"
        api_key: ****
        endpoint: { api_key: *********************************
        "token" : '************
        api_key: ${KEY:-} # fine
        api_key: ************
        api_key: *
          ****

          ****
        name: x
          api_key "****
          more of it
        endpoint.api_key=****
        x: [${KEY***************
        inter_token: 4ms # *************
        "#);
    }

    #[test]
    fn what_parsing_drops_is_masked_up_to_its_end() {
        let mut spans = Vec::new();
        behind_names(TEXT, &mut spans);
        let found: Vec<&str> = spans.into_iter().map(|span| &TEXT[span]).collect();
        assert_eq!(
            found,
            ["sk-1", "sk-2", "'sk, 3'", "# why", "${KEY:-}", "${KEY:-sk-4}", "", "sk-8"]
        );
    }
}
