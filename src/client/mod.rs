//! The client side of one HTTP exchange, precisely timed.
//!
//! Owns connections (TCP, TLS, in-memory pipe), HTTP/1.1 as far as a replay speaks it, one exchange
//! from issue to last byte, and the classification of everything that can go wrong. Generic over the
//! byte stream, so that the same HTTP stack runs over an in-memory pipe under virtual time. Uses `clock`, `units`
//! and `wire`; knows nothing of scenarios, data sets or logs.

mod connection;
mod connector;
mod endpoint;
mod exchange;
mod fault;
mod http1;
mod model;
mod reading;
mod response;
mod slot;
mod stream;

pub use connector::{TcpConnector, tls_config};
pub use endpoint::{Config, ConfigError, Endpoint, assign_url};
pub use model::{Connect, Exchange, Rope};
pub use slot::SlotClient;
pub use stream::Stream;
