//! The simulated endpoint: an OpenAI-compatible server as a library.
//!
//! Owns the server (over any byte stream, or on a TCP listener), request checking, the latency
//! model, the prefix cache, recorded and scripted replies, faults on demand, the metrics page and
//! the recording of requests. A [`Config`] and a table of [`RecordedReplies`] go in; HTTP comes
//! out. It is a test instrument: its token counts are an approximation, its times are a model.
//! Uses `wire` (encoding), `units` (the API key) and `clock`; never the client that it tests, nor
//! data sets.
//!
//! ```text
//! bytes -> server -> routes -> chat: request -> fault? -> cache -> latency -> stream -> bytes
//!                      |               replies (recorded | scripted) ----------^
//!                      +-> metrics page, models, health
//! ```

mod answer;
mod body;
mod cache;
mod chat;
mod config;
mod fault_spec;
mod faults;
mod hash;
mod latency;
mod metrics;
mod record;
mod replies;
mod request;
mod routes;
mod script;
mod server;
mod state;
mod stream;
mod ticket;

pub use config::{CacheConfig, Config, ConfigError, ReplySource, Script, UsageReport};
pub use fault_spec::FaultError;
pub use faults::{Fault, FaultKind, Selector, When};
pub use record::{JsonLines, Recorder, RequestRecord};
pub use replies::{RecordedReplies, RecordedReply, ToolCall};
pub use state::Simulator;
