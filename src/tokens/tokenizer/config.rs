//! What `tokenizer_config.json` and its neighbours say beside the vocabulary.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use crate::tokens::error::LoadError;

/// The largest file that is read from a model directory.
pub(super) const MAX_FILE: u64 = 512 * 1024 * 1024;

/// The named special tokens, as chat templates see them (`bos_token` -> `<s>`), in the order in
/// which transformers names them.
pub type SpecialTokens = Vec<(String, String)>;

/// transformers' named special tokens.
const NAMES: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// A chat template with its name (`default` where it has none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTemplate {
    /// The name.
    pub name: String,
    /// The Jinja source.
    pub source: String,
    /// Where it stands.
    pub path: PathBuf,
}

/// An added token as configuration files describe it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of Hugging Face's format")]
pub(super) struct TokenSpec {
    pub(super) content: String,
    pub(super) lstrip: bool,
    pub(super) rstrip: bool,
    pub(super) normalized: bool,
    pub(super) single_word: bool,
    pub(super) special: bool,
}

/// The configuration of a model directory.
#[derive(Clone, Debug, Default)]
pub struct ModelConfig {
    directory: PathBuf,
    json: Map<String, Json>,
}

impl ModelConfig {
    /// Reads `tokenizer_config.json` (and `special_tokens_map.json` for names that it lacks);
    /// an absent file is an empty configuration.
    ///
    /// # Errors
    /// A file that is there but cannot be read or is no JSON object.
    pub fn load(directory: &Path) -> Result<Self, LoadError> {
        let mut json = read_object(&directory.join("tokenizer_config.json"))?.unwrap_or_default();
        for (key, value) in
            read_object(&directory.join("special_tokens_map.json"))?.unwrap_or_default()
        {
            json.entry(key).or_insert(value);
        }
        Ok(Self { directory: directory.to_owned(), json })
    }

    /// The named special tokens that are set.
    pub fn special_tokens(&self) -> SpecialTokens {
        NAMES
            .iter()
            .filter_map(|name| {
                let token = token_spec(self.json.get(*name)?)?;
                Some(((*name).to_owned(), token.content))
            })
            .collect()
    }

    /// Added tokens by id.
    pub(super) fn added_tokens_by_id(&self) -> BTreeMap<u32, TokenSpec> {
        let Some(Json::Object(tokens)) = self.json.get("added_tokens_decoder") else {
            return BTreeMap::new();
        };
        tokens
            .iter()
            .filter_map(|(id, token)| Some((id.parse().ok()?, token_spec(token)?)))
            .collect()
    }

    /// All tokens that transformers makes sure of: added tokens by id, then the named special
    /// tokens, then the extra ones; each text once.
    #[cfg(feature = "tokenizer")]
    pub(super) fn added_tokens(&self) -> Vec<TokenSpec> {
        let mut tokens: Vec<TokenSpec> = self.added_tokens_by_id().into_values().collect();
        let named = NAMES.iter().filter_map(|name| self.json.get(*name));
        let extra = ["additional_special_tokens", "extra_special_tokens"]
            .iter()
            .filter_map(|key| self.json.get(*key)?.as_array())
            .flatten();
        for token in named.chain(extra).filter_map(token_spec) {
            if !tokens.iter().any(|known| known.content == token.content) {
                tokens.push(TokenSpec { special: true, ..token });
            }
        }
        tokens
    }

    /// The chat templates, the default one first where there is one: `chat_template.jinja` (and
    /// `additional_chat_templates/*.jinja`), else the entry of the configuration (one text, or a
    /// list or map of named ones), else `chat_template.json`.
    ///
    /// # Errors
    /// A file that cannot be read, or no template at all.
    pub fn templates(&self) -> Result<Vec<NamedTemplate>, LoadError> {
        let mut templates = self.template_files()?;
        if templates.is_empty() {
            let path = self.directory.join("tokenizer_config.json");
            templates = named(self.json.get("chat_template"), &path);
        }
        if templates.is_empty() {
            let path = self.directory.join("chat_template.json");
            let json = read_object(&path)?.unwrap_or_default();
            templates = named(json.get("chat_template"), &path);
        }
        if templates.is_empty() {
            return Err(LoadError::NoTemplate { directory: self.directory.clone() });
        }
        Ok(templates)
    }

    fn template_files(&self) -> Result<Vec<NamedTemplate>, LoadError> {
        let mut templates = Vec::new();
        let path = self.directory.join("chat_template.jinja");
        if let Some(source) = read_text(&path)? {
            templates.push(NamedTemplate { name: "default".to_owned(), source, path });
        }
        let mut others: Vec<PathBuf> =
            std::fs::read_dir(self.directory.join("additional_chat_templates"))
                .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
                .unwrap_or_default();
        others.retain(|path| path.extension().is_some_and(|extension| extension == "jinja"));
        others.sort();
        for path in others {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Some(source) = read_text(&path)? {
                templates.push(NamedTemplate { name, source, path });
            }
        }
        Ok(templates)
    }
}

/// The templates of a `chat_template` entry.
fn named(entry: Option<&Json>, path: &Path) -> Vec<NamedTemplate> {
    let template = |name: &str, source: &Json| {
        Some(NamedTemplate {
            name: name.to_owned(),
            source: source.as_str()?.to_owned(),
            path: path.to_owned(),
        })
    };
    match entry {
        Some(text @ Json::String(_)) => template("default", text).into_iter().collect(),
        Some(Json::Array(list)) => list
            .iter()
            .filter_map(|entry| template(entry["name"].as_str()?, &entry["template"]))
            .collect(),
        Some(Json::Object(map)) => {
            map.iter().filter_map(|(name, source)| template(name, source)).collect()
        }
        _ => Vec::new(),
    }
}

/// A token given as text or as an object.
fn token_spec(token: &Json) -> Option<TokenSpec> {
    let flag = |key: &str, default: bool| token[key].as_bool().unwrap_or(default);
    if let Some(text) = token.as_str() {
        return Some(TokenSpec {
            content: text.to_owned(),
            lstrip: false,
            rstrip: false,
            normalized: false,
            single_word: false,
            special: true,
        });
    }
    let special = flag("special", false);
    Some(TokenSpec {
        content: token["content"].as_str()?.to_owned(),
        lstrip: flag("lstrip", false),
        rstrip: flag("rstrip", false),
        normalized: flag("normalized", !special),
        single_word: flag("single_word", false),
        special,
    })
}

/// The bytes of a file; none when it is not there.
pub(super) fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, LoadError> {
    let fail = |source| LoadError::Read { path: path.to_owned(), source };
    let size = match std::fs::metadata(path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
    };
    if size > MAX_FILE {
        return Err(fail(std::io::Error::other(format!("{size} bytes are more than {MAX_FILE}"))));
    }
    std::fs::read(path).map(Some).map_err(fail)
}

/// The text of a file; none when it is not there.
pub(super) fn read_text(path: &Path) -> Result<Option<String>, LoadError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|error| LoadError::Read {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    })
}

fn read_object(path: &Path) -> Result<Option<Map<String, Json>>, LoadError> {
    let Some(bytes) = read_bytes(path)? else { return Ok(None) };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| LoadError::Config { path: path.to_owned(), reason: error.to_string() })
}
