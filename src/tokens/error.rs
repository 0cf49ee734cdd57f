//! What can go wrong with tokenizers, templates and counting.

use std::path::PathBuf;

/// Why a model directory could not be used. Every message names the path and what to do.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The path is no directory.
    #[error(
        "{path} is not a directory; give the model's directory, which holds tokenizer.json or \
         tiktoken.model and the chat template"
    )]
    NoDirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No tokenizer of a kind that we read.
    #[error(
        "{directory} holds no tokenizer that can be read: found {found}, expected tokenizer.json \
         (Hugging Face) or tiktoken.model / *.tiktoken (ranks); convert the tokenizer with \
         transformers' save_pretrained to get a tokenizer.json"
    )]
    NoTokenizer {
        /// The model directory.
        directory: PathBuf,
        /// What stands there instead.
        found: String,
    },
    /// More than one ranks file and no way to choose.
    #[error("{directory} holds more than one ranks file ({found}); keep the one to be used")]
    Ambiguous {
        /// The model directory.
        directory: PathBuf,
        /// The files.
        found: String,
    },
    /// A tokenizer file is broken or of an unknown kind.
    #[error("{path} cannot be used as a tokenizer: {reason}")]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// `tokenizer.json` without the support for it.
    #[error(
        "{path} needs support for tokenizer.json, which this build leaves out; build with the \
         cargo feature `tokenizer` (it is on by default)"
    )]
    FeatureOff {
        /// The file.
        path: PathBuf,
    },
    /// A configuration file that is no JSON of the expected shape.
    #[error("{path} cannot be read as a tokenizer configuration: {reason}")]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// No chat template.
    #[error(
        "{directory} holds no chat template: expected chat_template.jinja, or `chat_template` in \
         tokenizer_config.json"
    )]
    NoTemplate {
        /// The model directory.
        directory: PathBuf,
    },
    /// A chat template that does not compile.
    #[error("the chat template {path} does not compile: {source}")]
    Template {
        /// Where the template stands.
        path: PathBuf,
        /// What is wrong.
        source: TemplateError,
    },
}

/// Why a chat template gave no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The template breaks Jinja's grammar.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line of the template, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The template called `raise_exception`.
    #[error("the template refuses this conversation: {0}")]
    Raised(String),
    /// An operation failed while rendering.
    #[error("line {line}: {message}")]
    Render {
        /// The line of the template, from 1; 0 when unknown.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The template did more work, or wrote more text, than a chat template has any reason to.
    #[error("the template does not come to an end: {0}")]
    Exhausted(String),
    /// Several named templates and none of them fits.
    #[error(
        "the model has several chat templates ({names}) and none is called `default`; name one"
    )]
    NoDefault {
        /// Their names, joined.
        names: String,
    },
}

/// A text that the tokenizer refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tokenizer failed: {0}")]
pub struct TokenizeError(pub String);

/// Why something could not be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The chat template failed.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The tokenizer failed.
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
    /// The caller's source of conversations failed.
    #[error("{0}")]
    Source(String),
    /// Counting was stopped.
    #[error("counting was stopped")]
    Cancelled,
}
