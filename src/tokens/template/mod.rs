//! Chat templates: messages, tools and settings -> the text that the model is given.
//!
//! Owns everything that makes minijinja render like Jinja2 inside transformers: the rewritten
//! dialect, Python's printing, operators, methods, filters and tests, `tojson`, and how messages
//! are prepared. In: a template's source, special tokens, messages as JSON. Out: text, or the
//! template's own refusal. Work, output and recursion are bounded.

mod arguments;
mod chat;
mod convert;
mod dialect;
mod engine;
mod filters;
mod filters_lazy;
mod filters_text;
mod format;
mod globals;
mod iterators;
mod messages;
mod methods;
mod methods_text;
mod operators;
mod pytypes;
pub(in crate::tokens) mod stack;
mod strftime;
mod tests_jinja;
mod tojson;
mod work;

pub use chat::{ChatTemplate, Conversation, Rendering, TemplateOptions};
pub use convert::Prefix;
pub use messages::{Convention, parse_arguments};
