//! Which parts of a scenario are secret.

use std::path::Path;
use std::sync::LazyLock;

use crate::diagnostics::Diagnostic;
use crate::units::Secret;
use crate::yaml::{Node, Pointer, nearest};

use super::{overrides, schema, variables};

/// Whether no output may show the value at a path: under a name that means a secret, well or
/// badly spelt, a header's value, and whatever stands under an unknown key of a section that holds
/// secrets.
pub(super) fn is_secret(pointer: &Pointer) -> bool {
    let segments = pointer.segments();
    let header = segments.len() > 2 && segments[0] == "endpoint" && segments[1] == "headers";
    let unknown = SECTIONS.iter().any(|(section, known)| {
        segments.len() > section.len()
            && section.iter().zip(segments).all(|(a, b)| a == b)
            && !known.contains(&segments[section.len()])
    });
    header || unknown || segments.iter().any(|segment| is_secret_name(segment))
}

/// The sections that hold secrets, with the keys that they know.
static SECTIONS: LazyLock<Vec<(&[&str], Vec<String>)>> = LazyLock::new(|| {
    let sections: [&[&str]; 2] = [&["endpoint"], &["accuracy", "swe_bench"]];
    let keys = |section: &[&str]| {
        let pointer = section.iter().fold(Pointer::root(), |pointer, key| pointer.join(key));
        schema::compiled().keys(&pointer)
    };
    sections.iter().map(|section| (*section, keys(section))).collect()
});

/// Whether a key is none of those that a section with secrets knows, nor the name of a header.
pub(super) fn is_stray_key(section: &Pointer, key: &str) -> bool {
    let headers = section.segments() == ["endpoint", "headers"];
    (headers && key.contains(char::is_whitespace))
        || SECTIONS.iter().any(|(known_section, known)| {
            section.segments().len() == known_section.len()
                && known_section.iter().zip(section.segments()).all(|(a, b)| a == b)
                && !known.iter().any(|known| known == key)
        })
}

/// Whether a key names a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let endings = ["key", "secret", "password", "passwd", "authorization", "cookie", "bearer"];
    name == "token"
        || name == "auth"
        || ["authtoken", "accesstoken"].iter().any(|ending| name.ends_with(ending))
        || endings.iter().any(|ending| name.ends_with(ending))
        || name.starts_with("credential")
        || nearest(&name, ["apikey", "token", "authorization"].into_iter()).is_some()
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
}
