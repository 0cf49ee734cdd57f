//! Source code in several languages.
//!
//! Owns one table of templates per language and what turns them into files. A voice in, lines of
//! code out.

mod go;
mod language;
mod python;
mod rust;
mod typescript;

pub(super) use language::{LANGUAGES, Language, TestStyle};
