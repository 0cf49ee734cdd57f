//! Submissions: what a run folder needs for one, and the tree that is made of run folders.
//!
//! ```text
//! scenario -> statement, description, power -> files of each run folder       (before a run)
//! run folders (ours, the reference client's, a packaged tree)
//!          -> read -> curve (checked for agreement) -> tree -> disk, archive  (after it)
//! ```
//!
//! Owns names and shape of a submission. The same inputs give the same bytes. Nothing appears in
//! part: a tree is built under a hidden name and renamed. Uses `scenario`, `results`, `accuracy`
//! and the arithmetic and rules of `compliance`.

mod curve;
mod description;
mod error;
mod files;
mod merge;
mod names;
mod package;
mod power;
mod read;
mod run;
mod shared;
mod statement;
mod supply;
mod tree;

pub use error::{Disagreement, SubmissionError};
pub use package::{Options, Package, Replacing, package};
pub use statement::{PointFiles, Statement};
