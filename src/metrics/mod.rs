//! From events to numbers. Pure: the same events give the same numbers, live and offline.
//!
//! Owns the [`Collector`] (one pass over the events of a replay, a few numbers kept per turn), the
//! statistics of a series in the reference client's definitions, where token counts come from
//! ([`TokenSource`]), the steady-state detector ([`steady`]), and the [`SelfCheck`] that counts the
//! same events independently. Uses `events`, `wire` and `clock`.

mod client;
mod collector;
mod early_stopping;
mod histogram;
mod model;
mod pace;
mod self_check;
mod stats;
pub mod steady;
mod tokens;

pub use client::{ClientLoad, Lateness, Punctuality};
pub use collector::Collector;
pub use model::{Counters, FinishReasons, Metrics, PrefixCache, TokenCounts, Window};
pub use pace::{Pace, PaceReport};
pub use self_check::{Expected, SelfCheck, SelfCheckReport, Violation};
pub use stats::{Bucket, Number, PERCENTILES, Percentile, Stats};
pub use tokens::{OfficialTokens, TokenSource, TurnTokens};

#[cfg(test)]
mod tests;
