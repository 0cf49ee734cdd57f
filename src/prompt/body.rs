//! One request body, and digests over it that cost each text only once.

use bytes::Bytes;

use crate::client::Rope;
use crate::digest::Sha256Stream;

/// How a salt marker begins.
pub const SALT_OPEN: &[u8] = b"[salt: ";

/// A request body as the slices that it consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    pub(super) open: Bytes,
    pub(super) system: Bytes,
    pub(super) close: Bytes,
    pub(super) history: Bytes,
    pub(super) tail: Bytes,
}

impl Body {
    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.slices().iter().map(|slice| slice.len() as u64).sum()
    }

    /// Whether the body is empty; never so for a body out of a library.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that this body shares with every other turn of the same session: everything
    /// before the history.
    pub fn shared_len(&self) -> u64 {
        (self.open.len() + self.system.len() + self.close.len()) as u64
    }

    /// Everything behind the messages: sampling, tools and what else a request says.
    pub fn tail(&self) -> &Bytes {
        &self.tail
    }

    /// The body as a rope for the client; copies no text.
    pub fn rope(&self) -> Rope {
        let mut rope = Rope::default();
        for slice in self.slices() {
            rope.push(slice.clone());
        }
        rope
    }

    /// The same, by value.
    pub fn into_rope(self) -> Rope {
        let mut rope = Rope::default();
        for slice in [self.open, self.system, self.close, self.history, self.tail] {
            rope.push(slice);
        }
        rope
    }

    /// The whole body in one buffer.
    pub fn to_bytes(&self) -> Bytes {
        self.rope().to_vec().into()
    }

    fn slices(&self) -> [&Bytes; 5] {
        [&self.open, &self.system, &self.close, &self.history, &self.tail]
    }
}

/// Digests the bodies of one session in turn order: the history that a body shares with the one
/// before it is hashed once, so that a session costs its own length and not the sum of its bodies.
#[derive(Debug, Default)]
pub struct BodyDigest {
    state: Sha256Stream,
    hashed: usize,
    started: bool,
}

impl BodyDigest {
    /// The SHA-256 of `body`, which must extend the body given before.
    pub fn next(&mut self, body: &Body) -> [u8; 32] {
        if !self.started {
            for slice in [&body.open, &body.system, &body.close] {
                self.state.update(slice);
            }
            self.started = true;
        }
        self.state.update(body.history.get(self.hashed..).unwrap_or_default());
        self.hashed = body.history.len();
        let mut whole = self.state.clone();
        whole.update(&body.tail);
        whole.finish()
    }
}

/// How many salt markers (`[salt: ` + four hex digits + `]`) stand at the two places of the system
/// message where they belong: 0, 1 or 2.
pub fn salt_markers(body: &Body) -> u8 {
    salt_markers_of(&body.open, &body.close)
}

/// The same of what stands before and behind the system prompt.
pub(super) fn salt_markers_of(open: &[u8], close: &[u8]) -> u8 {
    let before = open.strip_suffix(b"\\n\\n").is_some_and(ends_with_marker);
    let after = close.strip_suffix(b"\"},").is_some_and(ends_with_marker);
    u8::from(before) + u8::from(after)
}

fn ends_with_marker(text: &[u8]) -> bool {
    let Some(start) = text.len().checked_sub(SALT_OPEN.len() + 5) else { return false };
    let marker = &text[start..];
    marker.starts_with(SALT_OPEN)
        && marker.ends_with(b"]")
        && marker[SALT_OPEN.len()..marker.len() - 1].iter().all(u8::is_ascii_hexdigit)
}
