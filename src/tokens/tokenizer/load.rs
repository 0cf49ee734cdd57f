//! Choosing and loading the tokenizer of a model directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::config::{self, ModelConfig};
use super::cut::{Cuts, Piece};
#[cfg(feature = "tokenizer")]
use super::huggingface::HuggingFace;
use super::known;
use super::tiktoken::{Tiktoken, Vocabulary};
use crate::tokens::error::{LoadError, TokenizeError};

/// Kimi reserves this many ids behind its ranks, and two more.
const KIMI_RESERVED: u32 = 256 + 2;

/// A model's tokenizer.
#[derive(Debug)]
pub struct Tokenizer {
    engine: Engine,
    cuts: Cuts,
    path: PathBuf,
}

#[derive(Debug)]
enum Engine {
    #[cfg(feature = "tokenizer")]
    HuggingFace(Box<HuggingFace>),
    Tiktoken(Box<Tiktoken>),
}

impl Tokenizer {
    /// Loads the tokenizer of a model directory: `tokenizer.json`, else `tiktoken.model`, else
    /// the only `*.tiktoken`.
    ///
    /// # Errors
    /// No directory, no tokenizer of these kinds, or a broken one.
    pub fn load(directory: &Path) -> Result<Self, LoadError> {
        if !directory.is_dir() {
            return Err(LoadError::NoDirectory { path: directory.to_owned() });
        }
        let config = ModelConfig::load(directory)?;
        let path = directory.join("tokenizer.json");
        if let Some(file) = config::read_bytes(&path)? {
            return Self::from_json(&file, &config, path);
        }
        let path = ranks_file(directory)?;
        let file = config::read_bytes(&path)?.unwrap_or_default();
        let vocabulary = vocabulary(directory, &path, &file, &config)?;
        let fail = |reason| LoadError::Tokenizer { path: path.clone(), reason };
        let (tokenizer, cuts) = Tiktoken::new(&file, &vocabulary).map_err(fail)?;
        Ok(Self { engine: Engine::Tiktoken(Box::new(tokenizer)), cuts, path })
    }

    #[cfg(feature = "tokenizer")]
    fn from_json(file: &[u8], config: &ModelConfig, path: PathBuf) -> Result<Self, LoadError> {
        let (tokenizer, cuts) = HuggingFace::new(file, config)
            .map_err(|reason| LoadError::Tokenizer { path: path.clone(), reason })?;
        Ok(Self { engine: Engine::HuggingFace(Box::new(tokenizer)), cuts, path })
    }

    #[cfg(not(feature = "tokenizer"))]
    fn from_json(_file: &[u8], _config: &ModelConfig, path: PathBuf) -> Result<Self, LoadError> {
        Err(LoadError::FeatureOff { path })
    }

    /// The file that the tokenizer was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where texts may be cut for this tokenizer.
    pub fn cuts(&self) -> &Cuts {
        &self.cuts
    }

    /// The token ids of a text: added tokens that stand in it are recognised, none is put around
    /// it (transformers' `add_special_tokens=False`).
    ///
    /// # Errors
    /// When the tokenizer refuses the text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizeError> {
        match &self.engine {
            #[cfg(feature = "tokenizer")]
            Engine::HuggingFace(tokenizer) => tokenizer.encode(text),
            Engine::Tiktoken(tokenizer) => tokenizer.encode(text),
        }
    }

    /// How many tokens [`Self::encode`] gives, computed piece by piece.
    ///
    /// # Errors
    /// When the tokenizer refuses the text.
    pub fn count(&self, text: &str) -> Result<u64, TokenizeError> {
        if !self.is_uncut(text) {
            return Ok(self.encode(text)?.len() as u64);
        }
        let mut tokens = 0;
        for piece in self.cuts.pieces(text, 0) {
            tokens += match piece {
                Piece::Special(..) => 1,
                Piece::Text(range) => self.encode(&text[range])?.len() as u64,
            };
        }
        Ok(tokens)
    }

    /// Whether the whole of `text` may be cut; texts that the tokenizer itself cuts by length may
    /// not.
    pub fn is_uncut(&self, text: &str) -> bool {
        match &self.engine {
            #[cfg(feature = "tokenizer")]
            Engine::HuggingFace(_) => true,
            Engine::Tiktoken(tokenizer) => tokenizer.is_uncut(text),
        }
    }
}

