//! The endpoint client over in-memory pipes, in virtual time, against hand-written servers.

mod pipe;
mod timing;
