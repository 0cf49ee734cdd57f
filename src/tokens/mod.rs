//! Official token counts: tokenizers, chat templates, and counting with both.
//!
//! Owns everything between messages and numbers of tokens, as the rules define them
//! (rules/agentic §8): reading a model's tokenizer and chat template, rendering like transformers,
//! and counting prompts (ISL), replies (OSL) and the tokens behind a reply's first chunk (TPOT).
//! Works on plain values and knows nothing of data sets, runs or files other than the model's.
//! Uses only `wire` of the crate.
//!
//! ```text
//! model directory -> Tokenizer + ChatTemplate = Reference
//! messages, tools, kwargs -> PromptCounter -> ISL of every request, incrementally
//! wire::Reply             -> ReplyCounter  -> OSL, tokens behind the first chunk
//! Source (many sessions)  -> count_all on a Pool (threads, cancel flag, progress) -> Counts
//! ```
//!
//! How counting stays cheap: every request is rendered from its conversation's messages, which
//! are converted once; of the text only what was not seen before is tokenised. `tokenizer::Cuts`
//! says where a text may be cut so that the pieces can be counted by themselves; where nothing is
//! sure, the whole text is tokenised.
//!
//! Typical use:
//!
//! ```no_run
//! # use std::{path::Path, sync::atomic::AtomicBool, time::UNIX_EPOCH};
//! # use scenario::tokens::{Reference, count::{Pool, Source, count_all}, template::TemplateOptions};
//! # fn run(source: &dyn Source) -> Result<(), Box<dyn std::error::Error>> {
//! let reference = Reference::load(Path::new("models/qwen"), TemplateOptions::at(UNIX_EPOCH))?;
//! let cancel = AtomicBool::new(false);
//! let pool = Pool { threads: 4, cancel: &cancel, progress: &|progress| drop(progress) };
//! let counts = count_all(&reference, source, &pool)?;
//! # Ok(()) }
//! ```

pub mod count;
mod error;
mod reference;
pub mod template;
pub mod tokenizer;

pub use error::{CountError, LoadError, TemplateError, TokenizeError};
pub use reference::Reference;
pub use tokenizer::Tokenizer;