/// The ranks file of a directory.
fn ranks_file(directory: &Path) -> Result<PathBuf, LoadError> {
    let path = directory.join("tiktoken.model");
    if path.exists() {
        return Ok(path);
    }
    let fail = |source| LoadError::Read { path: directory.to_owned(), source };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        names.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let ranks: Vec<&String> = names.iter().filter(|name| name.ends_with(".tiktoken")).collect();
    match ranks.as_slice() {
        [one] => Ok(directory.join(one)),
        [] => {
            let like = |name: &&String| {
                name.contains("token")
                    || Path::new(name.as_str())
                        .extension()
                        .is_some_and(|extension| extension == "model")
            };
            let found: Vec<&str> = names.iter().filter(like).map(String::as_str).collect();
            let found =
                if found.is_empty() { "no tokenizer file".to_owned() } else { found.join(", ") };
            Err(LoadError::NoTokenizer { directory: directory.to_owned(), found })
        }
        many => Err(LoadError::Ambiguous {
            directory: directory.to_owned(),
            found: many.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// What the ranks file does not say: from the model's Python code and configuration where they
/// are there, else as Kimi (`tiktoken.model`) and Qwen (`qwen*.tiktoken`) publish them.
fn vocabulary(
    directory: &Path,
    path: &Path,
    file: &[u8],
    config: &ModelConfig,
) -> Result<Vocabulary, LoadError> {
    let base =
        file.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    let base = u32::try_from(base).unwrap_or(u32::MAX);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let kimi = name == "tiktoken.model";
    let code = python_code(directory)?;
    let pattern = code.as_deref().and_then(python_pattern);
    let pattern = match pattern {
        Some(pattern) => pattern,
        None if kimi => known::KIMI.to_owned(),
        None if name.starts_with("qwen3_5") || name.starts_with("qwen3_6") => {
            known::QWEN3_5.to_owned()
        }
        None if name.starts_with("qwen") => known::QWEN.to_owned(),
        None => {
            return Err(LoadError::Tokenizer {
                path: path.to_owned(),
                reason: "ranks without a known pattern: expected tiktoken.model (Kimi), \
                         qwen*.tiktoken, or the model's tokenization_*.py with its `pat_str` beside it"
                    .to_owned(),
            });
        }
    };
    let mut specials: BTreeMap<u32, String> =
        config.added_tokens_by_id().into_iter().map(|(id, token)| (id, token.content)).collect();
    if kimi {
        for id in base..base.saturating_add(KIMI_RESERVED) {
            specials.entry(id).or_insert_with(|| format!("<|reserved_token_{id}|>"));
        }
    } else if specials.is_empty() {
        specials = qwen_specials(base, name.starts_with("qwen3_"));
    }
    Ok(Vocabulary { pattern, specials, parts: kimi })
}

/// Qwen's special tokens, which follow the ranks (Qwen's tokenization code).
fn qwen_specials(base: u32, newer: bool) -> BTreeMap<u32, String> {
    const COMMON: [&str; 3] = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
    const NEWER: [&str; 30] = [
        "<|object_ref_start|>",
        "<|object_ref_end|>",
        "<|box_start|>",
        "<|box_end|>",
        "<|quad_start|>",
        "<|quad_end|>",
        "<|vision_start|>",
        "<|vision_end|>",
        "<|vision_pad|>",
        "<|image_pad|>",
        "<|video_pad|>",
        "<tool_call>",
        "</tool_call>",
        "<|fim_prefix|>",
        "<|fim_middle|>",
        "<|fim_suffix|>",
        "<|fim_pad|>",
        "<|repo_name|>",
        "<|file_sep|>",
        "<tool_response>",
        "</tool_response>",
        "<think>",
        "</think>",
        "<|audio_start|>",
        "<|audio_end|>",
        "<tts_pad>",
        "<tts_text_bos>",
        "<tts_text_eod>",
        "<tts_text_bos_single>",
        "<|audio_pad|>",
    ];
    let extra: Vec<String> = if newer {
        NEWER.iter().map(|&token| token.to_owned()).collect()
    } else {
        (0..205).map(|number| format!("<|extra_{number}|>")).collect()
    };
    let common = COMMON.iter().map(|&token| token.to_owned());
    (base..).zip(common.chain(extra)).collect()
}

/// The model's own tokenizer code, where the directory holds it.
fn python_code(directory: &Path) -> Result<Option<String>, LoadError> {
    let fail = |source| LoadError::Read { path: directory.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("tokenization_")
            && path.extension().is_some_and(|extension| extension == "py")
        {
            paths.push(path);
        }
    }
    paths.sort();
    paths.first().map_or(Ok(None), |path| config::read_text(path))
}

/// The pattern that Python code assigns to `pat_str` or `PAT_STR`: a raw string, or a `"|".join`
/// of a list of raw strings. The code is read, never run.
fn python_pattern(code: &str) -> Option<String> {
    let name = code.find("pat_str =").or_else(|| code.find("PAT_STR ="))?;
    let value = code[name..].split_once('=')?.1.trim_start();
    let joined = value.starts_with("\"|\".join") || value.starts_with("'|'.join");
    let mut rest = if joined { &value[value.find('[')? + 1..] } else { value };
    let mut parts = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', ',', '(']);
        if let Some(comment) = rest.strip_prefix('#') {
            rest = comment.split_once('\n')?.1;
            continue;
        }
        let Some(raw) = rest.strip_prefix('r') else { break };
        let quote =
            ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| raw.starts_with(quote))?;
        let (part, after) = raw[quote.len()..].split_once(quote)?;
        parts.push(part);
        rest = after;
        if !joined {
            break;
        }
    }
    (!parts.is_empty()).then(|| parts.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_patterns_from_code() {
        let code = "class T:\n    pat_str = \"|\".join(\n        [\n            r\"\"\"[\\p{Han}]+\"\"\",  # one\n            r\"\"\"\\s+\"\"\",\n        ]\n    )\n";
        assert_eq!(python_pattern(code).as_deref(), Some(r"[\p{Han}]+|\s+"));
        assert_eq!(python_pattern("PAT_STR = r\"\"\"a|b\"\"\"\n").as_deref(), Some("a|b"));
        assert_eq!(python_pattern("pat_str = other"), None);
        assert_eq!(python_pattern("nothing"), None);
    }

    #[test]
    fn errors_say_what_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let shown = |result: Result<Tokenizer, LoadError>| {
            result.unwrap_err().to_string().replace(&directory.path().display().to_string(), "DIR")
        };
        insta::assert_snapshot!(shown(Tokenizer::load(&directory.path().join("none"))), @"DIR/none is not a directory; give the model's directory, which holds tokenizer.json or tiktoken.model and the chat template");
        std::fs::write(directory.path().join("tokenizer.model"), "x").unwrap();
        insta::assert_snapshot!(shown(Tokenizer::load(directory.path())), @"DIR holds no tokenizer that can be read: found tokenizer.model, expected tokenizer.json (Hugging Face) or tiktoken.model / *.tiktoken (ranks); convert the tokenizer with transformers' save_pretrained to get a tokenizer.json");
        std::fs::write(directory.path().join("odd.tiktoken"), "IQ== 0").unwrap();
        insta::assert_snapshot!(shown(Tokenizer::load(directory.path())), @"DIR/odd.tiktoken cannot be used as a tokenizer: ranks without a known pattern: expected tiktoken.model (Kimi), qwen*.tiktoken, or the model's tokenization_*.py with its `pat_str` beside it");
        std::fs::write(directory.path().join("tokenizer.json"), "{}").unwrap();
        assert!(
            shown(Tokenizer::load(directory.path()))
                .starts_with("DIR/tokenizer.json cannot be used as a tokenizer: ")
        );
    }
}
