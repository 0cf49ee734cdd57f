//! Results as text for people and small JSON for tools. Pure: values in, text out.
//!
//! Owns the table of the curve, curve.json and report.txt of a point. Every text says where its
//! numbers are not official: simulated endpoint, server-reported token counts. Uses `results` and
//! `metrics`.

mod curve;
mod point;
mod table;

pub use curve::{Curve, CurvePoint};
pub use point::point_report;
pub use table::table;
