//! Hugging Face's `tokenizer.json`, through the `tokenizers` crate.

use serde_json::Value as Json;
use tokenizers::{AddedToken, Tokenizer};

use super::config::{ModelConfig, TokenSpec};
use super::cut::{Cuts, Marker};
use super::known;
use crate::tokens::error::TokenizeError;

/// A loaded `tokenizer.json`.
#[derive(Debug)]
pub(super) struct HuggingFace(Tokenizer);

impl HuggingFace {
    /// Reads `tokenizer.json` and adds the tokens that only `tokenizer_config.json` names, as
    /// transformers does. Truncation and padding are switched off: a count is of the whole text.
    pub(super) fn new(file: &[u8], config: &ModelConfig) -> Result<(Self, Cuts), String> {
        let mut tokenizer = Tokenizer::from_bytes(file).map_err(|error| error.to_string())?;
        tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
        tokenizer.with_padding(None);
        let known: Vec<String> = tokenizer
            .get_added_tokens_decoder()
            .values()
            .map(|token| token.content.clone())
            .collect();
        let missing: Vec<AddedToken> = config
            .added_tokens()
            .into_iter()
            .filter(|token| !known.contains(&token.content))
            .map(added)
            .collect();
        if !missing.is_empty() {
            tokenizer.add_tokens(missing).map_err(|error| error.to_string())?;
        }
        let json: Json = serde_json::from_slice(file).map_err(|error| error.to_string())?;
        let cuts = cuts(&tokenizer, &json)?;
        Ok((Self(tokenizer), cuts))
    }

    /// The token ids of `text`, without tokens of a post-processor.
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>, TokenizeError> {
        let encoding =
            self.0.encode_fast(text, false).map_err(|error| TokenizeError(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }
}

fn added(token: TokenSpec) -> AddedToken {
    AddedToken::from(token.content, token.special)
        .lstrip(token.lstrip)
        .rstrip(token.rstrip)
        .normalized(token.normalized)
        .single_word(token.single_word)
}

/// The safe cuts of a tokenizer; none at all where something depends on the place in the text.
fn cuts(tokenizer: &Tokenizer, json: &Json) -> Result<Cuts, String> {
    let decoder = tokenizer.get_added_tokens_decoder();
    let mut tokens: Vec<(u32, AddedToken)> = decoder.into_iter().collect();
    tokens.sort_by_key(|(id, _)| *id);
    let by_word = tokens.iter().any(|(_, token)| token.single_word);
    if by_word || depends_on_place(json) {
        return Ok(Cuts::default());
    }
    // Tokens that are looked for in the normalised text may span a line cut.
    // Tokens that eat spaces may reach across one.
    let reaching = tokens.iter().any(|(_, token)| token.normalized || token.lstrip || token.rstrip);
    let markers = tokens
        .into_iter()
        .filter(|(_, token)| !token.normalized)
        .map(|(id, token)| Marker {
            text: token.content,
            id,
            plain: !token.lstrip && !token.rstrip,
        })
        .collect();
    Cuts::new(markers, !reaching && is_line_safe(json))
}

/// Metaspace's `first` scheme treats the start of the whole text apart.
fn depends_on_place(json: &Json) -> bool {
    let of = |part: &Json| {
        let first = |step: &Json| step["prepend_scheme"] == "first";
        first(part) || steps(part, "pretokenizers").iter().any(first)
    };
    of(&json["pre_tokenizer"])
}

fn steps<'j>(part: &'j Json, key: &str) -> &'j [Json] {
    part[key].as_array().map_or(&[], Vec::as_slice)
}

/// Whether the whole pipeline leaves line starts alone: no normaliser but NFC, known patterns
/// only, byte-level BPE without a prefix space.
fn is_line_safe(json: &Json) -> bool {
    let normalizer = &json["normalizer"];
    let nfc = |step: &Json| step["type"] == "NFC";
    let plain_text = normalizer.is_null()
        || nfc(normalizer)
        || (normalizer["type"] == "Sequence" && steps(normalizer, "normalizers").iter().all(nfc));
    let pre = &json["pre_tokenizer"];
    let safe_step = |step: &Json| match step["type"].as_str() {
        Some("Split") => {
            step["behavior"] == "Isolated"
                && step["invert"] == false
                && step["pattern"]["Regex"].as_str().is_some_and(known::is_line_safe)
        }
        // Its own pattern is GPT-2's.
        Some("ByteLevel") => step["add_prefix_space"] == false,
        _ => false,
    };
    let known = match pre["type"].as_str() {
        Some("Sequence") => {
            let steps = steps(pre, "pretokenizers");
            steps.iter().all(safe_step) && steps.iter().any(splits_lines)
        }
        Some("ByteLevel") => safe_step(pre) && splits_lines(pre),
        _ => false,
    };
    plain_text && known && json["model"]["type"] == "BPE"
}

/// Whether a step by itself separates every line start; the number and script patterns do not.
fn splits_lines(step: &Json) -> bool {
    match step["type"].as_str() {
        Some("ByteLevel") => step["use_regex"].as_bool().unwrap_or(true),
        _ => step["pattern"]["Regex"].as_str().is_some_and(|regex| regex.contains(r"\s+(?!\S)")),
    }
}
