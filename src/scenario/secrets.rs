//! Which parts of a scenario are secret, and how a text is shown without them.

use std::ops::Range;
use std::path::Path;

use crate::diagnostics::Diagnostic;
use crate::units::{Secret, mask_url_credentials};
use crate::yaml::{Kind, Node, Pointer, nearest};

use super::{overrides, variables};

/// Whether no output may show the value at a path. Goes by names, not by the schema, so that a
/// secret under a misspelt key is one too.
pub(super) fn is_secret(pointer: &Pointer) -> bool {
    let segments = pointer.segments();
    let header = segments.len() > 2 && segments[0] == "endpoint" && segments[1] == "headers";
    header || segments.iter().any(|segment| is_secret_name(segment))
}

/// Whether a key names a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let endings = ["key", "secret", "password", "passwd", "authorization", "cookie", "bearer"];
    name == "token"
        || ["authtoken", "accesstoken"].iter().any(|ending| name.ends_with(ending))
        || endings.iter().any(|ending| name.ends_with(ending))
        || name.starts_with("credential")
        || nearest(&name, std::iter::once("apikey")).is_some()
}

/// Adds a warning for every secret that is written into a file; called before variables are
/// expanded. Headers that merely carry something are no secrets in this sense.
pub(super) fn warn_about_literals(root: &Node, diagnostics: &mut Vec<Diagnostic>) {
    root.visit(&Pointer::root(), &mut |pointer, node| {
        let Some(text) = node.as_str().filter(|text| !text.is_empty() && *text != Secret::MASK)
        else {
            return;
        };
        let named = pointer.segments().last().is_some_and(|name| is_secret_name(name));
        let in_file = &*node.origin.file != Path::new(overrides::FILE);
        if named && in_file && !variables::is_reference(text) {
            let name = pointer.dotted();
            diagnostics.push(
                Diagnostic::warning("secret-in-file", format!("`{name}` is written into the file"))
                    .at(&*node.origin.file, node.origin.place(), "shown masked")
                    .help("read it from the environment, such as `${ENDPOINT_API_KEY:-}`"),
            );
        }
    });
}

/// The text of a file with every secret in it masked, byte for byte, so that spans still hold.
/// `root` is the file's own tree, if it could be parsed.
pub(super) fn mask(text: &str, root: Option<&Node>) -> String {
    let mut spans = named_in(text);
    if let Some(root) = root {
        root.visit(&Pointer::root(), &mut |pointer, node| {
            let scalar = !matches!(node.kind, Kind::List(_) | Kind::Map(_));
            if scalar && is_secret(pointer) {
                spans.push(node.origin.span.clone());
            }
        });
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

/// What stands behind `name:` with a secret's name, found without parsing: for texts that are no
/// YAML, and for what parsing drops.
fn named_in(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut line_start = 0;
    // The indentation of a secret's key whose value stands on the lines below.
    let mut below: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        match below {
            Some(key_indent) if content.trim().is_empty() || indent > key_indent => {
                spans.push(line_start + indent..line_start + content.len());
            }
            _ => {
                below = None;
                for value in values_in(content) {
                    let shown = &content[value.clone()];
                    if shown.is_empty() || shown.starts_with(['|', '>']) {
                        below = Some(indent);
                    } else {
                        spans.push(line_start + value.start..line_start + value.end);
                    }
                }
            }
        }
        line_start += line.len();
    }
    spans
}

/// The values of secrets' names in one line.
fn values_in(line: &str) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    for (colon, _) in line.match_indices([':', '=']) {
        let before = line[..colon].trim_end_matches(['"', '\'', ' ']);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name_start = before.rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        let name = before.get(name_start..).unwrap_or_default();
        let after = &line[colon + 1..];
        if is_secret_name(name) && after.chars().next().is_none_or(|c| !is_word(c) || c == '=') {
            let start = colon + 1 + after.len() - after.trim_start().len();
            let end = start + value_len(&line[start..]);
            // A comment behind a secret may hold the secret before it.
            let comment = line[end..].trim_start().starts_with('#');
            let all = comment && end > start && !variables::is_reference(&line[start..end]);
            values.push(start..if all { line.len() } else { end });
        } else if is_secret_name(name) && line.as_bytes()[colon] == b'=' {
            values.push(colon + 1..line.len());
        }
    }
    values
}

/// The length of the value that a text starts with: up to its closing quote, or to what ends a
/// plain value.
fn value_len(text: &str) -> usize {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        return text[1..].find(quote).map_or(text.len(), |end| end + 2);
    }
    let ends = [", ", "}", "]", " #"];
    let variable = if text.starts_with("${") { text.find('}').map_or(0, |i| i + 1) } else { 0 };
    let rest = &text[variable..];
    variable + ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_secrets() {
        for name in
            ["api_key", "apikey", "api-kye", "API_KEY", "X-Api-Key", "token", "Authorization"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in
            ["tokenizer", "inter_token", "max_tokens", "generated_tokens", "headers", "seed"]
        {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_masked_even_where_the_text_is_no_yaml() {
        let text = "\
api_key: sk-1
endpoint: { api_key: sk-2, urls: [http://me:pw@host] }
\"token\" : 'sk, 3' # why
api_key: ${KEY:-} # fine
api_key: ${KEY:-sk-4}
api_key: |
  sk-5

  sk-6
name: x
  api_key: \"sk-7
endpoint.api_key=sk-8
inter_token: 4ms
";
        insta::assert_snapshot!(mask(text, None), @r#"
        api_key: ****
        endpoint: { api_key: ****, urls: [http://*****@host] }
        "token" : *************
        api_key: ${KEY:-} # fine
        api_key: ************
        api_key: |
          ****

          ****
        name: x
          api_key: *****
        endpoint.api_key=****
        inter_token: 4ms
        "#);
        assert_eq!(mask(text, None).len(), text.len());
    }
}
