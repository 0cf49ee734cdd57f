//! Official token counts, over the public API: incremental counting equals counting from scratch
//! on real and on our own templates, hostile templates end, and the recorded run of the reference
//! client is reproduced.

mod golden;
mod hostile;
mod incremental;
mod model;
mod pool;
