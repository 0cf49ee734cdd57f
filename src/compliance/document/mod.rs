//! Documents: JSON and YAML files of a submission as values, read bounded and never out of the tree.
//!
//! Values are those of Python, because the official checker is a Python program: whole numbers and
//! floats differ, `NaN` is a number, the last of two equal keys wins, YAML is version 1.1.

mod folder;
mod json;
mod lax;
mod value;
mod yaml11;

pub(super) use folder::{Folder, Listed};
pub(super) use json::{parse as parse_json, spans};
pub(super) use lax::{Fields, Problem, boolean, choice, float, int, list, map, root, text};
pub(super) use value::{Document, Map, Oddity, OddityKind, State, Value};
