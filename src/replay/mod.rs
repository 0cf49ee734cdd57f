//! (to be written)

mod live;

pub use live::Live;
