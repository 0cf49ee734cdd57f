//! The replay digest: one number for which workload was issued.

use std::io::Write as _;
use std::sync::Arc;

use crate::digest::{Sha256Stream, hex, push_hex};
use crate::plan::Assignment;
use crate::prompt::Library;

/// SHA-256 over one line per turn in plan order: session id, NUL, turn in decimal, NUL, the body's
/// SHA-256 in hex, newline. Whoever has the scenario and the data sets can recompute it.
#[derive(Debug, Default)]
pub struct ReplayDigest {
    state: Sha256Stream,
    turns: u64,
    line: Vec<u8>,
}

impl ReplayDigest {
    /// Appends a turn.
    pub fn push(&mut self, session: &str, turn: u32, body: &[u8; 32]) {
        self.line.clear();
        write!(self.line, "{session}\0{turn}\0").expect("writing to memory cannot fail");
        push_hex(&mut self.line, body);
        self.line.push(b'\n');
        self.state.update(&self.line);
        self.turns += 1;
    }

    /// How many turns were appended.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// The digest in hex.
    pub fn finish(self) -> String {
        hex(&self.state.finish())
    }
}

/// The replay digest of a plan: what a replay of the whole sequence without a failure records.
pub fn planned_digest(library: &Arc<Library>, sequence: &[Assignment]) -> String {
    let mut digest = ReplayDigest::default();
    for assignment in sequence {
        let session = library.session(assignment.conversation, assignment.pass);
        for (turn, body) in session.turns().iter().zip(session.digests().iter()) {
            digest.push(session.id(), turn.turn, body);
        }
    }
    digest.finish()
}
