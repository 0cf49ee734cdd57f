//! The author's own rules: expressions over the results of a point.
//!
//! Owns the vocabulary (which names there are, and what they mean) and the evaluation: a check's
//! `when` and `require` and a point's values go in, an [`Outcome`] comes out. Expressions are
//! Jinja's, without loops, functions and templates, and bounded. Who has a point's files makes its
//! values; nothing is read here.

mod evaluate;
mod names;
mod parse;

pub use evaluate::{Outcome, evaluate};
pub use names::{Name, known, names};
pub use parse::{Expression, ExpressionError};
