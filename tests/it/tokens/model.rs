//! A small model directory: a byte-level BPE tokenizer with Qwen's pattern and special tokens.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use scenario::tokens::template::{ChatTemplate, TemplateOptions};
use scenario::tokens::{Reference, Tokenizer};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Qwen's pre-token pattern.
const PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Merges that make words and runs of spaces and line ends, so that cutting in the wrong place
/// would show.
const WORDS: [&str; 24] = [
    "the", " the", "ing", " to", "er", "  ", "    ", "\n\n", "\n\n\n", " \n", "in", " in", "user",
    "tool", "parse", " parse", "</", "</think", ">\n", "ab", "abc", "::", "...", "日本",
];

/// GPT-2's letters for bytes.
fn letter(byte: u8) -> char {
    let visible = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if visible(byte) {
        return char::from(byte);
    }
    let hidden = (0..byte).filter(|b| !visible(*b)).count();
    char::from_u32(256 + u32::try_from(hidden).unwrap()).unwrap()
}

fn letters(text: &str) -> Vec<String> {
    text.bytes().map(|byte| letter(byte).to_string()).collect()
}

/// A `tokenizer.json`; `changes` are put over its top level.
pub(super) fn tokenizer_json(changes: &Json) -> Json {
    let mut vocab: Vec<String> = (0..=u8::MAX).map(|byte| letter(byte).to_string()).collect();
    let mut merges: Vec<[String; 2]> = Vec::new();
    for word in WORDS {
        let letters = letters(word);
        let mut left = letters[0].clone();
        for right in &letters[1..] {
            let pair = [left.clone(), right.clone()];
            if !merges.contains(&pair) {
                merges.push(pair);
                vocab.push(left.clone() + right);
            }
            left.push_str(right);
        }
    }
    vocab.dedup();
    let specials =
        ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"];
    let base = vocab.len();
    let added: Vec<Json> = specials
        .iter()
        .enumerate()
        .map(|(index, text)| {
            json!({"id": base + index, "content": text, "single_word": false, "lstrip": false,
                   "rstrip": false, "normalized": false, "special": index < 2})
        })
        .collect();
    let vocab: serde_json::Map<String, Json> =
        vocab.into_iter().enumerate().map(|(id, token)| (token, json!(id))).collect();
    let mut tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": false},
            {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
        ]},
        "post_processor": null,
        "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
        "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false,
                  "ignore_merges": false, "vocab": vocab, "merges": merges},
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        tokenizer[key] = value.clone();
    }
    tokenizer
}

/// A model directory with the tokenizer and, if given, a template.
pub(super) fn directory(changes: &Json, template: Option<&str>) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let tokenizer = tokenizer_json(changes).to_string();
    std::fs::write(directory.path().join("tokenizer.json"), tokenizer).unwrap();
    let config = json!({"bos_token": "<s>", "eos_token": "<|im_end|>"});
    std::fs::write(directory.path().join("tokenizer_config.json"), config.to_string()).unwrap();
    if let Some(template) = template {
        std::fs::write(directory.path().join("chat_template.jinja"), template).unwrap();
    }
    directory
}

/// The tokenizer alone.
pub(super) fn tokenizer(changes: &Json) -> Tokenizer {
    Tokenizer::load(directory(changes, None).path()).unwrap()
}

/// The tokenizer with a template.
pub(super) fn reference(template: &str) -> Reference {
    let options = TemplateOptions::at(UNIX_EPOCH);
    Reference::load(directory(&Json::Null, Some(template)).path(), options).unwrap()
}

/// All templates there are: our own, and the published ones where they lie beside the checkout.
pub(super) fn templates() -> Vec<(String, ChatTemplate)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let special = vec![
        ("bos_token".to_owned(), "<s>".to_owned()),
        ("eos_token".to_owned(), "</s>".to_owned()),
    ];
    let mut templates = Vec::new();
    for folder in ["tests/fixtures/templates", "../shared/templates"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "jinja"));
        paths.sort();
        for path in paths {
            let source = std::fs::read_to_string(&path).unwrap();
            let options = TemplateOptions::at(UNIX_EPOCH);
            let template = ChatTemplate::from_source(&source, &special, options).unwrap();
            templates.push((path.file_name().unwrap().to_string_lossy().into_owned(), template));
        }
    }
    assert!(templates.len() >= 12);
    templates
}

/// A tokenizer in Kimi's layout: `tiktoken.model` and the special tokens' ids.
pub(super) fn ranks_tokenizer() -> Tokenizer {
    let directory = tempfile::tempdir().unwrap();
    let ranks = ranks();
    let base = ranks.lines().count();
    std::fs::write(directory.path().join("tiktoken.model"), &ranks).unwrap();
    let specials = ["<|im_start|>", "<|im_end|>", "<think>", "</think>"];
    let decoder: serde_json::Map<String, Json> = specials
        .iter()
        .enumerate()
        .map(|(index, text)| ((base + index).to_string(), json!({"content": text})))
        .collect();
    let config = json!({"added_tokens_decoder": decoder}).to_string();
    std::fs::write(directory.path().join("tokenizer_config.json"), config).unwrap();
    Tokenizer::load(directory.path()).unwrap()
}

/// Ranks that are single bytes and a few words, as a ranks file.
fn ranks() -> String {
    let mut file = String::new();
    let words = (0..=u8::MAX)
        .map(|byte| vec![byte])
        .chain(WORDS.iter().map(|word| word.as_bytes().to_vec()));
    let mut known = std::collections::BTreeSet::new();
    for word in words.filter(|word| known.insert(word.clone())).enumerate() {
        writeln!(file, "{} {}", base64(&word.1), word.0).unwrap();
    }
    file
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let digit = DIGITS[((bits >> (18 - 6 * at)) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
