//! Values with a unit, and values that must not be shown.
//!
//! Owns [`HumanDuration`] (`250ms`, `1m30s`: parse, print, serde, schema), [`Secret`] (prints
//! `***` whatever is done with it), the masking of credentials in URLs, and sizes for people. Uses nothing else of
//! the crate.

mod duration;
mod secret;
mod size;

pub use duration::{HumanDuration, ParseDurationError};
pub use secret::{Secret, mask_url_credentials};
pub use size::bytes;
