//! The log as what the counting pool takes its work from.

use std::fs::File;

use super::index::{LogIndex, Turn};
use super::prompts::{Prompts, read_span};
use crate::events::{EventKind, Reader};
use crate::tokens::count;
use crate::wire::Reply;

/// One group for each conversation of the log, all passes in it.
pub(super) struct LogSource<'a> {
    pub(super) index: &'a LogIndex,
    pub(super) prompts: &'a Prompts,
}

impl count::Source for LogSource<'_> {
    fn len(&self) -> usize {
        self.index.conversations.len()
    }

    fn group(&self, index: usize) -> Result<Vec<count::Session>, String> {
        let path = self.index.path();
        let unreadable = |error| format!("cannot read `{}`: {error}", path.display());
        let mut log = File::open(path).map_err(unreadable)?;
        let source = &self.index.conversations[index];
        let mut sessions = Vec::new();
        for session in &source.sessions {
            let mut prompts = self.prompts.of(&source.id, session, &mut log, path)?;
            let replies: Result<Vec<Reply>, String> =
                session.turns.iter().map(|turn| self.reply(&mut log, turn)).collect();
            // Counts come back prompts first, then replies; one session takes all of them.
            if let Some(last) = prompts.last_mut() {
                last.replies = replies?;
            }
            sessions.append(&mut prompts);
        }
        Ok(sessions)
    }
}

impl LogSource<'_> {
    fn reply(&self, log: &mut File, turn: &Turn) -> Result<Reply, String> {
        let path = self.index.path().display();
        let line = read_span(log, &turn.complete)
            .map_err(|error| format!("cannot read `{path}`: {error}"))?;
        let changed = || format!("`{path}` changed while it was read");
        match Reader::new(line.as_slice()).next() {
            Some(Ok(event)) => match event.kind {
                EventKind::Complete(_, Some(reply)) => Ok(*reply),
                _ => Err(changed()),
            },
            _ => Err(changed()),
        }
    }
}
