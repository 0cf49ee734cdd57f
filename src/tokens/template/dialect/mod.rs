//! Jinja2's grammar, rewritten into minijinja's.
//!
//! minijinja renders the templates; where its expressions mean something else than Jinja2's in
//! Python (`%` on texts, comparisons of unlike types, attributes that are Python methods, slices,
//! escapes in literals, precedence, macro defaults, `{% generation %}`), the source is rewritten
//! into calls of our functions ([`super::operators`]). Text outside tags is never touched, nor is
//! any whitespace control; line numbers stay. In: a template's source. Out: minijinja's source.

mod emit;
mod expr;
mod parse;
mod scan;
mod statement;
mod token;

pub(super) use statement::rewrite;
