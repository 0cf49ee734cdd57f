//! The files of a submission as typed values, with the fields and the tolerance of the official
//! checker's schemas. A file that does not fit gives problems by field instead of a value.

mod accuracy;
mod point;
mod power;
mod summary;
mod system;

pub(super) use accuracy::Accuracy;
pub(super) use point::{AGENTIC, CONCURRENCY, DEDICATED, ELECTED, Point};
pub(super) use power::{
    Components, Device, Method, NodeSet, Power, ScaleOut, ScaleUp, ScaleUpMethod, Sourced,
};
pub(super) use summary::Summary;
pub(super) use system::System;
