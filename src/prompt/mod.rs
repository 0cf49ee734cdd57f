//! What is sent: the prompt arena, the salt, generated-token clearing, and request ropes.
//!
//! Everything is built before the clock starts. Trajectories go in one at a time; a read-only
//! [`Library`] comes out, in which each conversation's messages are serialised once into one
//! contiguous buffer and every turn knows where its history ends. A request body is then a rope
//! of borrowed slices: nothing is serialised per turn, and memory is linear in the data set.
//!
//! ```text
//! {"model":…,"messages":[ | {"role":"system","content":"[salt: …]\n\n | system | \n\n[salt: …]"}, | history | ],"temperature":…,"tools":…}
//!   per pass                                                            arena    per conversation   arena     per tools
//! ```
//!
//! Uses `dataset` (trajectories), `wire` (JSON strings), `client` (the rope), `digest` (the salt)
//! and `simulator` (the recorded replies that it hands over as a table).

mod body;
mod build;
mod digests;
mod forecast;
mod library;
mod load;
mod recorded;
mod sampling;

mod template;

pub use body::{Body, BodyDigest, SALT_OPEN, salt_markers};
pub use build::{BuildError, LibraryBuilder};
pub use digests::SessionDigests;
pub use forecast::{Expected, Volume, expected_duration};
pub use library::{Conversation, Library, Session, Turn};

pub use load::{Loaded, load};
pub use recorded::RecordedTable;
pub use template::{PromptOptions, RequestTemplate};
