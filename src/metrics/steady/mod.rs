//! Steady state: the stretch of a replay over which its numbers stand still.
//!
//! Owns the detector of the rules (`rules/agentic` §11.2, its defaults) on turns: issued turns are
//! cut into super-passes of one data-set pass each, the warm-up is cropped, plateaus of the time
//! per output token are found, tested and measured, and the outcome is mapped to the status,
//! verdict and window of a submission's point.yaml. Pure: [`Detector`] takes events, and
//! everything behind it is a function of numbers.
//!
//! The detector reads token counts from the same source as the summary. The reference detector
//! encodes plain text and leaves tool calls out, which the rules' own definition of output tokens
//! does not; we follow the definition.

mod analysis;
mod gather;
mod measure;
mod plateau;
mod series;
mod summary;
mod trend;
mod verdict;

pub use analysis::{Analysis, MIN_SUPER_PASSES, analyze};
pub use gather::{Detector, TurnRecord};
pub use measure::{Interval, Numbers};
pub use plateau::Plateau;
pub use summary::SteadySummary;
pub use trend::Direction;
pub use verdict::{State, Status, SteadyBlock, SteadyWindow, Verdict};

#[cfg(test)]
mod tests;
