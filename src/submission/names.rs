//! Names of directories in a submission, as the official builder makes them.

/// Most characters of a slug.
const MAX_SLUG: usize = 64;

/// A name as a directory: everything but ASCII letters, digits, `_` and `-` becomes `_`, runs of
/// `_` one, outer ones none; at most 64 characters. May be empty.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.trim().chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        if c != '_' || !slug.ends_with('_') {
            slug.push(c);
        }
    }
    let slug: String = slug.trim_matches('_').chars().take(MAX_SLUG).collect();
    slug.trim_end_matches('_').to_owned()
}

/// The organisation's directory.
pub(super) fn organisation(name: &str) -> String {
    let slug = slug(name);
    if slug.is_empty() { "org".to_owned() } else { slug }
}

/// The system's directory: its name with blanks as `_`, nothing else changed; none where that is no
/// name of one directory.
pub(super) fn system(name: &str) -> Option<String> {
    let name = name.trim().replace(' ', "_");
    let usable = !name.is_empty()
        && name.len() <= 255
        && !matches!(name.as_str(), "." | "..")
        && !name.contains(['/', '\\'])
        && !name.chars().any(char::is_control);
    usable.then_some(name)
}

/// The model's directory, of the last part of its name.
pub(super) fn model(name: &str) -> String {
    let slug = slug(name.rsplit('/').next().unwrap_or(name));
    if slug.is_empty() { "unknown_model".to_owned() } else { slug }
}

/// A point's directory.
pub(super) fn point(concurrency: u32) -> String {
    format!("r{concurrency}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_builder_s() {
        for (name, expected) in [
            ("example_org", "example_org"),
            ("  Example Corp., Inc. ", "Example_Corp_Inc"),
            ("__a__b--c__", "a_b--c"),
            ("Łódź", "d"),
            ("", ""),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert_eq!(slug(&"ab".repeat(60)).len(), 64);
        assert_eq!((organisation("…"), model("…")), ("org".into(), "unknown_model".into()));
        assert_eq!(model("Qwen/Qwen3.6-35B"), "Qwen3_6-35B");
        assert_eq!(system(" ExampleCorp A1x16 vLLM "), Some("ExampleCorp_A1x16_vLLM".into()));
        for name in ["", " ", "a/b", "..", "a\\b", "a\nb"] {
            assert_eq!(system(name), None, "{name:?}");
        }
    }
}
