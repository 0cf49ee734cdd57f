//! Results as text for people and small JSON for tools. Pure: values in, text out.
//!
//! Owns the table of the curve, curve.json and report.txt of a point. Every text says where its
//! numbers are not official: simulated endpoint, server-reported token counts. Inline scores and
//! accuracy gates become text here too. Uses `results`, `metrics` and `accuracy`.

mod curve;
mod inline;
mod point;
mod table;
mod verdict;

pub use curve::{Curve, CurvePoint};
pub use inline::{explain_text, inline_text, percent};
pub use point::{SIMULATED, point_report};
pub use table::table;
pub use verdict::{scores_text, verdict_text};
