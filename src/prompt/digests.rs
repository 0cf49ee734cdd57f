//! The digests of all bodies of a session, made once and kept.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::body::BodyDigest;
use super::library::{Library, Session};
use crate::host;

/// The SHA-256 of every turn's body of one session, in turn order.
pub type SessionDigests = Arc<[[u8; 32]]>;

/// How many digests are kept: 32 MiB of them. What does not fit is made again each time.
const MAX_KEPT: usize = 1 << 20;
/// More threads than this gain nothing: memory is the limit.
const MAX_THREADS: usize = 8;

/// Digests by conversation and pass.
#[derive(Debug, Default)]
pub(super) struct Digests {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    sessions: BTreeMap<(u32, u32), SessionDigests>,
    turns: usize,
}

impl Digests {
    /// The digests of a session, which is `key` (conversation, pass).
    pub(super) fn of(&self, session: &Session, key: (u32, u32)) -> SessionDigests {
        if let Some(known) = self.lock().sessions.get(&key) {
            return Arc::clone(known);
        }
        let mut digest = BodyDigest::default();
        let turns = 0..session.turns().len();
        let made: SessionDigests = turns.map(|index| digest.next(&session.body(index))).collect();
        let mut kept = self.lock();
        if kept.turns + made.len() <= MAX_KEPT {
            kept.turns += made.len();
            kept.sessions.insert(key, Arc::clone(&made));
        }
        made
    }

    /// Makes the digests of these sessions, as many as are kept.
    pub(super) fn prepare(&self, library: &Arc<Library>, keys: impl Iterator<Item = (u32, u32)>) {
        let mut room = MAX_KEPT;
        let fits = |(conversation, _): &(u32, u32)| {
            let turns = library.conversations()[*conversation as usize].turns.len();
            let fits = turns <= room;
            room = room.saturating_sub(turns);
            fits
        };
        let keys: Vec<_> = keys.take_while(fits).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(&key) = keys.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.of(&library.session(key.0, key.1), key);
            }
        };
        let threads = host::parallelism().get().min(MAX_THREADS).min(keys.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
