//! The compliance checker against a valid submission and its single-fault mutants.
//!
//! A mutant is made in the test from `tests/fixtures/valid-submission`. The table says which rule
//! must catch it, with which severity and where; the snapshot holds everything that is found. The
//! script `tests/agreement/run` writes the same mutants to disk and compares every finding with
//! the official checker's.

mod explain;
mod hostile;
mod lines;
mod mutants;
pub(crate) mod tree;
mod valid;
mod written;
