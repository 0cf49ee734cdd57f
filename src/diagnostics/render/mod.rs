//! Findings as text, one file per format.

mod github;
mod human;
mod json;
mod sarif;
mod text;

pub use github::render_github;
pub use human::render_human;
pub use json::render_json;
pub use sarif::render_sarif;
pub use text::Counts;

#[cfg(test)]
mod tests;
