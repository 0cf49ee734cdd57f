//! The replay digest: one number for which workload was issued.

use std::sync::Arc;

use crate::digest::{Sha256Stream, hex};
use crate::plan::Assignment;
use crate::prompt::Library;

/// SHA-256 over one line per turn in plan order: session id, NUL, turn in decimal, NUL, the body's
/// SHA-256 in hex, newline. Whoever has the scenario and the data sets can recompute it.
#[derive(Debug, Default)]
pub struct ReplayDigest {
    state: Sha256Stream,
    turns: u64,
}

impl ReplayDigest {
    /// Appends a turn.
    pub fn push(&mut self, session: &str, turn: u32, body: &[u8; 32]) {
        let line = format!("{session}\0{turn}\0{}\n", hex(body));
        self.state.update(line.as_bytes());
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
