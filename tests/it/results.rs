//! Event logs, metrics, result directories and reports, against the reference client's recorded
//! files and on a real disk.

mod directory;
mod golden;
mod recount;
