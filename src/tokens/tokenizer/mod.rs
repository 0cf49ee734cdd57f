//! Text -> token ids, exactly as the model's own tokenizer gives them.
//!
//! [`Tokenizer`] hides the two kinds: Hugging Face's `tokenizer.json` (crate `tokenizers`, cargo
//! feature `tokenizer`) and tiktoken ranks. `cut` knows where a text may be cut so that the
//! pieces' tokens, joined, are the text's tokens; that is what makes counting long histories cheap.

mod base64;
mod bpe;
mod config;
mod cut;
#[cfg(feature = "tokenizer")]
mod huggingface;
mod known;
mod load;
mod ranks;
mod tiktoken;

pub use config::{ModelConfig, NamedTemplate, SpecialTokens};
pub use cut::{Cuts, Piece};
pub use load::Tokenizer;
