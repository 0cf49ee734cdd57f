//! The endpoint client over in-memory pipes, in virtual time, against hand-written servers.

mod failures;
mod keep_alive;
mod pipe;
mod requests;
mod sockets;
mod streams;
mod timing;
