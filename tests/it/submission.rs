//! Submissions: assembled, changed, and refused.

mod assembled;
mod refused;
