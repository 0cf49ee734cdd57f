//! A value that no output ever shows.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What every output shows in place of a secret.
const MASK: &str = "***";

/// A text that `Debug`, `Display` and `Serialize` print as `***`.
///
/// The only way to the text is [`Secret::expose`], which makes each use easy to find.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// What every output shows in place of a secret.
    pub const MASK: &'static str = MASK;

    /// Wraps a secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself; only for putting it on the wire.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the secret is the empty text, which means that none was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text with the credentials of every URL in it (`http://user:password@host`) masked, byte for
/// byte.
pub fn mask_url_credentials(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    let mut from = 0;
    while let Some(start) = text[from..].find("://").map(|at| from + at + 3) {
        let end = text[start..]
            .find(|c: char| c == '/' || c == '"' || c == '\'' || c.is_whitespace())
            .map_or(text.len(), |at| start + at);
        if let Some(at) = text[start..end].rfind('@') {
            masked.to_mut().replace_range(start..start + at, &"*".repeat(at));
        }
        from = end;
    }
    masked
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "writeOnly": true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_shows_a_secret() {
        let secret = Secret::new("sk-123");
        let shown = format!("{secret} {secret:?} {}", serde_json::to_string(&secret).unwrap());
        assert_eq!(shown, "*** *** \"***\"");
        assert_eq!(secret.expose(), "sk-123");
    }

    #[test]
    fn credentials_in_urls_are_masked() {
        let masked = |text| mask_url_credentials(text).into_owned();
        assert_eq!(masked("urls: ['http://me:pw@h/a@b', x]"), "urls: ['http://*****@h/a@b', x]");
        assert_eq!(masked("http://h/a@b é://ü@"), "http://h/a@b é://**@");
        assert_eq!(masked("://"), "://");
    }
}
